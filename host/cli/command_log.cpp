#include "cli/command_log.hpp"

#include <filesystem>
#include <iostream>
#include <string>
#include <unistd.h>

#include "cli/terminal.hpp"
#include "cli/terminal_text.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {

CommandLog::CommandLog(const HostOptions& options, bool tells_refusals)
    : format_(options.log_format),
      tells_refusals_(tells_refusals),
      log_(options.log_level, options.log_format),
      output_(Level::debug, options.log_format),
      crashes_(options.log_level, options.log_format, "next") {}

void CommandLog::write(Level level, std::string_view event, Fields fields) {
  if (event == plugin_refused && tells_refusals_) return;
  if (event == plugin_crashed || event == plugin_refused) return crashes_.write(level, event, fields);
  if (event != plugin_output) return log_.write(level, event, fields);
  if (format_ == StderrLog::Format::json) return output_.write(level, event, fields);
  std::string line;
  for (const auto& field : fields) {
    if (field.name == "plugin") line.insert(0, field.value + ": ");
    if (field.name == "file") line.insert(0, std::filesystem::path(field.value).filename().string() + ": ");
    if (field.name == "text") line += field.value;
  }
  // At once, because others write there, too, and over a line of progress.
  std::cerr << (is_terminal(STDERR_FILENO) ? "\r\x1b[K" : "") + printable(std::move(line)) + "\n";
}

}  // namespace mcph
