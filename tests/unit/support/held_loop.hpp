// An event loop that does nothing else until it is let go, so that a test decides what comes to it in what order.
#pragma once

#include <future>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace mcph::test {

class HeldLoop {
 public:
  // Returns when it is held. The loop runs, and outlives this object.
  explicit HeldLoop(boost::asio::io_context& loop) {
    std::promise<void> held;
    const auto is_held = held.get_future();
    // The loop may still be busy with both when the test goes on.
    boost::asio::post(loop, [held = std::move(held), let_go = let_go_.get_future()]() mutable {
      held.set_value();
      let_go.wait();
    });
    is_held.wait();
  }
  ~HeldLoop() { let_go(); }
  HeldLoop(const HeldLoop&) = delete;
  HeldLoop& operator=(const HeldLoop&) = delete;

  void let_go() {
    if (!std::exchange(is_let_go_, true)) let_go_.set_value();
  }

 private:
  std::promise<void> let_go_;
  bool is_let_go_ = false;
};

}  // namespace mcph::test
