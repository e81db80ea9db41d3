#include "cli/running_host.hpp"

#include <sstream>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "admin/control_sockets.hpp"
#include "base/absolute_path.hpp"
#include "base/json_text.hpp"
#include "cli/operator_text.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

Error several(const std::vector<fs::path>& sockets) {
  std::ostringstream text;
  text << "several hosts are running; say which one:";
  for (const auto& socket : sockets) {
    text << "\n  --control " << socket.string() << "  (";
    const auto answer = ask_host(socket, {{"command", "status"}}, ask_patience);
    if (answer.has_error()) {
      text << answer.error().message;
    } else {
      print_host(text, answer->json.at("host"));
    }
    text << ")";
  }
  return fail(text.str());
}

}  // namespace

Result<LineSocket> begin_asking(const std::filesystem::path& socket, const OrderedJson& request) {
  auto host = LineSocket::connect(socket);
  if (host.has_error()) return host.error();
  // Root may ask everybody's.
  if (::geteuid() != 0 && !host->peer_may_command())
    return fail("who listens at " + socket.string() + " is another user");
  if (const auto asked = host->write_line(dump(request), ask_patience); asked.has_error())
    return fail("the host at " + socket.string() + " does not answer: " + asked.error().message);
  return host;
}

Result<HostAnswer> ask_host(const std::filesystem::path& socket, const OrderedJson& request,
                            std::chrono::milliseconds patience) {
  auto host = begin_asking(socket, request);
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

Result<std::filesystem::path> socket_of(const OperatorOptions& options) {
  if (!options.control.empty()) return fs::path(options.control);
  const auto sockets = control_sockets();
  if (sockets.size() == 1) return sockets.front();
  if (sockets.size() > 1) return several(sockets);
  return fail("no host of this user is running; one that listens elsewhere is named with --control PATH");
}

std::string as_the_host_knows_it(const std::string& plugin) {
  std::error_code error;
  const bool is_path = plugin.find('/') != std::string::npos && fs::exists(plugin, error);
  return is_path ? absolute_path(plugin).lexically_normal().string() : plugin;
}

Result<ToldLines> ToldLines::begin(const OperatorOptions& options, const OrderedJson& request) {
  auto socket = socket_of(options);
  if (socket.has_error()) return socket.error();
  auto host = begin_asking(*socket, request);
  if (host.has_error()) return host.error();
  // The first line says whether there will be others.
  const auto line = host->read_line(max_answer_bytes, ask_patience);
  if (line.has_error()) return fail("the host at " + socket->string() + ": " + line.error().message);
  const auto json = parse_ordered_json(line->value_or(""));
  if (json.has_error() || !json->is_object()) return fail("the host at " + socket->string() + " does not answer");
  if (json->contains("error")) return fail(json->value("error", ""));
  return ToldLines(*std::move(socket), *std::move(host), json->value("remark", ""));
}

Result<std::optional<std::string>> ToldLines::next() {
  constexpr std::chrono::hours forever{24 * 365};
  auto line = host_.read_line(max_answer_bytes, forever);
  if (line.has_error()) return fail("the host at " + path_.string() + ": " + line.error().message);
  if (!*line || (*line)->starts_with(R"({"ok":)")) return std::optional<std::string>();
  return line;
}

}  // namespace mcph
