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

Result<std::shared_ptr<WorkerChannel>> Workers::open(const std::string& plugin, WorkerListener& listener) {
  try {
    return WorkerChannel::open({options_.program, plugin, options_.shared_memory}, contexts_(), executor_, listener);
  } catch (const std::exception& error) {
    return fail_for_now(std::string("no worker can be started: ") + error.what());
  }
}

Result<std::shared_ptr<WorkerChannel>> Workers::open_and_wait(const std::string& plugin, WorkerListener& listener) {
  const auto opened = std::make_shared<std::promise<Result<std::shared_ptr<WorkerChannel>>>>();
  auto done = opened->get_future();
  thread_.after({}, [this, opened, &plugin, &listener] { opened->set_value(open(plugin, listener)); });
  return done.get();
}

}  // namespace mcph
