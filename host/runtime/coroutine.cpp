#include "runtime/coroutine.hpp"

namespace mcph {

FirstCoroutine first_coroutine(Coroutine<> coroutine, std::shared_ptr<void> owner,
                               std::function<void(const std::exception_ptr& failed)> end) {
  std::exception_ptr failed;
  try {
    // Goes before its owner.
    auto running = std::move(coroutine);
    co_await std::move(running);
  } catch (...) {
    failed = std::current_exception();
  }
  if (end) end(failed);
  owner = nullptr;
}

}  // namespace mcph
