#include "cli/command_log.hpp"

#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>

#include "cli/terminal.hpp"
#include "cli/terminal_text.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

constexpr std::string_view plugin_says = "plugin says";

}  // namespace

CommandLog::CommandLog(const HostOptions& options, LeftUnsaid unsaid)
    : format_(options.log_format),
      unsaid_(unsaid),
      log_(options.log_level, options.log_format),
      output_(Level::debug, options.log_format),
      crashes_(options.log_level, options.log_format, "next") {}

CommandLog::~CommandLog() {
  for (const auto& [level, plugin, text] : take_kept())
    log_.write(level, plugin_says, {plugin, text});
}

void CommandLog::be_about(const PluginIdentity& plugin) {
  {
    const MutexLock lock(mutex_);
    about_ = {plugin.name, plugin.file.string()};
  }
  for (const auto& [level, who, text] : take_kept())
    write(level, plugin_says, {who, text});
}

// What is said before it is known whom the command is about is kept.
bool CommandLog::is_of_another(Level level, Fields fields) {
  const auto& who = *fields.begin();
  const MutexLock lock(mutex_);
  if (!about_.empty()) return who.value != about_.front() && who.value != about_.back();
  if (writes(level)) kept_.push_back({level, who, *std::prev(fields.end())});
  return true;
}

std::vector<CommandLog::Said> CommandLog::take_kept() {
  const MutexLock lock(mutex_);
  return std::exchange(kept_, {});
}

void CommandLog::write(Level level, std::string_view event, Fields fields) {
  if (event == plugin_refused && unsaid_.refusals) return;
  if (event == "component hidden" && unsaid_.conflicts) return;
  if (event == plugin_says && unsaid_.others && level < Level::error && is_of_another(level, fields)) return;
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
