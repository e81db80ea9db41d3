// The log of a running host, for who is not where its standard error goes: its last lines, and those that follow.
#include <iostream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "base/json_text.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/running_host.hpp"
#include "cli/terminal.hpp"
#include "cli/terminal_text.hpp"
#include "telemetry/log_text.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

Style style_of(std::string_view level) {
  if (level == "error") return Style::bad;
  if (level == "warning") return Style::warning;
  return level == "info" ? Style::plain : Style::faint;
}

std::string value_words(const OrderedJson& value) {
  if (!value.is_string()) return dump(value);
  const auto& text = value.get_ref<const std::string&>();
  return StderrLog::needs_quotes(text) ? dump(value) : text;
}

// As the host writes it to its standard error at --log-format text.
std::string log_line(const std::string& line, const Paint& paint) {
  constexpr std::size_t level_width = 7;
  const auto json = parse_ordered_json(line);
  if (json.has_error() || !json->is_object()) return printable(line);
  const auto level = json->value("level", "warning");  // of the lines that have been missed
  auto text = json->value("event", "");
  for (const auto& [name, value] : json->items()) {
    if (name != "time" && name != "level" && name != "event") text += " " + name + "=" + value_words(value);
  }
  const auto time = json->value("time", "");
  return paint(Style::faint, printable(time)) + (time.empty() ? "" : " ") +
         paint(style_of(level), padded(level, level_width) + " " + printable(text));
}

}  // namespace

int run(const LogCommand& command) {
  const OrderedJson request{{"command", "log"},
                            {"plugin", as_the_host_knows_it(command.plugin)},
                            {"level", command.level},
                            {"last", command.last},
                            {"follow", command.follows}};
  auto lines = ToldLines::begin(command.options, request);
  if (lines.has_error()) return complain(lines.error().message);
  const bool is_known = lines->remark().empty();
  if (!is_known) std::cerr << "mcp-plugin-host: " << lines->remark() << "\n";
  const Paint paint(wants_color(command.color, STDOUT_FILENO));
  for (std::size_t count = 0; std::cout && (command.count == 0 || count < command.count); ++count) {
    const auto line = lines->next();
    if (line.has_error()) return complain(line.error().message);
    if (!*line) return is_known || count > 0 ? 0 : not_carried_out;
    std::cout << (command.options.json ? with_escaped_controls(**line) : log_line(**line, paint))
              << std::endl;  // NOLINT(performance-avoid-endl): somebody looks at it
  }
  return 0;
}

}  // namespace mcph
