// The commands by which a running host does something, and the one that shows its calls.
#include <chrono>
#include <iostream>
#include <string>

#include "base/json_text.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/operator_text.hpp"
#include "cli/running_host.hpp"

namespace mcph {
namespace {

constexpr int not_done = 1;

}  // namespace

int run(const DashboardCommand& command) {
  const auto socket = socket_of(command.options);
  if (socket.has_error()) return complain(socket.error().message);
  const auto answer = ask_host(*socket, {{"command", "dashboard"}}, ask_patience);
  if (answer.has_error()) return complain(answer.error().message);
  if (command.options.json) {
    std::cout << answer->text << "\n";
  } else {
    std::cout << answer->json.value("url", "") << "\n";
  }
  return 0;
}

int run(const TraceCommand& command) {
  OrderedJson request{{"command", "trace"}};
  if (!command.plugin.empty()) request["plugin"] = as_the_host_knows_it(command.plugin);
  if (!command.component.empty()) request["component"] = command.component;
  auto lines = ToldLines::begin(command.options, request);
  if (lines.has_error()) return complain(lines.error().message);
  std::cerr << "Tracing the host at " << lines->socket().string() << "; Ctrl-C ends it\n";
  if (!lines->remark().empty()) std::cerr << "but " << lines->remark() << "\n";
  for (std::size_t count = 0; std::cout && (command.count == 0 || count < command.count); ++count) {
    const auto line = lines->next();
    if (line.has_error()) return complain(line.error().message);
    if (!*line) return 0;
    std::cout << with_escaped_controls(**line) << std::endl;  // NOLINT(performance-avoid-endl): somebody looks at it
  }
  return 0;
}

int run(const OperateCommand& command) {
  // Plugins that are slow to start take ten seconds each.
  constexpr std::chrono::minutes work_patience{10};
  OrderedJson request{{"command", command.command}};
  if (!command.plugin.empty()) request["plugin"] = as_the_host_knows_it(command.plugin);
  if (!command.component.empty()) request["component"] = command.component;
  const auto socket = socket_of(command.options);
  if (socket.has_error()) return complain(socket.error().message);
  const auto answer = ask_host(*socket, request, work_patience);
  if (answer.has_error()) return complain(answer.error().message);
  if (command.options.json) {
    std::cout << answer->text << "\n";
  } else {
    print_outcomes(std::cout, answer->json);
  }
  return answer->json.value("ok", false) ? 0 : not_done;
}

}  // namespace mcph
