// The thread that tells of changed resources, and plugins of who is subscribed to them. What happens while it waits
// after the first of several changes is told together with it. Owned by the host; what it tells, and so its listeners'
// functions, runs on it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "catalog/resource_updates.hpp"

namespace mcph {

class UpdateThread {
 public:
  // `attend` is what is to be done each time besides.
  explicit UpdateThread(
      std::shared_ptr<ResourceUpdates> updates, std::function<void()> attend = [] {},
      std::chrono::milliseconds burst = std::chrono::milliseconds(50))
      : updates_(std::move(updates)), attend_(std::move(attend)), thread_([this, burst] { run(burst); }) {}
  UpdateThread(const UpdateThread&) = delete;
  UpdateThread& operator=(const UpdateThread&) = delete;
  ~UpdateThread() {
    updates_->end();
    thread_.join();
  }

 private:
  void run(std::chrono::milliseconds burst) {
    while (updates_->wait() && updates_->pause(burst)) {
      try {
        updates_->tell();
        attend_();
      } catch (const std::bad_alloc&) {
        // After the next pause there may be memory for it.
        updates_->look_again();
      }
    }
  }

  const std::shared_ptr<ResourceUpdates> updates_;
  const std::function<void()> attend_;
  std::thread thread_;  // last, so that everything it uses is there when it begins
};

}  // namespace mcph
