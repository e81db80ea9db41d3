#include "sources/upstream/process_upstream.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/regular_file.hpp"
#include "base/utf8.hpp"
#include "plugin/isolated/worker_frame.hpp"
#include "plugin/isolated/worker_messages.hpp"
#include "sources/upstream/upstream_wire.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t read_at_once = std::size_t{64} << 10;
constexpr std::size_t messages_bytes_at_once = std::size_t{1} << 20;
// What a pipe holds at the end of its process, and what else had been written to it.
constexpr std::size_t bytes_at_process_end = std::size_t{64} << 20;
constexpr std::chrono::milliseconds errors_interval{10};
// Of messages to a program that does not read.
constexpr std::size_t max_unread_bytes = std::size_t{64} << 20;
// From the end of its input to SIGTERM, and from that to SIGKILL.
constexpr std::chrono::milliseconds closing_time{1000};
constexpr std::chrono::milliseconds terminating_time{1000};
// From the end of its output to the end of the process.
constexpr std::chrono::milliseconds leaving_time{1000};
constexpr QueryId setup_query = 1;

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_for_now("no pipe can be made: " + last_error());
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void do_not_block(const FileDescriptor& descriptor) {
  ::fcntl(descriptor.get(), F_SETFL, O_NONBLOCK);
}

}  // namespace

ProcessUpstream::ProcessUpstream(Setup setup, Workers& workers)
    : setup_(std::move(setup)),
      workers_(workers),
      context_(workers.next_context()),
      lines_(setup_.max_message_bytes,
             {.line = [this](std::string_view line) REQUIRES(reading_) { tell(line); },
              .long_line = [this](std::size_t size, std::string_view beginning, std::string_view end)
                               REQUIRES(reading_) { tell_long(size, beginning, end); }}),
      watched_output_(context_),
      watched_errors_(context_),
      watched_input_(context_),
      watched_end_(context_),
      silence_(context_) {}

ProcessUpstream::~ProcessUpstream() {
  end_cpu_share();
  release_descriptors();
}

std::shared_ptr<WorkerProcess> ProcessUpstream::started() const {
  const MutexLock lock(starting_);
  return process_;
}

void ProcessUpstream::end_cpu_share() {
  const MutexLock lock(starting_);
  if (cpu_share_ != nullptr) cpu_share_->end();
}

int ProcessUpstream::process() const {
  const auto process = started();
  return process == nullptr || process->has_ended() ? 0 : process->id();
}

Result<> ProcessUpstream::begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds patience) {
  {
    const MutexLock lock(reading_);
    listener_ = std::move(listener);
  }
  if (auto opened = open(patience); opened.has_error()) return opened;
  if (const auto error = assign_watched()) {
    process_->kill("was ended, because it cannot be watched");
    return fail_for_now("its process cannot be watched: " + error.message());
  }
  if (const auto percent = setup_.worker.limits.cpu_percent; percent > 0) {
    auto share = CpuShare::keep(workers_.timers(), process_, percent, [weak = weak_from_this()] {
      if (const auto self = weak.lock(); self != nullptr && self->setup_.throttled) self->setup_.throttled();
    });
    {
      const MutexLock lock(starting_);
      cpu_share_ = std::move(share);
    }
    if (is_closed_) end_cpu_share();
  }
  asio::post(context_, [self = shared_from_this()] { self->watch(); });
  return {};
}

