// Where coroutines of one event loop wait until there may be something new for them. Owned by what they work for, which
// they keep alive; on its event loop, but for its beginning and its end.
#pragma once

#include <coroutine>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "runtime/coroutine.hpp"

namespace mcph {

class WaitingCoroutines;

class WakeUp {
 public:
  // [any] At the end of the context whoever waits is dropped.
  explicit WakeUp(boost::asio::io_context& context);
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  class Waiting {
   public:
    explicit Waiting(WakeUp& wake_up) : wake_up_(wake_up) {}
    ~Waiting() {
      if (frame_ != nullptr) wake_up_.forget(*this);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
      frame_ = &waiting.promise();
      next_ = std::exchange(wake_up_.waiting_, this);
    }
    void await_resume() const noexcept {}

   private:
    friend class WakeUp;
    friend class WaitingCoroutines;

    WakeUp& wake_up_;
    CoroutineFrame* frame_ = nullptr;  // null: it does not wait
    Waiting* next_ = nullptr;
  };
  // To be awaited: returns after the next wake_all.
  Waiting next() { return Waiting(*this); }

  // All that wait now are to go on, one in each turn of the event loop (resume_one), because whoever goes on may take
  // its time, and the thread may lose its event loop meanwhile. True: it takes more than one turn, and so this is to be
  // called in another one. Without it, as often as it is called, everybody who waited has gone on.
  bool wake_all();
  // Goes on with one of them, here and now. This may end thereby.
  void resume_one();

 private:
  friend class WaitingCoroutines;

  static CoroutineFrame* take(Waiting*& list);
  static bool forget(Waiting*& list, const Waiting& gone);
  void forget(const Waiting& gone);

  WaitingCoroutines& all_;
  WakeUp* before_ = nullptr;  // of all of the context
  WakeUp* after_ = nullptr;
  Waiting* waiting_ = nullptr;
  Waiting* woken_ = nullptr;
};

}  // namespace mcph
