#include "check/unload_probe.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "base/sanitizer.hpp"
#include "check/asked_call.hpp"
#include "check/recorded_log.hpp"
#include "plugin/in_process/in_process_plugin.hpp"
#include "plugin/library/bundle.hpp"

namespace mcph {
namespace {

// In which what ends with stop may be seen to have ended.
constexpr std::chrono::milliseconds end_time{200};
constexpr std::chrono::milliseconds look_interval{10};
// For what the child does beside waiting for the plugin.
constexpr std::chrono::milliseconds child_time{2000};

// Runs the plugin's code where it is called, so that all threads but one are the plugin's.
class CallersThread final : public Executor {
 public:
  void run(std::function<void()> task) override { task(); }
};

std::size_t entries_in(const char* folder) {
  std::error_code error;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    ++count;
  return count;
}

std::size_t own_threads() {
  return entries_in("/proc/self/task");
}

std::size_t own_descriptors() {
  return entries_in("/proc/self/fd");
}

bool is_mapped(const std::filesystem::path& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(library.string()) != std::string::npos) return true;
  }
  return false;
}

// What the child does, one line of its report after the other.
class ProbeChild {
 public:
  ProbeChild(int socket, PluginStores& stores) : socket_(socket), stores_(stores) {}

  void run() {
    const auto read = read_task();
    if (!read) return;
    auto copies = PrivateFolder::create();
    if (copies.has_error()) return tell({{"refused", copies.error().message}});
    auto copied = private_copy(*copies, read->file);
    if (copied.has_error()) return tell({{"refused", copied.error().message}});
    const auto copy = std::make_shared<const PrivateCopy>(*std::move(copied));
    if (is_thread_sanitized) begin_thread_of_sanitizer();
    const auto threads = own_threads();
    const auto descriptors = own_descriptors();
    use(*read, *copy);
    settle(threads, descriptors);
    const auto left = std::max(own_threads(), threads) - threads;
    tell({{"threads", left}, {"descriptors", std::max(own_descriptors(), descriptors) - descriptors}});
    for (const auto& entry : log_.take())
      tell({{"said", entry.event + ": " + entry.field("reason") + entry.field("text")}});
    // What runs on would end this process, and that has been told.
    if (left > 0) return tell({{"step", "done"}});
    tell({{"step", "unload"}});
    std::thread([this] { plugin_ = nullptr; }).join();
    tell({{"step", "done"}, {"mapped", is_mapped(copy->path())}});
  }

 private:
  std::optional<ProbeTask> read_task() {
    std::string text;
    std::array<char, 4096> piece{};
    while (!text.ends_with('\n')) {
      const auto size = ::read(socket_, piece.data(), piece.size());
      if (size <= 0) return std::nullopt;
      text.append(piece.data(), static_cast<std::size_t>(size));
    }
    const auto json = parse_json(text);
    if (json.has_error() || !json->is_object()) return std::nullopt;
    ProbeTask task{.file = (*json)["file"].get<std::string>(),
                   .configuration = (*json)["configuration"].get<std::string>(),
                   .data = (*json)["data"].get<std::string>(),
                   .store_limits = {.keys = (*json)["storeKeys"].get<std::size_t>(),
                                    .bytes = (*json)["storeBytes"].get<std::size_t>()},
                   .server_info = (*json)["serverInfo"].get<std::string>(),
                   .timeout = std::chrono::milliseconds((*json)["timeout"].get<std::int64_t>())};
    for (const auto& call : (*json)["calls"])
      task.calls.push_back(
          {static_cast<PluginMethod>(call["method"].get<std::int32_t>()), call["params"].get<std::string>()});
    return task;
  }

  void tell(const Json& line) const {
    const auto text = dump(line) + "\n";
    ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }

  // On a thread of its own, with which what is kept for each thread ends.
  void use(const ProbeTask& task, const PrivateCopy& copy) {
    std::thread([&] {
      tell({{"step", "load"}});
      auto loaded = PluginLibrary::load(copy.path());
      if (loaded.has_error()) return tell({{"refused", loaded.error().message}});
      const bool never_unloads = (loaded->table().flags & MCP_PLUGIN_NEVER_UNLOAD) != 0;
      if (never_unloads) loaded->never_unload();
      tell({{"never", never_unloads}});
      PluginSetup setup;
      setup.file = task.file;
      setup.bundle = copy.bundle();
      setup.configuration = task.configuration;
      // Of its own, because another plugin may be checked with the same folder.
      const auto name = "probe-" + task.file.stem().string();
      setup.data_directory = {.root = task.data, .place = name};
      setup.store = stores_.open(name, task.store_limits);
      setup.server_info = [info = task.server_info] { return info; };
      auto created = InProcessPlugin::create(*std::move(loaded), std::move(setup), executor_, log_);
      if (created.has_error()) return tell({{"refused", created.error().message}});
      plugin_ = *std::move(created);
      tell({{"step", "start"}});
      if (plugin_->describe().has_error()) return tell({{"refused", "it could not be described"}});
      if (const auto started = plugin_->start(); started.has_error())
        return tell({{"refused", started.error().message}});
      call_each(task);
      tell({{"step", "stop"}});
      log_.take();
      plugin_->stop_here();
    }).join();
  }