Result<> ProcessUpstream::open(std::chrono::milliseconds patience) {
  auto sockets = make_frame_sockets();
  auto input = make_pipe();
  auto output = make_pipe();
  auto errors = make_pipe();
  if (sockets.has_error()) return sockets.error();
  for (const auto* const pipe : {&input, &output, &errors}) {
    if (pipe->has_error()) return pipe->error();
  }
  do_not_block(input->write_end);
  do_not_block(output->read_end);
  do_not_block(errors->read_end);
  // The system ends it with the thread that starts it.
  auto process = workers_.run_and_wait([&] {
    return WorkerProcess::spawn(workers_.options().program, setup_.name,
                                {.socket = std::move(sockets->second),
                                 .output = std::move(errors->write_end),
                                 .program_input = std::move(input->read_end),
                                 .program_output = std::move(output->write_end)});
  });
  if (process.has_error()) return process.error();
  {
    const MutexLock lock(starting_);
    process_ = *std::move(process);
  }
  output_ = std::move(output->read_end);
  errors_ = errors->read_end.get();
  {
    const MutexLock lock(reading_);
    printed_ =
        std::make_unique<PrintedLines>(std::move(errors->read_end), [this](std::string_view line) REQUIRES(reading_) {
          if (tells_what_is_printed_) setup_.printed(line);
        });
  }
  {
    const MutexLock lock(sending_);
    input_ = std::move(input->write_end);
  }
  auto handed_over = hand_over(sockets->first.get(), patience);
  if (handed_over.has_error()) process_->kill("was ended, because it could not begin");
  return handed_over;
}

// Tells the worker what it becomes. It answers before it does so, and that it has shows by the end of its socket.
Result<> ProcessUpstream::hand_over(int socket, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto setup = setup_.worker.json();
  const auto sent = send_frame(socket, to_worker::frame_of(to_worker::Load{setup_query, setup}), true);
  if (sent == Sent::crowded)
    return fail_for_now("its process cannot be told what it becomes: too many descriptors are on their way to others");
  if (sent != Sent::whole) return fail_for_now("its process has ended before it began");
  FrameReader reader;
  bool is_ready = false;
  for (;;) {
    const auto outcome = reader.receive_whole(socket);
    if (outcome == FrameReader::Outcome::end && is_ready) return {};
    if (outcome == FrameReader::Outcome::none) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0) return fail_for_now("its process did not begin in time");
      pollfd readable{socket, POLLIN, 0};
      uninterrupted([&] { return ::poll(&readable, 1, static_cast<int>(left)); });
      continue;
    }
    if (outcome != FrameReader::Outcome::frame) return fail_for_now("its process has ended before it began");
    const auto message = to_host::read(reader.frame());
    if (!message) return fail("its process sent the host what a worker does not send");
    if (const auto* const failed = std::get_if<to_host::Failed>(&*message)) {
      return failed->may_pass ? fail_for_now(std::string(failed->why)) : fail(std::string(failed->why));
    }
    const auto* const ready = std::get_if<to_host::Ready>(&*message);
    const auto identity = ready == nullptr ? Result<WorkerIdentity>(fail("")) : WorkerIdentity::read(ready->identity);
    if (identity.has_error()) return fail("its process sent the host what a worker does not send");
    if (!identity->sandbox_lacks.empty() && setup_.sandbox_lacks) setup_.sandbox_lacks(identity->sandbox_lacks);
    is_ready = true;
  }
}

// The system lets each user watch so many only, which others of the host's user may have used up.
boost::system::error_code ProcessUpstream::assign_watched() {
  error_code error;
  watched_output_.assign(output_.get(), error);
  if (!error) watched_errors_.assign(errors_, error);
  if (!error) watched_end_.assign(process_->end_descriptor(), error);
  return error;
}

void ProcessUpstream::watch() {
  watch_end();
  watch_messages();
  watch_errors();
}

void ProcessUpstream::watch_messages() {
  watched_output_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    bool more = false;
    const bool kept_context = self->workers_.executor().run_here([&] {
      const MutexLock lock(self->reading_);
      try {
        more = !self->ended_ && self->read_messages(messages_bytes_at_once);
      } catch (const std::exception& failure) {
        self->process_->kill(std::string("was killed, because what it sent cannot be read: ") + failure.what());
      }
    });
    if (kept_context) return self->go_on_watching(more);
    asio::post(self->context_, [self, more] { self->go_on_watching(more); });
  });
}

void ProcessUpstream::go_on_watching(bool more) {
  if (more) return watch_messages();
  silence_.expires_after(leaving_time);
  silence_.async_wait([self = shared_from_this()](const error_code& ended) {
    if (!ended) self->process_->kill("was ended, because it had closed its output");
  });
}

