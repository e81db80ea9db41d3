#include "plugin/isolated/workers.hpp"

#include <exception>
#include <string>
#include <utility>

#include "base/own_prefix.hpp"
#include "base/sanitizer.hpp"

namespace mcph {

Workers::Workers(Options options, Contexts contexts, Executor& executor)
    : options_(std::move(options)),
      contexts_(std::move(contexts)),
      executor_(executor),
      symbolizer_(options_.symbolizer) {
  // The sanitizers keep their own account of threads and memory, which a process that is forked without them has wrong.
  if (!options_.fork_server || is_sanitized) return;
  fork_server_.emplace(options_.program);
  thread_.after({}, [this] { fork_server_->begin(); });
}

std::filesystem::path Workers::default_program() {
  return own_helper("mcp-plugin-worker");
}

Result<std::shared_ptr<WorkerChannel>> Workers::open(const std::string& plugin, WorkerListener& listener,
                                                     ForkServer* server) {
  try {
    return WorkerChannel::open({options_.program, plugin, options_.shared_memory, server}, contexts_(), executor_,
                               listener);
  } catch (const std::exception& error) {
    return fail_for_now(std::string("no worker can be started: ") + error.what());
  }
}

Result<std::shared_ptr<WorkerChannel>> Workers::open_anew(const std::string& plugin, WorkerListener& listener) {
  return open(plugin, listener, nullptr);
}

Result<std::shared_ptr<WorkerChannel>> Workers::open_and_wait(const std::string& plugin, WorkerListener& listener,
                                                              bool may_be_forked) {
  return run_and_wait([&] { return open(plugin, listener, may_be_forked && fork_server_ ? &*fork_server_ : nullptr); });
}

}  // namespace mcph
