// Coroutines of one event loop: what each of them waits for, and who goes on when it is done. Asio's own (awaitable)
// hold an executor that may be of any type in each frame, and take memory from malloc for most of them; a request has
// ten frames. Here a frame begins when it is awaited, and comes from memory that its thread keeps.
//
// A coroutine that is awaited belongs to the frame that awaits it, and the first of them to whatever it waits for:
// where that goes without having come, as the handlers of an I/O context do at its end, all frames go
// (CoroutineFrame::drop). Only one thread at a time runs the coroutines of an event loop, but not always the same one:
// who has let a coroutine wait does not touch it any more, because another thread may go on with it at once.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>

#include "runtime/frame_memory.hpp"

namespace mcph {

// What is alike in the frames of all coroutines.
class CoroutineFrame {
 public:
  static void* operator new(std::size_t bytes) { return take_frame_memory(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { return_frame_memory(memory, bytes); }

  std::suspend_always initial_suspend() const noexcept { return {}; }

  // Goes on with it, and with those that wait for it, until there is something to wait for. Never throws.
  void resume() noexcept {
    // They do not resume each other, so that a loop without waiting needs no stack.
    auto* const outer = std::exchange(next_, this);
    while (auto* const frame = std::exchange(next_, nullptr))
      frame->self_.resume();
    next_ = outer;
  }

  // Destroys it and those that wait for it. It waits, and nobody will resume it.
  void drop() noexcept {
    auto* first = this;
    while (first->awaiting_ != nullptr)
      first = first->awaiting_;
    first->self_.destroy();
  }

 protected:
  explicit CoroutineFrame(std::coroutine_handle<> self) : self_(self) {}

  // Begins this one; the other one goes on when it is done.
  void begin_for(CoroutineFrame& awaiting) noexcept {
    awaiting_ = &awaiting;
    next_ = this;
  }
  void resume_awaiting() const noexcept { next_ = awaiting_; }

 private:
  static inline constinit thread_local CoroutineFrame* next_ = nullptr;  // that this thread resumes

  const std::coroutine_handle<> self_;
  CoroutineFrame* awaiting_ = nullptr;  // null: it is the first
};

namespace detail {

// What a coroutine ends with.
template <class T>
class CoroutineResult {
 public:
  template <class Value>
  void return_value(Value&& value) {
    value_.emplace(std::forward<Value>(value));
  }
  void unhandled_exception() noexcept { error_ = std::current_exception(); }
  T take() {
    if (error_) std::rethrow_exception(error_);
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  std::exception_ptr error_;
};

template <>
class CoroutineResult<void> {
 public:
  void return_void() noexcept {}
  void unhandled_exception() noexcept { error_ = std::current_exception(); }
  void take() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

}  // namespace detail

// To be awaited once, by another coroutine.
template <class T = void>
class [[nodiscard]] Coroutine {
 public:
  class promise_type : public CoroutineFrame, public detail::CoroutineResult<T> {
   public:
    promise_type() : CoroutineFrame(std::coroutine_handle<promise_type>::from_promise(*this)) {}
    Coroutine get_return_object() noexcept { return Coroutine(*this); }

    struct Ending {
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> ended) const noexcept {
        ended.promise().resume_awaiting();
      }
      void await_resume() const noexcept {}
    };
    Ending final_suspend() const noexcept { return {}; }

   private:
    friend class Coroutine;
  };

  Coroutine(Coroutine&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {}
  Coroutine& operator=(Coroutine&&) = delete;
  ~Coroutine() {
    if (promise_ != nullptr) std::coroutine_handle<promise_type>::from_promise(*promise_).destroy();
  }

  class Awaiter {
   public:
    explicit Awaiter(promise_type& promise) : promise_(promise) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> awaiting) const noexcept {
      promise_.begin_for(awaiting.promise());
    }
    T await_resume() const { return promise_.take(); }

   private:
    promise_type& promise_;
  };
  Awaiter operator co_await() && noexcept { return Awaiter(*promise_); }

 private:
  explicit Coroutine(promise_type& promise) : promise_(&promise) {}

  promise_type* promise_;
};

// The first coroutine of some, which nobody awaits. Begins when it is told to, and destroys itself at its end.
class FirstCoroutine {
 public:
  class promise_type : public CoroutineFrame {
   public:
    promise_type() : CoroutineFrame(std::coroutine_handle<promise_type>::from_promise(*this)) {}
    FirstCoroutine get_return_object() noexcept { return FirstCoroutine(*this); }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };

  FirstCoroutine(FirstCoroutine&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {}
  FirstCoroutine& operator=(FirstCoroutine&&) = delete;
  ~FirstCoroutine() {
    if (promise_ != nullptr) promise_->drop();
  }

  void operator()() noexcept { std::exchange(promise_, nullptr)->resume(); }

 private:
  explicit FirstCoroutine(promise_type& promise) : promise_(&promise) {}

  promise_type* promise_;
};

// Runs it and then calls `end`, which may be null, with null or what it has thrown. The owner, which may be null, lives
// until then.
FirstCoroutine first_coroutine(Coroutine<> coroutine, std::shared_ptr<void> owner,
                               std::function<void(const std::exception_ptr& failed)> end);

// The same on the executor, not at once.
template <class Executor>
void spawn(const Executor& executor, Coroutine<> coroutine, std::shared_ptr<void> owner = nullptr,
           std::function<void(const std::exception_ptr& failed)> end = nullptr) {
  boost::asio::post(executor, first_coroutine(std::move(coroutine), std::move(owner), std::move(end)));
}

}  // namespace mcph
