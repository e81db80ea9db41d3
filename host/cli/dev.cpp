// Serves the plugins of a project while its author works on it: builds when the sources change, and shows in one
// terminal what the compiler says, what the plugins print, and what each call was given and answered.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/absolute_path.hpp"
#include "base/own_prefix.hpp"
#include "cli/child_process.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/source_watch.hpp"
#include "cli/terminal.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto not_built =
    "the last build has failed, and each plugin is served as it was built before; dev says why, on its standard error";

// How a project is built, and where its plugins are then.
struct Project {
  fs::path folder;
  fs::path components;
  fs::path build = {};                          // of what is made; empty: unknown
  std::vector<std::string> configuration = {};  // a command that must have succeeded before; empty: there is none
  std::vector<std::string> command = {};
};

Project cmake_project(const fs::path& folder) {
  const auto build = folder / "build" / "dev";
  const auto components = build / "mcp_components";
  return {
      .folder = folder,
      .components = components,
      .build = build,
      .configuration = {"cmake", "-S", folder.string(), "-B", build.string(), "-DCMAKE_BUILD_TYPE=Debug",
                        "-DCMAKE_PREFIX_PATH=" + own_prefix().string(), "-DMCP_COMPONENTS_DIR=" + components.string()},
      .command = {"cmake", "--build", build.string(), "--parallel"}};
}

Result<Project> find_project(const DevCommand& command) {
  std::error_code error;
  const auto folder = fs::weakly_canonical(command.directory, error);
  if (!fs::is_directory(folder, error)) return fail("there is no folder " + folder.string());
  if (!command.build.empty()) {
    return Project{.folder = folder,
                   .components = absolute_path(command.config.host.components),
                   .command = {"/bin/sh", "-c", command.build}};
  }
  // Not from the components folder that a variable of the environment may name for other hosts.
  if (fs::exists(folder / "CMakeLists.txt", error)) return cmake_project(folder);
  return fail(folder.string() +
              " has no CMakeLists.txt. Give the command that builds it, and where its plugins are then: "
              "--build 'make' --components DIR");
}

// Builds once, and then each time when something has changed, on a thread of its own.
class Builder {
 public:
  // The log and `failed`, whether the last build has, outlive it. `output` is where the compiler's words go.
  Builder(Project project, int output, Log& log, std::atomic<bool>& failed)
      : project_(std::move(project)),
        output_(output),
        log_(log),
        failed_(failed),
        sources_(project_.folder, {project_.components, project_.build}),
        thread_([this] { run(); }) {}
  ~Builder() {
    stopping_.store(true);
    thread_.join();
  }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

 private:
  void run() {
    build("at first");
    build_until_nothing_changes();
    while (!stopping_.load()) {
      auto changed = look();
      if (changed.empty()) continue;
      // Editors write a file in several steps, and some write several.
      for (auto more = look(); !more.empty() && !stopping_.load(); more = look())
        changed.insert(changed.end(), more.begin(), more.end());
      build(name_of(changed.front()));
      build_until_nothing_changes();
    }
  }

  // What has changed, after a while. Looking takes a twentieth of the time, however many files there are.
  std::vector<fs::path> look() {
    constexpr std::chrono::milliseconds step{50};
    constexpr int share = 20;
    const auto due = Clock::now() + look_took_ * (share - 1);
    do
      std::this_thread::sleep_for(step);
    while (Clock::now() < due && !stopping_.load());
    const auto begin = Clock::now();
    auto changed = sources_.changes();
    look_took_ = Clock::now() - begin;
    return changed;
  }

  std::string name_of(const fs::path& file) const { return file.lexically_relative(project_.folder).string(); }

  void build(const std::string& because) {
    log_.info("building", {{"because", because}});
    const auto begin = Clock::now();
    if (!is_configured_) is_configured_ = project_.configuration.empty() || carry_out(project_.configuration);
    const bool is_built = is_configured_ && carry_out(project_.command);
    if (stopping_.load()) return;
    failed_.store(!is_built);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
    if (is_built) return log_.info("built", {{"ms", took}});
    log_.error("not built", {{"ms", took},
                             {"serving", "each plugin as it was built last, if it ever was"},
                             {"next", "it is built when it changes"}});
  }

