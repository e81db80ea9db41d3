// Takes standard input and output away from everything but the transport: whatever a plugin prints goes to the log,
// line by line, and whatever it reads is at its end. Owned by the commands that serve, and made before any plugin is
// loaded; its own thread copies the output until it is destroyed.
#pragma once

#include <memory>
#include <thread>

#include "base/result.hpp"
#include "runtime/self_pipe.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class StandardStreams {
 public:
  static Result<StandardStreams> take(Log& log);
  ~StandardStreams();
  StandardStreams(StandardStreams&& other) noexcept;
  StandardStreams& operator=(StandardStreams&&) = delete;

  // The real ones, owned by this object.
  int input() const { return input_; }
  int output() const { return output_; }

 private:
  StandardStreams(int input, int output, std::unique_ptr<SelfPipe> wake, std::thread copier);

  int input_;
  int output_;
  std::unique_ptr<SelfPipe> wake_;  // ends the copier
  std::thread copier_;
};

}  // namespace mcph