void ProcessUpstream::watch_errors() {
  watched_errors_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    auto read = PrintedLines::Read::end;
    const bool kept_context = self->workers_.executor().run_here([&] {
      const MutexLock lock(self->reading_);
      if (!self->ended_) read = self->printed_->read();
    });
    const auto go_on = [self, read] {
      if (read == PrintedLines::Read::some) return self->watch_errors();
      if (read == PrintedLines::Read::end) return;
      // It prints more than a log can bear: its pipe is left full for a while.
      const auto pause = std::make_shared<asio::steady_timer>(self->context_, errors_interval);
      pause->async_wait([self, pause](const error_code& /*ended*/) { self->watch_errors(); });
    };
    if (kept_context) return go_on();
    asio::post(self->context_, go_on);
  });
}

void ProcessUpstream::watch_end() {
  watched_end_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    const auto see = [&] {
      const MutexLock lock(self->reading_);
      self->see_end();
    };
    if (self->workers_.executor().run_here(see)) return self->release_descriptors();
    asio::post(self->context_, [self] { self->release_descriptors(); });
  });
}

void ProcessUpstream::release_descriptors() {
  for (auto* const each : {&watched_output_, &watched_errors_, &watched_end_}) {
    if (each->is_open()) each->release();
  }
  silence_.cancel();
  // Whoever sends may watch it at this moment.
  const MutexLock lock(sending_);
  if (watched_input_.is_open()) watched_input_.release();
}

bool ProcessUpstream::read_messages(std::size_t most) {
  std::array<char, read_at_once> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): read writes it
  for (std::size_t all = 0; all < most;) {
    const auto count = uninterrupted([&] { return ::read(output_.get(), bytes.data(), bytes.size()); });
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN;
    lines_.add({bytes.data(), static_cast<std::size_t>(count)});
    all += static_cast<std::size_t>(count);
  }
  return true;
}

void ProcessUpstream::tell(std::string_view line) {
  if (is_closed_) return;
  const auto listener = listener_.lock();
  if (listener == nullptr) return;
  if (is_utf8(line)) return listener->message_came(line, std::nullopt);
  constexpr std::size_t told = 256;
  const auto request =
      from_upstream::answered_request(line.substr(0, told), line.substr(line.size() - std::min(line.size(), told)));
  const auto id = request ? std::to_string(*request) : std::string();
  listener->message_refused(fail("sent a line that is no UTF-8 text"),
                            request ? std::optional<std::string_view>(id) : std::nullopt);
}

void ProcessUpstream::tell_long(std::size_t size, std::string_view beginning, std::string_view end) {
  if (is_closed_) return;
  const auto listener = listener_.lock();
  if (listener == nullptr) return;
  const auto request = from_upstream::answered_request(beginning, end);
  const auto id = request ? std::to_string(*request) : std::string();
  listener->message_refused(fail("sent a message of " + std::to_string(size) + " bytes, more than the " +
                                 std::to_string(setup_.max_message_bytes) + " that limits.resultBytes leaves room for"),
                            request ? std::optional<std::string_view>(id) : std::nullopt);
}

void ProcessUpstream::read_what_is_left() {
  process_->end_descendants();
  for (std::size_t read = 0; read < bytes_at_process_end && read_messages(read_at_once); read += read_at_once) {
    pollfd readable{output_.get(), POLLIN, 0};
    if (::poll(&readable, 1, 0) <= 0) break;
  }
  constexpr int errors_at_end = 64;
  for (int read = 0; read < errors_at_end && printed_->read() == PrintedLines::Read::much; ++read) {
  }
  printed_->end();
}

void ProcessUpstream::see_end() {
  if (std::exchange(ended_, true)) return;
  try {
    read_what_is_left();
  } catch (const std::exception&) {
    // What it sent last cannot be read, and it has ended anyway.
  }
  end_cpu_share();
  const auto end = process_->reap();
  end_sending();
  if (is_closed_) return;
  if (const auto listener = listener_.lock()) {
    listener->ended(end.may_pass ? fail_for_now("its process " + end.how) : fail("its process " + end.how));
  }
}