  void call_each(const ProbeTask& task) {
    for (const auto& [method, params] : task.calls) {
      tell({{"step", "call"}});
      const auto call = std::make_shared<AskedCall>(method, params, "a component");
      plugin_->invoke(call);
      call->wait(task.timeout);
    }
  }

  // ThreadSanitizer begins one of its own when the process begins its second.
  static void begin_thread_of_sanitizer() {
    std::thread([] {}).join();
    settle(2, own_descriptors());  // the one that has been joined may be there for a moment longer
  }

  static void settle(std::size_t threads, std::size_t descriptors) {
    const auto until = std::chrono::steady_clock::now() + end_time;
    while ((own_threads() > threads || own_descriptors() > descriptors) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(look_interval);
  }

  const int socket_;
  PluginStores& stores_;
  CallersThread executor_;
  RecordedLog log_;
  std::unique_ptr<InProcessPlugin> plugin_;
};

[[noreturn]] void be_child(int socket, int parent, PluginStores& stores) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(EXIT_FAILURE);
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::dup2(nothing.get(), standard);
  try {
    ProbeChild(socket, stores).run();
  } catch (const std::exception&) {
    std::_Exit(EXIT_FAILURE);  // the report says how far it came
  }
  std::_Exit(EXIT_SUCCESS);
}

void take_line(const std::string& line, ProbeReport& report) {
  const auto json = parse_json(line);
  if (json.has_error() || !json->is_object()) return;
  report.step = json->value("step", report.step);
  report.refused = json->value("refused", report.refused);
  report.threads_left = json->value("threads", report.threads_left);
  report.descriptors_left = json->value("descriptors", report.descriptors_left);
  report.stays_mapped = json->value("mapped", report.stays_mapped);
  report.never_unloads = json->value("never", report.never_unloads);
  if (json->contains("said")) report.said.push_back((*json)["said"].get<std::string>());
}

std::string task_text(const ProbeTask& task) {
  auto calls = Json::array();
  for (const auto& [method, params] : task.calls)
    calls.push_back({{"method", static_cast<std::int32_t>(method)}, {"params", params}});
  return dump(Json{{"file", task.file.string()},
                   {"configuration", task.configuration},
                   {"data", task.data.string()},
                   {"storeKeys", task.store_limits.keys},
                   {"storeBytes", task.store_limits.bytes},
                   {"serverInfo", task.server_info},
                   {"timeout", task.timeout.count()},
                   {"calls", std::move(calls)}}) +
         "\n";
}

}  // namespace

Result<PrivateCopy> private_copy(PrivateFolder& copies, const std::filesystem::path& file) {
  std::error_code ignored;
  if (!is_bundle_name(file) || !std::filesystem::is_directory(file, ignored)) return copies.copy(file);
  return copies.copy_bundle(file, [](const auto& /*file*/, const auto& /*opened*/) { return Result<>(); });
}

Result<UnloadProbe> UnloadProbe::fork(PluginStores& stores) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail("no socket can be made: " + last_error());
  FileDescriptor own(ends[0]);
  const FileDescriptor childs(ends[1]);
  const int parent = ::getpid();
  const int process = ::fork();
  if (process < 0) return fail("no process can be started: " + last_error());
  if (process == 0) be_child(childs.get(), parent, stores);
  return UnloadProbe(process, std::move(own));
}

UnloadProbe::UnloadProbe(UnloadProbe&& other) noexcept
    : process_(std::exchange(other.process_, 0)), socket_(std::move(other.socket_)) {}

UnloadProbe::~UnloadProbe() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

// A plugin may have closed the socket and go on.
std::string UnloadProbe::wait_for_end() {
  int status = 0;
  ::kill(process_, SIGKILL);
  ::waitpid(std::exchange(process_, 0), &status, 0);
  if (WIFSIGNALED(status)) return std::string("was killed by SIG") + ::sigabbrev_np(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exited with status " + std::to_string(WEXITSTATUS(status));
  return {};
}

ProbeReport UnloadProbe::run(const ProbeTask& task) {
  ProbeReport report;
  const auto text = task_text(task);
  ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  // For one step, or one call.
  const auto time = task.timeout * 2 + child_time;
  auto until = std::chrono::steady_clock::now() + time;
  std::string lines;
  std::array<char, 4096> piece{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd readable{socket_.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) <= 0) {
      wait_for_end();
      report.end = "did not come back";
      break;
    }
    const auto size = ::read(socket_.get(), piece.data(), piece.size());
    if (size <= 0) {
      report.end = wait_for_end();
      break;
    }
    lines.append(piece.data(), static_cast<std::size_t>(size));
    for (auto end = lines.find('\n'); end != std::string::npos; end = lines.find('\n')) {
      take_line(lines.substr(0, end), report);
      lines.erase(0, end + 1);
      until = std::chrono::steady_clock::now() + time;
    }
  }
  return report;
}

}  // namespace mcph
