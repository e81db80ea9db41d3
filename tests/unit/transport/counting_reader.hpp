// A reader of an outbox that counts what it hears. Any thread may tell it.
#pragma once

#include <atomic>

#include "transport/outbox.hpp"

namespace mcph {

class CountingReader final : public OutboxReader {
 public:
  void outbox_filled() override { ++wakes; }
  void outbox_overflowed() override { ++overflows; }
  void asked_to_leave() override { ++requests_to_leave; }

  std::atomic<int> wakes{0};
  std::atomic<int> overflows{0};
  std::atomic<int> requests_to_leave{0};
};

}  // namespace mcph