Result<> ProcessUpstream::send(UpstreamMessage message) {
  message.text += '\n';
  {
    const MutexLock lock(sending_);
    if (!input_ || closing_) return fail_for_now("its process has ended");
    const bool was_empty = kept_.empty();
    if (kept_bytes_ + message.text.size() > max_unread_bytes) {
      process_->kill("was ended, because it did not read what the host sent it");
      return fail_for_now("its process does not read what it is sent");
    }
    kept_bytes_ += message.text.size();
    kept_.push_back(std::move(message.text));
    if (was_empty) send_kept();
  }
  if (message.taken) message.taken(Result<>());
  return {};
}

void ProcessUpstream::send_kept() {
  while (!kept_.empty()) {
    const auto& front = kept_.front();
    const int input = input_.get();
    const auto rest = std::string_view(front).substr(written_);
    const auto count = uninterrupted([&] { return ::write(input, rest.data(), rest.size()); });
    if (count < 0 && errno == EAGAIN) {
      asio::post(context_, [self = shared_from_this()] { self->resume_sending(); });
      return;
    }
    // Its end tells the rest.
    if (count < 0) {
      kept_.clear();
      kept_bytes_ = 0;
      written_ = 0;
      return;
    }
    written_ += static_cast<std::size_t>(count);
    kept_bytes_ -= static_cast<std::size_t>(count);
    if (written_ < front.size()) continue;
    kept_.pop_front();
    written_ = 0;
  }
  if (closing_) input_ = {};
}

void ProcessUpstream::resume_sending() {
  const MutexLock lock(sending_);
  if (!input_) return;
  if (!watched_input_.is_open()) {
    error_code refused;
    watched_input_.assign(input_.get(), refused);
    if (refused) return process_->kill("was ended, because the host cannot wait for it to read: " + refused.message());
  }
  watched_input_.async_wait(Descriptor::wait_write, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    const MutexLock sending(self->sending_);
    self->watched_input_.release();
    if (self->input_) self->send_kept();
  });
}

void ProcessUpstream::end_sending() {
  const MutexLock lock(sending_);
  closing_ = true;
  kept_.clear();
  kept_bytes_ = 0;
  // What the context still watches is closed with this object.
  if (!watched_input_.is_open()) input_ = {};
}

void ProcessUpstream::close() {
  const auto process = started();
  if (is_closed_.exchange(true) || process == nullptr) return;
  end_cpu_share();  // stopped it could not end by itself
  {
    const MutexLock lock(sending_);
    closing_ = true;
    // What the context still watches is closed when it is told.
    if (kept_.empty() && !watched_input_.is_open()) input_ = {};
  }
  workers_.timers().after(closing_time, [process, &timers = workers_.timers()] {
    if (process->has_ended()) return;
    process->terminate();
    timers.after(terminating_time, [process] { process->kill("was ended, because it did not end by itself"); });
  });
}

void ProcessUpstream::wait_until_closed(std::chrono::milliseconds patience) {
  const auto process = started();
  if (process == nullptr) return;
  const auto wait = [&process](std::chrono::milliseconds time) {
    pollfd end{process->end_descriptor(), POLLIN, 0};
    return uninterrupted([&] { return ::poll(&end, 1, static_cast<int>(time.count())); }) > 0;
  };
  if (!wait(std::min(patience, closing_time))) {
    process->terminate();
    if (!wait(std::min(patience, terminating_time))) {
      process->kill("was ended, because it did not end by itself");
      wait(std::chrono::seconds(1));
    }
  }
  const MutexLock lock(reading_);
  if (process->has_ended()) return see_end();
  // What cannot be killed now, such as one that waits for a disk or whose memory is being written to a core file, ends
  // later, and is waited for by who watches that. Whoever hears of it need not be there then.
  tells_what_is_printed_ = false;
  end_cpu_share();
}

}  // namespace mcph
