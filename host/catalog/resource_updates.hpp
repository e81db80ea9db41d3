// Who hears that the content of a resource changed. Plugins note changes as they happen; listeners are told by whoever
// calls tell, so that a burst of changes of one resource is told once. A resource is known by its normalized URI, so
// that it does not matter how a client encodes it. One for the process; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"

namespace mcph {

class ResourceListener {
 public:
  virtual ~ResourceListener() = default;
  // `uri` as the listener wrote it. Hand over and return.
  virtual void resource_updated(const std::string& uri) = 0;
};

class ResourceUpdates : public std::enable_shared_from_this<ResourceUpdates> {
  struct Interest {
    std::string uri;  // as the listener wrote it
    std::weak_ptr<ResourceListener> listener;
  };
  using Interests = std::multimap<std::string, Interest, std::less<>>;

 public:
  static constexpr std::size_t max_interests = 50'000;
  static constexpr std::size_t max_bytes = std::size_t{16} << 20;  // of their URIs

  // One listener's interest in one resource, which ends with this object.
  class Place {
   public:
    Place(std::shared_ptr<ResourceUpdates> updates, Interests::iterator interest)
        : updates_(std::move(updates)), interest_(interest) {}
    Place(Place&& other) noexcept = default;  // leaves an empty one
    Place& operator=(Place&& other) = delete;
    ~Place();

   private:
    std::shared_ptr<ResourceUpdates> updates_;
    Interests::iterator interest_;
  };

  // Nothing if there are as many interests, or as long ones, as may be. To be called on an object that a shared pointer
  // holds.
  std::optional<Place> listen(const std::string& uri, std::weak_ptr<ResourceListener> listener);

  // Notes that the resource changed, if somebody listens. Costs little where nobody can listen to it.
  void updated(std::string_view uri);

  // Tells what has been noted since the last time, each resource once.
  void tell();

  // From now on it is kept of which resources the first listener has come or the last one has gone.
  void follow_interest();
  // Their normalized URIs, since the last time; nothing: there was no memory to keep them, and it may be any.
  std::optional<std::set<std::string>> take_changed_interest();
  // The URI as somebody who listens wrote it; nothing: nobody listens. `key` is normalized.
  std::optional<std::string> listened_to(const std::string& key);
  std::vector<std::string> all_listened_to();  // normalized

  // Returns once something has been noted, interest has changed, or look_again has been called; false once end has
  // been.
  bool wait();
  void look_again();
  // The same after a time; what is noted meanwhile does not shorten it.
  bool pause(std::chrono::milliseconds time);
  void end();

 private:
  void note_interest(const std::string& key) REQUIRES(mutex_);
  // However such a URI is encoded, it has at most three bytes for each of the one that a listener wrote.
  bool is_too_long(std::string_view uri) const REQUIRES(mutex_) { return uri.size() > 3 * max_uri_; }

  Mutex mutex_;
  Condition changed_;
  Interests interests_ GUARDED_BY(mutex_);  // by normalized URI
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::size_t max_uri_ GUARDED_BY(mutex_) = 0;  // that somebody listened to, since nobody did
  std::set<std::string> noted_ GUARDED_BY(mutex_);
  bool follows_interest_ GUARDED_BY(mutex_) = false;
  std::optional<std::set<std::string>> changed_interest_ GUARDED_BY(mutex_) = std::set<std::string>();
  bool looks_again_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
