#include "plugin/isolated/worker_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <new>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/regular_file.hpp"
#include "base/version.hpp"
#include "plugin/debugger.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::string_literals;

constexpr int socket_of_worker = 3;
// At once, so that a worker which says much leaves its thread to others.
constexpr std::size_t frames_at_once = 64;
constexpr std::size_t output_at_once = std::size_t{64} << 10;
constexpr std::chrono::milliseconds output_interval{10};
constexpr std::size_t frame_bytes_at_once = std::size_t{1} << 20;
// For an answer, before the thread goes on; and after one that did not come in this time.
constexpr std::chrono::microseconds look_time{50};
constexpr int looks_skipped = 7;
// For a worker that does not read.
constexpr std::size_t most_kept_frames = 16'384;
constexpr std::size_t most_kept_bytes = most_frame_bytes;
// How soon it is looked again, while a worker is to end, whether there is room for a long frame.
constexpr std::chrono::milliseconds room_interval{10};
// Of one that has ended: what a socket and a pipe hold at most.
constexpr std::size_t frames_at_end = 4096;
constexpr int outputs_at_end = 64;
constexpr std::size_t longest_line = 8192;
// From the end of its connection until the end of the process.
constexpr std::chrono::milliseconds dying_time{100};

// What a child inherits, and what it does not.
class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void use_descriptors(int socket, int output) {
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, socket_of_worker);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, socket_of_worker + 1);
  }

  // A group of its own, which a terminal's signals do not reach, and no signal blocked or ignored. No session of its
  // own: the kernel may give each session the same share of the processors (autogroups), so that a worker would get as
  // much as the host with all that it does, and could not yield to it.
  void stand_alone() {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  // The error, or 0.
  int spawn(int& process, const std::filesystem::path& program, std::string plugin) {
    auto name = program.filename().string();
    auto parent = std::to_string(::getpid());
    std::string build(host_version);
    std::array<char*, 5> arguments{name.data(), parent.data(), build.data(), plugin.data(), nullptr};
    return ::posix_spawn(&process, program.c_str(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Out of the way of the numbers that the child uses.
FileDescriptor above_those_of_worker(FileDescriptor descriptor) {
  return FileDescriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, socket_of_worker + 1));
}

constexpr std::string_view words_for_lost_connection =
    "lost its connection to the host; perhaps the plugin closed a descriptor that is not its own";

std::string words_for_end(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == lost_connection_status) return std::string(words_for_lost_connection);
  if (WIFEXITED(status) && WEXITSTATUS(status) == out_of_memory_status) {
    return "had no memory or descriptor left to answer the host";
  }
  if (WIFEXITED(status)) return "exited with status " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const char* const name = ::sigabbrev_np(signal);
  if (name == nullptr) return "was killed by signal " + std::to_string(signal);
  const auto words = "was killed by SIG" + std::string(name);
  if (signal == SIGKILL) return words + ", perhaps because memory ran out";
  return words + " (" + ::sigdescr_np(signal) + ")";
}

}  // namespace

struct WorkerProcess::Kept {
  Frame::Kind kind;
  std::int32_t number;
  std::uint64_t id;
  std::string text;
  std::string more;
};

Result<std::shared_ptr<WorkerProcess>> WorkerProcess::spawn(const std::filesystem::path& program,
                                                            const std::string& plugin, asio::io_context& context,
                                                            CallRunner& runner, WorkerListener& listener) {
  auto sockets = make_frame_sockets();
  if (sockets.has_error()) return sockets.error();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_for_now("no pipe can be made: " + last_error());
  FileDescriptor output(ends[0]);
  const auto printing = above_those_of_worker(FileDescriptor(ends[1]));
  const auto socket = above_those_of_worker(std::move(sockets->second));
  if (!printing || !socket) return fail_for_now("no descriptors are left: " + last_error());
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);

  SpawnSettings settings;
  settings.use_descriptors(socket.get(), printing.get());
  settings.stand_alone();
  int process = 0;
  if (const int error = settings.spawn(process, program, plugin); error != 0) {
    return fail_for_now("the program " + program.string() + " cannot be started: " + std::strerror(error));
  }
  FileDescriptor end(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!end) {
    const auto reason = last_error();
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    return fail_for_now("a worker cannot be watched: " + reason);
  }
  // Nothing of the plugin runs before the worker is told to load it.
  const ProcessMark mark;
  mark.put_on(process);
  std::shared_ptr<WorkerProcess> worker;
  try {
    worker = std::make_shared<WorkerProcess>(context, runner, listener, process, mark, std::move(end),
                                             std::move(sockets->first), std::move(output));
  } catch (const std::exception& error) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    return fail_for_now("a worker cannot be watched: "s + error.what());
  }
  return worker;
}

