// The log of a command that a person runs: inspect, list and call. What plugins print goes to stderr whatever the log's
// level is, because there it is part of the answer, often the part that says what is wrong. Owned by the command; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "cli/options.hpp"
#include "plugin/plugin.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {

// What the log of a command leaves out.
struct LeftUnsaid {
  bool refusals = false;   // which plugins were refused, and why: the command itself says so
  bool conflicts = false;  // which components are hidden by others: likewise
  bool others = false;     // what plugins that the command is not about say below an error
};

class CommandLog final : public Log {
 public:
  explicit CommandLog(const HostOptions& options, LeftUnsaid unsaid = {});
  // Without be_about what has been kept is written now: it may say why.
  ~CommandLog() override;

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override { return log_.writes(level); }
  // The command is about this plugin alone, which is known once plugins are loaded. What they have said until then has
  // been kept.
  void be_about(const PluginIdentity& plugin);

 private:
  struct Said {
    Level level;
    Field plugin;
    Field text;
  };
  bool is_of_another(Level level, Fields fields);
  std::vector<Said> take_kept();

  const StderrLog::Format format_;
  const LeftUnsaid unsaid_;
  StderrLog log_;
  StderrLog output_;   // of what plugins print, where programs read it
  StderrLog crashes_;  // without what is next, because the command ends then

  Mutex mutex_;
  std::vector<std::string> about_ GUARDED_BY(mutex_);  // its name and its file; empty: not known yet
  std::vector<Said> kept_ GUARDED_BY(mutex_);
};

}  // namespace mcph
