#include "plugin/isolated/workers.hpp"

#include <exception>
#include <future>
#include <string>
#include <utility>

namespace mcph {

std::filesystem::path Workers::default_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "mcp-plugin-worker";
}

Result<std::shared_ptr<WorkerProcess>> Workers::spawn(const std::string& plugin, WorkerListener& listener) {
  try {
    return WorkerProcess::spawn(options_.program, plugin, contexts_(), runner_, listener);
  } catch (const std::exception& error) {
    return fail_for_now(std::string("no worker can be started: ") + error.what());
  }
}

Result<std::shared_ptr<WorkerProcess>> Workers::spawn_and_wait(const std::string& plugin, WorkerListener& listener) {
  const auto spawned = std::make_shared<std::promise<Result<std::shared_ptr<WorkerProcess>>>>();
  auto done = spawned->get_future();
  thread_.after({}, [this, spawned, &plugin, &listener] { spawned->set_value(spawn(plugin, listener)); });
  return done.get();
}

}  // namespace mcph