  bool carry_out(const std::vector<std::string>& command) {
    auto child = ChildProcess::start(command, project_.folder, output_);
    if (child.has_error()) {
      log_.error("command not run", {{"reason", child.error().message}});
      return false;
    }
    // Somebody who looks at it is told that it goes on: not every compiler says so.
    constexpr std::chrono::seconds between_words{10};
    const auto begin = Clock::now();
    for (auto told = begin; !stopping_.load();) {
      if (const auto status = child->status()) return *status == 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (!is_terminal(output_) || Clock::now() - told < between_words) continue;
      told = Clock::now();
      log_.info("still building", {{"s", std::chrono::duration_cast<std::chrono::seconds>(told - begin).count()}});
    }
    return false;
  }

  // What has changed meanwhile may be what it has built from. A build that writes beside the sources would so be the
  // reason for the next one, for ever; also one that gives its files new names.
  void build_until_nothing_changes() {
    constexpr int max_builds = 3;
    std::set<fs::path> each_time;
    for (int round = 0; !stopping_.load(); ++round) {
      const auto changed = sources_.changes();
      if (changed.empty()) return;
      if (round == 0) each_time.insert(changed.begin(), changed.end());
      std::erase_if(each_time, [&](const fs::path& file) { return std::ranges::find(changed, file) == changed.end(); });
      if (round >= max_builds) {
        leave_out(each_time);
        if (each_time.size() == changed.size()) return;
        if (each_time.empty() && round >= 2 * max_builds) return tell_of_endless(changed.front());
      }
      build(name_of(changed.front()));
    }
  }

  void tell_of_endless(const fs::path& file) {
    log_.warning("sources change with each build",
                 {{"file", name_of(file)}, {"next", "it is built when they change again"}});
  }

  void leave_out(const std::set<fs::path>& files) {
    for (const auto& file : files) {
      sources_.leave_out(file);
      log_.warning("file not watched", {{"file", name_of(file)}, {"reason", "each build changes it"}});
    }
  }

  const Project project_;
  const int output_;
  Log& log_;
  std::atomic<bool>& failed_;
  SourceWatch sources_;
  Clock::duration look_took_{0};
  bool is_configured_ = false;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// The official one, which npx fetches.
Result<std::optional<ChildProcess>> start_inspector(const DevCommand& command, int output) {
  if (!command.inspector) return std::optional<ChildProcess>();
  const auto& listen = command.config.http.listen;
  if (listen.port == 0 || !listen.is_loopback())
    return fail("--inspector needs to know where: give --listen a loopback address with a port");
  const auto url = (command.config.tls.is_on() ? "https://" : "http://") + listen.authority() + "/mcp";
  auto child = ChildProcess::start(
      {"npx", "--yes", "@modelcontextprotocol/inspector", "--transport", "http", "--server-url", url},
      command.directory, output);
  if (child.has_error()) return child.error();
  return std::optional(*std::move(child));
}

}  // namespace

int run(const DevCommand& command) {
  auto project = find_project(command);
  if (project.has_error()) return complain(project.error().message);
  std::error_code error;
  fs::create_directories(project->components, error);
  if (error) return complain("cannot make " + project->components.string() + ": " + error.message());
  const auto components = project->components;
  auto source = command.source.with({"plugins.components", components.string(), "--components"});
  // What a plugin writes while its author tries it out is not for the hosts that serve it in earnest.
  if (!project->build.empty()) source = source.with_default_data(project->build / "data");
  auto config = source.load();
  if (config.has_error()) return complain(config.error().message);
  StderrLog log(config->host.log_level, config->host.log_format, {}, StderrLog::while_serving);
  auto inspector = start_inspector(command, STDERR_FILENO);
  if (inspector.has_error()) return complain(inspector.error().message);
  std::atomic<bool> failed = false;
  std::optional<Builder> builder(std::in_place, *std::move(project), STDERR_FILENO, log, failed);
  return run(ServeCommand{.config = *std::move(config),
                          .source = source,
                          .when_stopping =
                              [&] {
                                builder.reset();
                                inspector->reset();
                              },
                          .problem = [&failed] { return std::string(failed.load() ? not_built : ""); }});
}

}  // namespace mcph
