// What the operator asks of the reloader, on its way from whoever passes it on to the control thread and back. Owned by
// the reloader. `ask` and `close` are for any thread, the others for the control thread.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace mcph {

struct OperatorRequest {
  enum class Kind { reload, disable, enable };
  Kind kind = Kind::reload;
  std::string plugin;  // its name, or its file; empty: all
};

// What became of one plugin.
struct OperatorOutcome {
  std::filesystem::path file;
  bool good = true;
  std::string text;  // "serving clock 1.0.0 (0123456789abcdef)"
};

class OperatorRequests {
 public:
  using Answer = Result<std::vector<OperatorOutcome>>;

  struct Pending {
    OperatorRequest request;
    std::optional<Answer> answer = {};  // guarded by the mutex
  };

  // Hands it over, calls `wake`, and waits for the answer; that the host is stopping if there will be none.
  template <class Wake>
  Answer ask(OperatorRequest request, Wake&& wake) {
    auto pending = std::make_shared<Pending>(Pending{std::move(request)});
    {
      const std::lock_guard lock(mutex_);
      if (!closed_) waiting_.push_back(pending);
    }
    wake();
    return wait_for(*pending);
  }

  std::vector<std::shared_ptr<Pending>> take();
  void answer(Pending& pending, Answer answer);

  // From now on nobody is answered any more, and nobody waits.
  void close();

 private:
  Answer wait_for(const Pending& pending);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Pending>> waiting_;
  bool closed_ = false;
};

}  // namespace mcph
