// The commands that ask a running host: status, reload, disable and enable.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>

#include "admin/control_sockets.hpp"
#include "admin/line_socket.hpp"
#include "base/absolute_path.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/operator_text.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr int not_well = 1;
constexpr std::size_t max_answer_bytes = std::size_t{64} << 20;
constexpr std::chrono::seconds ask_patience{10};
// Plugins that are slow to start take ten seconds each.
constexpr std::chrono::minutes work_patience{10};

struct HostAnswer {
  std::string text;
  OrderedJson json;
};

// A host that has been asked.
Result<LineSocket> begin(const fs::path& socket, const OrderedJson& request) {
  auto host = LineSocket::connect(socket);
  if (host.has_error()) return host.error();
  if (!host->peer_may_command()) return fail("who listens at " + socket.string() + " is another user");
  if (const auto asked = host->write_line(dump(request), ask_patience); asked.has_error())
    return fail("the host at " + socket.string() + " does not answer: " + asked.error().message);
  return host;
}

Result<HostAnswer> ask(const fs::path& socket, const OrderedJson& request, std::chrono::milliseconds patience) {
  auto host = begin(socket, request);
  if (host.has_error()) return host.error();
  const auto failed = [&socket](const Error& error) {
    return fail("the host at " + socket.string() + " does not answer: " + error.message);
  };
  auto line = host->read_line(max_answer_bytes, patience);
  if (line.has_error()) return failed(line.error());
  if (!*line) return failed(fail("it closed the connection"));
  auto json = parse_ordered_json(**line);
  if (json.has_error() || !json->is_object()) return failed(fail("what it says is no JSON object"));
  if (const auto error = json->find("error"); error != json->end()) return fail(error->get<std::string>());
  return HostAnswer{**std::move(line), *std::move(json)};
}

Error several(const std::vector<fs::path>& sockets) {
  std::ostringstream text;
  text << "several hosts are running; say which one:";
  for (const auto& socket : sockets) {
    text << "\n  --control " << socket.string() << "  (";
    const auto answer = ask(socket, {{"command", "status"}}, ask_patience);
    if (answer.has_error()) {
      text << answer.error().message;
    } else {
      print_host(text, answer->json.at("host"));
    }
    text << ")";
  }
  return fail(text.str());
}

Result<fs::path> socket_of(const OperatorOptions& options) {
  if (!options.control.empty()) return fs::path(options.control);
  const auto sockets = control_sockets();
  if (sockets.size() == 1) return sockets.front();
  if (sockets.size() > 1) return several(sockets);
  return fail("no host of this user is running; one that listens elsewhere is named with --control PATH");
}

// Prints what the host answers to `request`.
template <class Print>
int run(const OperatorOptions& options, const OrderedJson& request, std::chrono::milliseconds patience, Print print) {
  const auto socket = socket_of(options);
  if (socket.has_error()) return complain(socket.error().message);
  const auto answer = ask(*socket, request, patience);
  if (answer.has_error()) return complain(answer.error().message);
  if (options.json) {
    std::cout << answer->text << "\n";
  } else {
    print(std::cout, answer->json);
  }
  return answer->json.value("ok", false) ? 0 : not_well;
}

// A path means the same to a host that runs in another folder.
std::string as_the_host_knows_it(const std::string& plugin) {
  std::error_code error;
  const bool is_path = plugin.find('/') != std::string::npos && fs::exists(plugin, error);
  return is_path ? absolute_path(plugin).lexically_normal().string() : plugin;
}

}  // namespace

int run(const StatusCommand& command) {
  return run(command.options, {{"command", "status"}}, ask_patience, print_status);
}

int run(const TraceCommand& command) {
  const auto socket = socket_of(command.options);
  if (socket.has_error()) return complain(socket.error().message);
  OrderedJson request{{"command", "trace"}};
  if (!command.plugin.empty()) request["plugin"] = command.plugin;
  if (!command.component.empty()) request["component"] = command.component;
  auto host = begin(*socket, request);
  if (host.has_error()) return complain(host.error().message);
  // The first line says whether there will be others, which come when there is something to say.
  constexpr std::chrono::hours forever{24 * 365};
  for (std::size_t count = 0; command.count == 0 || count <= command.count; ++count) {
    auto line = host->read_line(max_answer_bytes, count == 0 ? std::chrono::milliseconds(ask_patience) : forever);
    if (line.has_error()) return complain("the host at " + socket->string() + ": " + line.error().message);
    // The host has ended, and may have said so.
    if (!*line || (*line)->starts_with(R"({"ok":)")) return 0;
    if (count > 0) {
      std::cout << **line << std::endl;  // NOLINT(performance-avoid-endl): somebody looks at it
      continue;
    }
    const auto json = parse_ordered_json(**line);
    if (json.has_value() && json->is_object() && json->contains("error")) return complain(json->value("error", ""));
    std::cerr << "Tracing the host at " << socket->string() << "; Ctrl-C ends it\n";
    if (json.has_value() && json->contains("remark")) std::cerr << "but " << json->value("remark", "") << "\n";
  }
  return 0;
}

int run(const OperateCommand& command) {
  OrderedJson request{{"command", command.command}};
  if (!command.plugin.empty()) request["plugin"] = as_the_host_knows_it(command.plugin);
  if (!command.component.empty()) request["component"] = command.component;
  return run(command.options, request, work_patience, print_outcomes);
}

}  // namespace mcph
