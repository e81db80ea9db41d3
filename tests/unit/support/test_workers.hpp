// Workers as the host has them, and where a test's plugins are to run: the same tests run with plugins in this process
// and in workers, as MCP_TEST_ISOLATION says.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "plugin/isolated/workers.hpp"
#include "runtime/event_loops.hpp"
#include "sources/folder/plugin_configuration.hpp"

namespace mcph::test {

inline Isolation isolation_under_test() {
  const char* const wanted = std::getenv("MCP_TEST_ISOLATION");
  return wanted != nullptr && wanted == std::string_view("worker") ? Isolation::worker : Isolation::in_process;
}

struct TestWorkers {
  EventLoops threads{2, 4};
  Workers workers{{.program = MCP_TEST_WORKER, .answer_time = std::chrono::seconds(60)},
                  [this]() -> boost::asio::io_context& { return threads.next_context(); },
                  threads};
};

}  // namespace mcph::test