WorkerProcess::WorkerProcess(asio::io_context& context, CallRunner& runner, WorkerListener& listener, int process,
                             ProcessMark mark, FileDescriptor end, FileDescriptor socket, FileDescriptor output)
    : context_(context),
      runner_(runner),
      process_(process),
      mark_(mark),
      end_(std::move(end)),
      socket_end_(std::move(socket)),
      output_end_(std::move(output)),
      listener_(&listener),
      watch_(context, end_.get()),
      socket_(context, socket_end_.get()),
      output_(context, output_end_.get()),
      silence_(context),
      output_pause_(context) {}

WorkerProcess::~WorkerProcess() {
  close();
  if (ended_) return;
  ::kill(-process_, SIGKILL);
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  mark_.end_descendants_of(process_);
}

void WorkerProcess::begin() {
  asio::post(context_, [self = shared_from_this()] {
    self->watch_end();
    self->watch_frames();
    self->watch_output();
  });
}

bool WorkerProcess::send(const Frame& frame) {
  const std::lock_guard lock(sending_);
  if (gone_) return false;
  if (kept_.empty()) {
    const auto sent = send_frame(socket_end_.get(), frame, false);
    if (sent != Sent::no_room) return sent == Sent::whole;
    asio::post(context_, [self = shared_from_this()] { self->resume_sending(); });
  }
  const auto size = frame.text.size() + frame.more.size();
  if (kept_.size() >= most_kept_frames || kept_bytes_ + size > most_kept_bytes) {
    end_because("was killed, because it did not read what the host sent it");
    return false;
  }
  kept_.push_back({frame.kind, frame.number, frame.id, std::string(frame.text), std::string(frame.more)});
  kept_bytes_ += size;
  return true;
}

void WorkerProcess::resume_sending() {
  if (!socket_.is_open()) return;
  socket_.async_wait(Descriptor::wait_write, [self = shared_from_this()](const error_code& error) {
    if (!error) self->send_kept();
  });
}

void WorkerProcess::send_kept() {
  const std::lock_guard lock(sending_);
  while (!kept_.empty()) {
    const auto& [kind, number, id, text, more] = kept_.front();
    const auto sent = send_frame(socket_end_.get(), {kind, number, id, text, more}, false);
    if (sent == Sent::no_room) return resume_sending();
    if (sent != Sent::whole) return end_because("was killed, because the host had no memory to send it a call");
    kept_bytes_ -= text.size() + more.size();
    kept_.pop_front();
  }
}

void WorkerProcess::look_for_frame() {
  const std::unique_lock lock(reading_, std::try_to_lock);
  if (!lock || in_listener_ || (looks_to_skip_ > 0 && looks_to_skip_-- > 0)) return;
  const auto deadline = std::chrono::steady_clock::now() + look_time;
  const auto before = frames_read_;
  // Where nothing more will come, whoever watches the socket finds out, too.
  while (!ended_ && has_room() && read_frames(1) && frames_read_ == before) {
    if (std::chrono::steady_clock::now() >= deadline) {
      looks_to_skip_ = looks_skipped;
      return;
    }
    std::this_thread::yield();  // to whoever has something to do, the worker perhaps
  }
}

bool WorkerProcess::report(std::string why) {
  {
    const std::lock_guard lock(sending_);
    if (std::exchange(reports_, true)) return false;
    note_end(std::move(why));
  }
  send({.kind = Frame::Kind::report});
  return true;
}

void WorkerProcess::kill(std::string why) {
  const std::lock_guard lock(sending_);
  end_because(std::move(why));
}

void WorkerProcess::note_end(std::string why) {
  pollfd end{end_.get(), POLLIN, 0};
  if (::poll(&end, 1, 0) == 0 && killed_because_.empty()) killed_because_ = std::move(why);
}

void WorkerProcess::end_because(std::string why) {
  note_end(std::move(why));
  signal(SIGKILL);
}

