// The requests of one client that have no reply yet, by JSON-RPC id, so that notifications/cancelled finds them. Where
// a client uses an id twice at once, the later request is meant. Shared by a session or a stdio connection and the
// exchanges that stand in it; any thread.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "base/principal.hpp"

namespace mcph {

class Exchange;

class RequestsInFlight : public std::enable_shared_from_this<RequestsInFlight> {
  struct Request {
    std::string id;
    Principal principal;
    std::weak_ptr<Exchange> exchange;
  };
  using Requests = std::list<Request>;  // in the order of their coming

 public:
  // A request's place in the list, which ends with this object.
  class Place {
   public:
    Place() = default;
    Place(std::shared_ptr<RequestsInFlight> requests, Requests::iterator request)
        : requests_(std::move(requests)), request_(request) {}
    Place(Place&& other) noexcept = default;  // leaves an empty one
    // Trades places, so that assigning to an empty one leaves an empty one.
    Place& operator=(Place&& other) noexcept {
      std::swap(requests_, other.requests_);
      std::swap(request_, other.request_);
      return *this;
    }
    ~Place();

   private:
    std::shared_ptr<RequestsInFlight> requests_;
    Requests::iterator request_;
  };

  // Lists the request until its exchange has ended. `id` is JSON text; the principal has sent it. To be called on an
  // object that a shared pointer holds.
  void add(std::string id, Principal principal, const std::shared_ptr<Exchange>& exchange);

  // Null if it is unknown or has ended, which a client cannot know (MCP, basic/utilities/cancellation).
  std::shared_ptr<Exchange> find(const std::string& id) const;

  bool any() const;
  void abandon_all();
  // Those of whom `is_good` does not hold.
  void abandon_of(const IsGood& is_good);

 private:
  template <class Ends>
  void abandon_where(const Ends& ends);

  mutable Mutex mutex_;
  Requests requests_ GUARDED_BY(mutex_);
};

}  // namespace mcph
