// Checks plugins: whether they keep what the contract and their own descriptions promise.
#include "check/check.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "app/host.hpp"
#include "cli/check_report.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/own_output.hpp"
#include "cli/progress_line.hpp"
#include "cli/terminal.hpp"
#include "stores/file_stores.hpp"

namespace mcph {
namespace {

// For the data of plugins that are only checked; gone with this object.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code error;
    auto name = (std::filesystem::temp_directory_path(error) / "mcp-plugin-check-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) return fail("no temporary folder can be made; set TMPDIR to one");
    return TemporaryFolder(name);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

// Takes the folder away also where a signal ends this process. Has a thread.
class EndBySignal {
 public:
  explicit EndBySignal(const std::filesystem::path& folder) : signals_(context_, SIGINT, SIGTERM) {
    if (heeds_hang_up()) signals_.add(SIGHUP);
    signals_.async_wait([folder](const boost::system::error_code& error, int signal) {
      if (error) return;
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
      std::_Exit(128 + signal);
    });
    thread_ = std::thread([this] { context_.run(); });
  }
  ~EndBySignal() {
    context_.stop();
    thread_.join();
  }
  EndBySignal(const EndBySignal&) = delete;
  EndBySignal& operator=(const EndBySignal&) = delete;

 private:
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  std::thread thread_;
};

// What is wrong with the names of checks; empty: nothing.
std::string mistake_in_names(const CheckOptions& options) {
  std::set<std::string> known;
  std::string all;
  for (const auto& check : check_descriptions()) {
    known.emplace(check.name);
    all += (all.empty() ? "" : ", ") + std::string(check.name);
  }
  for (const auto* const names : {&options.only, &options.skip}) {
    for (const auto& name : *names)
      if (!known.contains(name)) return "\"" + name + "\" is not a check; there are " + all;
  }
  return {};
}

int list_checks() {
  for (const auto& check : check_descriptions())
    own_output() << check.name << ": " << check.meaning << "\n";
  return 0;
}

void print(const CheckedFile& checked, CheckCommand::Format format) {
  if (format == CheckCommand::Format::text) print_text(own_output(), checked);
  if (format == CheckCommand::Format::json) print_json(own_output(), checked);
  own_output().flush();
}

}  // namespace

int run(const CheckCommand& command) {
  if (command.list) return list_checks();
  if (command.files.empty()) return complain("name a plugin's file, or say --list");
  if (const auto mistake = mistake_in_names(command.options); !mistake.empty()) return complain(mistake);
  for (const auto& file : command.files) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return complain(file.string() + " is not there");
    if (is_upstream_name(file))
      return complain(file.string() + " says where another server is, and is no plugin that could be checked; " +
                      "mcp-plugin-host inspect says what it serves");
  }
  auto made = TemporaryFolder::make();
  if (made.has_error()) return complain(made.error().message);
  std::optional<TemporaryFolder> data(*std::move(made));
  RecordedLog log;
  // Before there are threads, and so before the host, which has stores of its own.
  FileStores stores(data->path() / ".stores", log);
  std::vector<UnloadProbe> probes;
  for (std::size_t i = 0; i < command.files.size(); ++i) {
    auto probe = UnloadProbe::fork(stores);
    if (probe.has_error()) return complain(probe.error().message);
    probes.push_back(*std::move(probe));
  }
  const EndBySignal end_by_signal(data->path());
  auto checks = command.options;
  checks.data = data->path();
  auto options = command.config.host;
  options.data_root = data->path();
  options.log_level = Log::Level::off;
  keep_output_from_plugins();
  auto host = Host::create(options, log);
  if (host.has_error()) return complain(host.error().message);
  std::vector<CheckedFile> all;
  ProgressLine progress;
  for (std::size_t i = 0; i < command.files.size(); ++i) {
    checks.begins = [&progress, name = command.files[i].filename().string()](std::string_view check, std::size_t done,
                                                                             std::size_t count) {
      progress.show(
          progress_text(static_cast<double>(done), static_cast<double>(count), name + ": " + std::string(check)));
    };
    all.push_back(
        {command.files[i], check_plugin(command.files[i], (*host)->loader(), log, std::move(probes[i]), checks)});
    progress.clear();
    print(all.back(), command.format);
  }
  if (command.format == CheckCommand::Format::junit) print_junit(own_output(), all);
  const bool failed = std::ranges::any_of(all, has_failed);
  data.reset();  // finish may leave the process
  return (*host)->finish(failed ? 1 : 0);
}

}  // namespace mcph
