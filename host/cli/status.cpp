// How a running host and its plugins fare: once, or again each second for as long as somebody looks.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

#include "admin/control_sockets.hpp"
#include "base/json_text.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/operator_text.hpp"
#include "cli/running_host.hpp"
#include "cli/terminal.hpp"

namespace mcph {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int not_well = 1;
constexpr std::chrono::milliseconds between_looks{1000};

// How often each plugin has been called of late, from one status to the next.
class CallRates {
 public:
  // Adds "callsPerSecond" to the plugins that were there before.
  void add_to(OrderedJson& status, Clock::time_point now) {
    const std::chrono::duration<double> passed = now - taken_;
    std::map<std::string, std::uint64_t> counts;
    for (auto& plugin : status.at("plugins")) {
      const auto version = plugin.value("file", "") + '\0' + plugin.value("digest", "");
      const auto count = plugin.value("calls", std::uint64_t{0});
      const auto before = counts_.find(version);
      if (before != counts_.end() && count >= before->second && passed.count() > 0)
        plugin["callsPerSecond"] = static_cast<double>(count - before->second) / passed.count();
      counts.emplace(version, count);
    }
    counts_ = std::move(counts);
    taken_ = now;
  }

 private:
  std::map<std::string, std::uint64_t> counts_;
  Clock::time_point taken_ = {};
};

// The status of a host that may end, and be there again at another socket. Others that start meanwhile do not count.
class WatchedHost {
 public:
  explicit WatchedHost(const OperatorOptions& options) : options_(options) {}

  Result<OrderedJson> look() {
    auto status = ask();
    if (status.has_value()) return status;
    const auto found = socket_of(options_);
    if (found.has_error()) return found.error();
    return std::exchange(socket_, *found) == *found ? status : ask();
  }

 private:
  Result<OrderedJson> ask() {
    constexpr std::chrono::milliseconds patience{2000};
    if (socket_.empty()) return fail("it has not been looked for");
    auto answer = ask_host(socket_, {{"command", "status"}}, patience);
    if (answer.has_error()) return answer.error();
    rates_.add_to(answer->json, Clock::now());
    return std::move(answer->json);
  }

  const OperatorOptions options_;
  std::filesystem::path socket_;
  CallRates rates_;
};

const PluginOrder* order_named(std::string_view name) {
  const auto found = std::ranges::find(plugin_orders, name, &PluginOrder::name);
  return found == plugin_orders.end() ? nullptr : &*found;
}

const PluginOrder* order_of_key(char key) {
  const auto found = std::ranges::find(plugin_orders, key, &PluginOrder::key);
  return found == plugin_orders.end() ? nullptr : &*found;
}

std::string status_json(OrderedJson status, const PluginOrder* order) {
  if (order != nullptr) put_in_order(status, *order);
  return dump(status) + "\n";
}

std::string status_text(OrderedJson status, const PluginOrder* order, StatusView view) {
  std::ostringstream text;
  if (order != nullptr) put_in_order(status, *order);
  print_status(text, status, view);
  return text.str();
}

std::string waiting_text(const Error& error) {
  return "waiting for the host: " + error.message + "\n";
}

// The keys, and which of them has been chosen.
std::string keys_text(const PluginOrder* chosen, const Paint& paint) {
  std::string text = paint(Style::faint, "q ends; sort by ");
  for (const auto& order : plugin_orders) {
    const auto word = std::string(1, order.key) + " " + std::string(order.name);
    text += paint(&order == chosen ? Style::heading : Style::faint, word) + "  ";
  }
  return text;
}

int watch_on_screen(WatchedHost& host, const PluginOrder* order, const Paint& paint) {
  Screen screen;
  for (;;) {
    const auto status = host.look();
    const auto due = Clock::now() + between_looks;
    for (auto left = between_looks; left.count() > 0;
         left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now())) {
      screen.draw(status.has_value() ? status_text(*status, order, {paint, true})
                                     : paint(Style::warning, waiting_text(status.error())),
                  keys_text(order, paint));
      const auto [kind, key] = screen.wait(left);
      if (kind == Screen::Event::Kind::end || key == 'q') return 0;
      if (const auto* const chosen = order_of_key(key)) order = chosen;
    }
  }
}

// Where it is no terminal, one below the other.
int watch_in_lines(WatchedHost& host, const StatusCommand& command, const PluginOrder* order, const Paint& paint) {
  for (bool waits = false, is_first = true; std::cout; is_first = false) {
    const auto status = host.look();
    if (status.has_value()) {
      std::cout << (is_first || command.options.json ? "" : "\n")
                << (command.options.json ? status_json(*status, order) : status_text(*status, order, {paint, true}))
                << std::flush;
    } else if (!waits) {
      std::cerr << waiting_text(status.error());
    }
    waits = status.has_error();
    std::this_thread::sleep_for(between_looks);
  }
  return not_carried_out;
}

int watch(const StatusCommand& command, const PluginOrder* order, const Paint& paint) {
  // Of several hosts it must be said which one. None may come.
  if (command.options.control.empty() && control_sockets().size() > 1)
    return complain(socket_of(command.options).error().message);
  WatchedHost host(command.options);
  const bool has_screen = is_terminal(STDOUT_FILENO) && !command.options.json;
  return has_screen ? watch_on_screen(host, order, paint) : watch_in_lines(host, command, order, paint);
}

}  // namespace

int run(const StatusCommand& command) {
  const auto* const order = order_named(command.sort);
  const Paint paint(wants_color(command.color, STDOUT_FILENO));
  if (command.watch) return watch(command, order, paint);
  const auto socket = socket_of(command.options);
  if (socket.has_error()) return complain(socket.error().message);
  const auto answer = ask_host(*socket, {{"command", "status"}}, ask_patience);
  if (answer.has_error()) return complain(answer.error().message);
  std::cout << (command.options.json ? status_json(answer->json, order) : status_text(answer->json, order, {paint}));
  return answer->json.value("ok", false) ? 0 : not_well;
}

}  // namespace mcph