void WorkerProcess::signal(int number) const {
  ::syscall(SYS_pidfd_send_signal, end_.get(), number, nullptr, 0);
}

std::optional<std::chrono::nanoseconds> WorkerProcess::cpu_time() {
  const std::lock_guard lock(sending_);  // which whoever reaps it holds, so that its number is its own
  clockid_t clock{};
  timespec time{};
  if (gone_ || ::clock_getcpuclockid(process_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool WorkerProcess::is_debugged() {
  const std::lock_guard lock(sending_);  // likewise
  if (gone_) return false;
  // A library may have made its parent, the host, its tracer, or let a process of its own trace it.
  const int tracer = tracer_of(process_);
  return tracer != 0 && tracer != ::getpid() && !mark_.is_on(tracer);
}

void WorkerProcess::pause() const {
  signal(SIGSTOP);
}

void WorkerProcess::resume() const {
  signal(SIGCONT);
}

void WorkerProcess::wait_for_end(std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  std::array<pollfd, 3> events{
      {{end_.get(), POLLIN, 0}, {socket_end_.get(), POLLIN, 0}, {output_end_.get(), POLLIN, 0}}};
  const auto late = "was killed, because it did not stop in time"s;
  auto deadline = Clock::now() + time;
  bool has_said_all = false;
  for (bool killed = false; events[0].revents == 0;) {
    if (Clock::now() >= deadline && report(late)) deadline += report_time;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 && !std::exchange(killed, true)) kill(late);
    const bool reads = has_room();
    events[1].fd = reads && !has_said_all ? socket_end_.get() : -1;
    const auto wait = !reads ? room_interval.count() : killed ? -1 : left.count();
    uninterrupted([&] { return ::poll(events.data(), events.size(), static_cast<int>(wait)); });
    const std::lock_guard lock(reading_);
    // Whatever has ended is not asked again.
    if (events[1].revents != 0) has_said_all = ended_ || !read_frames(frames_at_once);
    if (events[2].revents != 0 && (ended_ || read_output() == Output::over)) events[2].fd = -1;
  }
  const std::lock_guard lock(reading_);
  see_end();
}

void WorkerProcess::forget() {
  const std::lock_guard lock(reading_);
  listener_ = nullptr;
}

void WorkerProcess::watch_frames() {
  socket_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    std::optional<bool> more;  // nothing: it has ended
    // A frame may be long, and what is made of it may take its time.
    const bool kept_context = self->runner_.run_here([&] {
      const std::lock_guard lock(self->reading_);
      if (!self->ended_) more = self->read_frames(frames_at_once);
    });
    if (!more) return;
    if (kept_context) return self->go_on_watching(*more);
    asio::post(self->context_, [self, more = *more] { self->go_on_watching(more); });
  });
}

void WorkerProcess::go_on_watching(bool more) {
  // What is left makes the next wait end at once, after what else there is to do.
  if (more) {
    if (!waits_for_room()) watch_frames();
    return;
  }
  // It is about to end, or of no use any more.
  silence_.expires_after(dying_time);
  silence_.async_wait([self = shared_from_this()](const error_code& ended) {
    if (!ended) self->kill(std::string(words_for_lost_connection));
  });
}

std::shared_ptr<void> WorkerProcess::begin_long_frame() {
  ++long_frames_;
  return {this, [self = shared_from_this()](WorkerProcess*) { self->end_long_frame(); }};
}

void WorkerProcess::end_long_frame() {
  --long_frames_;
  if (!room_is_waited_for_.exchange(false)) return;
  asio::post(context_, [self = shared_from_this()] { self->go_on_watching(true); });
}

bool WorkerProcess::waits_for_room() {
  if (has_room()) return false;
  room_is_waited_for_ = true;
  // One may have been given back just before that, by somebody who has not seen it.
  return !has_room() || !room_is_waited_for_.exchange(false);
}

void WorkerProcess::watch_output() {
  output_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    auto output = Output::over;
    const auto read = [&] {
      const std::lock_guard lock(self->reading_);  // for which it may wait as long as a frame takes
      if (!self->ended_) output = self->read_output();
    };
    if (self->runner_.run_here(read)) return self->go_on_watching_output(output);
    asio::post(self->context_, [self, output] { self->go_on_watching_output(output); });
  });
}

