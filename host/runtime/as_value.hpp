// How the coroutines here wait for operations of Asio: co_await gives what the operation ends with as a tuple, the
// error as a value beside the result, because most errors of I/O are expected.
#pragma once

#include <coroutine>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>

#include "runtime/coroutine.hpp"
#include "runtime/frame_memory.hpp"

namespace mcph {

struct AsValue {};
inline constexpr AsValue as_value;

namespace detail {

// While this thread begins what a coroutine is to wait for.
class Beginning {
 public:
  explicit Beginning(const CoroutineFrame& frame) : outer_(std::exchange(current_, &frame)) {}
  ~Beginning() { current_ = outer_; }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  static bool is_of(const CoroutineFrame& frame) { return current_ == &frame; }

 private:
  static inline constinit thread_local const CoroutineFrame* current_ = nullptr;

  const CoroutineFrame* const outer_;
};

// The coroutine that waits belongs to it until it is called.
template <class Result>
class ValueHandler {
 public:
  using allocator_type = FrameAllocator<void>;

  ValueHandler(CoroutineFrame& waiting, std::optional<Result>& result) : waiting_(&waiting), result_(&result) {}
  ValueHandler(ValueHandler&& other) noexcept
      : waiting_(std::exchange(other.waiting_, nullptr)), result_(other.result_) {}
  ValueHandler& operator=(ValueHandler&&) = delete;
  ~ValueHandler() {
    // Where the operation could not begin, an exception reaches the coroutine.
    if (waiting_ != nullptr && !Beginning::is_of(*waiting_)) waiting_->drop();
  }

  allocator_type get_allocator() const noexcept { return {}; }

  template <class... Values>
  void operator()(Values&&... values) {
    result_->emplace(std::forward<Values>(values)...);
    std::exchange(waiting_, nullptr)->resume();
  }

 private:
  CoroutineFrame* waiting_;
  std::optional<Result>* result_;  // in the frame of the coroutine
};

template <class Result, class Initiation, class... Args>
class [[nodiscard]] ValueAwaiter {
 public:
  template <class AnyInitiation, class... AnyArgs>
  explicit ValueAwaiter(std::in_place_t /*tag*/, AnyInitiation&& initiation, AnyArgs&&... args)
      : initiation_(std::forward<AnyInitiation>(initiation)), args_(std::forward<AnyArgs>(args)...) {}

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) {
    // From the frame, which another thread may destroy before this function returns.
    auto initiation = std::move(initiation_);
    auto args = std::move(args_);
    CoroutineFrame& frame = waiting.promise();
    const Beginning beginning(frame);
    std::apply([&](Args&... each) { std::move(initiation)(ValueHandler<Result>(frame, result_), std::move(each)...); },
               args);
  }
  Result await_resume() { return std::move(*result_); }

 private:
  Initiation initiation_;
  std::tuple<Args...> args_;
  std::optional<Result> result_;
};

}  // namespace detail
}  // namespace mcph

template <class... Values>
class boost::asio::async_result<mcph::AsValue, void(Values...)> {
 public:
  template <class Initiation, class... Args>
  static auto initiate(Initiation&& initiation, const mcph::AsValue& /*token*/, Args&&... args) {
    using Result = std::tuple<std::decay_t<Values>...>;
    return mcph::detail::ValueAwaiter<Result, std::decay_t<Initiation>, std::decay_t<Args>...>(
        std::in_place, std::forward<Initiation>(initiation), std::forward<Args>(args)...);
  }
};
