// What the host is like now, as texts that pages are told, made once for all who look at the same time. Owned by the
// dashboard; any thread. Who asks while it is made waits for that.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/mutex.hpp"

namespace mcph {

// All of JSON.
struct StatusTexts {
  struct Plugin {
    std::string key;  // which row it is: a file has one version that serves, and others that drain
    std::string row;
  };
  std::vector<Plugin> plugins;  // in the order of the host
  std::string order;            // their keys
  std::string rest;             // of the status
  std::string lasting;          // likewise, without the time that the host is up
};

class SharedStatus {
 public:
  // For how long it is as it was.
  static constexpr std::chrono::milliseconds usual_age{50};

  // `look` gives the status as the operator is told it, and outlives this.
  explicit SharedStatus(std::function<nlohmann::ordered_json()> look, std::chrono::milliseconds max_age = usual_age)
      : look_(std::move(look)), max_age_(max_age) {}

  std::shared_ptr<const StatusTexts> get();

 private:
  const std::function<nlohmann::ordered_json()> look_;
  const std::chrono::milliseconds max_age_;
  Mutex mutex_;
  std::shared_ptr<const StatusTexts> texts_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point made_at_ GUARDED_BY(mutex_);
};

}  // namespace mcph