void WorkerProcess::go_on_watching_output(Output output) {
  if (output == Output::some) return watch_output();
  if (output == Output::over) return;
  // It prints more than a log can bear: its pipe is left full for a while.
  output_pause_.expires_after(output_interval);
  output_pause_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled) self->watch_output();
  });
}

void WorkerProcess::watch_end() {
  watch_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    // What it has left may be long, and so may be the search for what it has started.
    const auto see = [&] {
      const std::lock_guard lock(self->reading_);
      self->see_end();
    };
    if (self->runner_.run_here(see)) return self->close();
    asio::post(self->context_, [self] { self->close(); });
  });
}

bool WorkerProcess::read_frames(std::size_t most) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < most && bytes < frame_bytes_at_once; ++i) {
    if (!is_ending_ && !has_room()) return true;
    switch (receive()) {
      case FrameReader::Outcome::frame:
        bytes += reader_.frame().text.size();
        ++frames_read_;
        in_listener_ = true;
        if (listener_ != nullptr) listener_->frame_came(reader_.frame());
        in_listener_ = false;
        continue;
      case FrameReader::Outcome::in_file:  // and is left there
        ++frames_read_;
        continue;
      case FrameReader::Outcome::none:
        return true;
      case FrameReader::Outcome::wrong:
        kill("was killed, because it sent the host what a worker does not send");
        return false;
      case FrameReader::Outcome::lost:
        kill("was killed, because the host has no memory or descriptor left for what it sent");
        return false;
      case FrameReader::Outcome::end:
        return false;
    }
  }
  return true;
}

FrameReader::Outcome WorkerProcess::receive() {
  try {
    const auto outcome = reader_.receive(socket_end_.get());
    if (outcome != FrameReader::Outcome::in_file || listener_ == nullptr) return outcome;
    in_listener_ = true;
    // Of one that has ended no more is kept than of one that waits.
    const bool is_wanted = has_room() && listener_->long_frame_came(reader_.frame(), reader_.bytes_in_file());
    in_listener_ = false;
    if (!is_wanted) return outcome;
    return reader_.read_file() ? FrameReader::Outcome::frame : FrameReader::Outcome::wrong;
  } catch (const std::bad_alloc&) {
    return FrameReader::Outcome::lost;
  }
}

WorkerProcess::Output WorkerProcess::read_output() {
  std::array<char, output_at_once> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): read writes it
  std::size_t all = 0;
  ssize_t count = -1;
  while (all < bytes.size()) {
    count = uninterrupted([&] { return ::read(output_end_.get(), bytes.data() + all, bytes.size() - all); });
    if (count <= 0) break;
    all += static_cast<std::size_t>(count);
  }
  print({bytes.data(), all});
  if (count == 0) return Output::over;
  return all == bytes.size() ? Output::much : Output::some;
}

void WorkerProcess::print(std::string_view bytes) {
  for (const char c : bytes) {
    if (c != '\n') line_ += c;
    if (c != '\n' && line_.size() < longest_line) continue;
    if (listener_ != nullptr) listener_->line_printed(line_);
    line_.clear();
  }
}

void WorkerProcess::see_end() {
  if (std::exchange(is_ending_, true)) return;
  // Whatever it started goes with it; as long as nobody has waited for it, its number is its own.
  ::kill(-process_, SIGKILL);
  const auto left = mark_.end_descendants_of(process_);
  // One that could hide may go on writing; from here on it writes to nobody.
  ::shutdown(socket_end_.get(), SHUT_RD);
  for (std::size_t read = 0; read < frames_at_end && read_frames(frames_at_once); read += frames_at_once) {
  }
  for (int read = 0; read < outputs_at_end && read_output() == Output::much; ++read) {
  }
  if (!line_.empty()) print("\n");
  int status = 0;
  ended_ = true;
  std::string how;
  {
    const std::lock_guard lock(sending_);
    uninterrupted([&] { return ::waitpid(process_, &status, 0); });
    gone_ = true;
    kept_.clear();
    how = killed_because_;
  }
  if (how.empty()) how = words_for_end(status);
  if (listener_ == nullptr) return;
  if (left.had_left > 0 || !left.all) listener_->left_processes(left);
  listener_->process_ended(how);
}

void WorkerProcess::close() {
  watch_.release();
  socket_.release();
  output_.release();
  silence_.cancel();
  output_pause_.cancel();
}

}  // namespace mcph
