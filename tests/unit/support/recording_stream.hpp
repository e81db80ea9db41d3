// A notification stream that remembers what its client would have heard. Used on the test's thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "protocol/notification_stream.hpp"

namespace mcph::test {

class RecordingStream final : public NotificationStream {
 public:
  bool send(std::string message) override {
    if (closed) return false;
    messages.push_back(std::move(message));
    return true;
  }
  void close() override { closed = true; }

  std::vector<std::string> messages;
  bool closed = false;
};

}  // namespace mcph::test
