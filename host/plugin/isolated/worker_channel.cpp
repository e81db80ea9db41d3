#include "plugin/isolated/worker_channel.hpp"

#include <array>
#include <exception>
#include <fcntl.h>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/regular_file.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// At once, so that a worker which says much leaves its thread to others.
constexpr std::size_t messages_at_once = 64;
constexpr std::size_t message_bytes_at_once = std::size_t{1} << 20;
constexpr std::chrono::milliseconds output_interval{10};
// For a worker that does not read.
constexpr std::size_t max_kept_messages = 16'384;
constexpr std::size_t max_kept_bytes = max_frame_bytes;
// How soon it is looked again, while a worker is to end, whether there is room for a long message.
constexpr std::chrono::milliseconds room_interval{10};
// Of one that has ended: what a socket and a pipe hold at most.
constexpr std::size_t messages_at_end = 4096;
constexpr int outputs_at_end = 64;
// From the end of its connection until the end of the process.
constexpr std::chrono::milliseconds dying_time{100};

}  // namespace

Result<std::shared_ptr<WorkerChannel>> WorkerChannel::open(const std::filesystem::path& program,
                                                           const std::string& plugin, asio::io_context& context,
                                                           Executor& executor, WorkerListener& listener) {
  auto sockets = make_frame_sockets();
  if (sockets.has_error()) return sockets.error();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_for_now("no pipe can be made: " + last_error());
  FileDescriptor output(ends[0]);
  FileDescriptor printing(ends[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  auto process = WorkerProcess::spawn(program, plugin, {std::move(sockets->second), std::move(printing)});
  if (process.has_error()) return process.error();
  try {
    return std::make_shared<WorkerChannel>(context, executor, listener, *std::move(process), std::move(sockets->first),
                                           std::move(output));
  } catch (const std::exception& error) {
    return fail_for_now(std::string("a worker cannot be watched: ") + error.what());
  }
}

WorkerChannel::WorkerChannel(asio::io_context& context, Executor& executor, WorkerListener& listener,
                             std::shared_ptr<WorkerProcess> process, FileDescriptor socket, FileDescriptor output)
    : context_(context),
      executor_(executor),
      process_(std::move(process)),
      socket_end_(std::move(socket)),
      output_end_(output.get()),
      listener_(&listener),
      printed_(std::move(output), [this](std::string_view line) REQUIRES(reading_) { print(line); }),
      watch_(context, process_->end_descriptor()),
      socket_(context, socket_end_.get()),
      output_(context, output_end_),
      silence_(context),
      output_pause_(context) {}

void WorkerChannel::begin() {
  asio::post(context_, [self = shared_from_this()] {
    self->watch_end();
    self->watch_messages();
    self->watch_output();
  });
}

bool WorkerChannel::send_frame(const Frame& frame) {
  const MutexLock lock(sending_);
  if (ended_sending_) return false;
  ++messages_;
  if (kept_.empty()) {
    const auto sent = mcph::send_frame(socket_end_.get(), frame, false);
    if (sent != Sent::no_room) return sent == Sent::whole;
    asio::post(context_, [self = shared_from_this()] { self->resume_sending(); });
  }
  const auto size = frame.text.size() + frame.more.size();
  if (kept_.size() >= max_kept_messages || kept_bytes_ + size > max_kept_bytes) {
    process_->kill("was killed, because it did not read what the host sent it");
    return false;
  }
  kept_.push_back({frame.kind, frame.number, frame.id, std::string(frame.text), std::string(frame.more)});
  kept_bytes_ += size;
  return true;
}

void WorkerChannel::resume_sending() {
  if (!socket_.is_open()) return;
  socket_.async_wait(Descriptor::wait_write, [self = shared_from_this()](const error_code& error) {
    if (!error) self->send_kept();
  });
}

void WorkerChannel::send_kept() {
  const MutexLock lock(sending_);
  while (!kept_.empty()) {
    const auto& [kind, number, id, text, more] = kept_.front();
    const auto sent = mcph::send_frame(socket_end_.get(), {kind, number, id, text, more}, false);
    if (sent == Sent::no_room) return resume_sending();
    if (sent != Sent::whole) return process_->kill("was killed, because the host had no memory to send it a call");
    kept_bytes_ -= text.size() + more.size();
    kept_.pop_front();
  }
}

bool WorkerChannel::ask_for_places(std::string why) {
  {
    const MutexLock lock(sending_);
    if (std::exchange(asked_for_places_, true)) return false;
  }
  if (!process_->has_ended()) process_->explain_end({std::move(why)});
  send(to_worker::TellPlaces{});
  return true;
}

void WorkerChannel::look_for_message() {
  executor_.run([self = shared_from_this(), messages = messages_.load()] { self->look(messages, true); });
}

void WorkerChannel::look(std::uint64_t messages, bool is_first) {
  if (messages_.load() != messages || !reading_.try_lock()) return;
  {
    const MutexLock lock(reading_, std::adopt_lock);
    if (is_first && !short_wait_.begin(ShortWait::Clock::now())) return;
    // Where nothing more will come, whoever watches the socket finds out, too.
    if (ended_ || !has_room() || !read_messages(1) || messages_.load() != messages) return;
    if (!short_wait_.goes_on(ShortWait::Clock::now())) return;
  }
  std::this_thread::yield();  // to whoever has something to do, the worker perhaps
  executor_.run([self = shared_from_this(), messages] { self->look(messages, false); });
}

void WorkerChannel::wait_for_end(std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  std::array<pollfd, 3> events{
      {{process_->end_descriptor(), POLLIN, 0}, {socket_end_.get(), POLLIN, 0}, {output_end_, POLLIN, 0}}};
  const std::string late = "was killed, because it did not stop in time";
  auto deadline = Clock::now() + time;
  bool has_said_all = false;
  for (bool killed = false; events[0].revents == 0;) {
    if (Clock::now() >= deadline && ask_for_places(late)) deadline += places_time;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 && !std::exchange(killed, true)) process_->kill(late);
    const bool reads = has_room();
    events[1].fd = reads && !has_said_all ? socket_end_.get() : -1;
    const auto wait = !reads ? room_interval.count() : killed ? -1 : left.count();
    uninterrupted([&] { return ::poll(events.data(), events.size(), static_cast<int>(wait)); });
    const MutexLock lock(reading_);
    // Whatever has ended is not asked again.
    if (events[1].revents != 0) has_said_all = ended_ || !read_messages(messages_at_once);
    if (events[2].revents != 0 && (ended_ || printed_.read() == PrintedLines::Read::end)) events[2].fd = -1;
  }
  const MutexLock lock(reading_);
  see_end();
}

void WorkerChannel::forget() {
  const MutexLock lock(reading_);
  listener_ = nullptr;
}

void WorkerChannel::watch_messages() {
  socket_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    std::optional<bool> more;  // nothing: it has ended
    // A message may be long, and what is made of it may take its time.
    const bool kept_context = self->executor_.run_here([&] {
      const MutexLock lock(self->reading_);
      if (!self->ended_) more = self->read_messages(messages_at_once);
    });
    if (!more) return;
    if (kept_context) return self->go_on_watching(*more);
    asio::post(self->context_, [self, more = *more] { self->go_on_watching(more); });
  });
}

void WorkerChannel::go_on_watching(bool more) {
  // What is left makes the next wait end at once, after what else there is to do.
  if (more) {
    if (!waits_for_room()) watch_messages();
    return;
  }
  // It is about to end, or of no use any more.
  silence_.expires_after(dying_time);
  silence_.async_wait([self = shared_from_this()](const error_code& ended) {
    if (!ended) self->process_->kill(words_for_lost_connection());
  });
}

std::shared_ptr<void> WorkerChannel::begin_long_message() {
  ++long_messages_;
  return {this, [self = shared_from_this()](WorkerChannel*) { self->end_long_message(); }};
}

void WorkerChannel::end_long_message() {
  --long_messages_;
  if (!room_is_waited_for_.exchange(false)) return;
  asio::post(context_, [self = shared_from_this()] { self->go_on_watching(true); });
}

bool WorkerChannel::waits_for_room() {
  if (has_room()) return false;
  room_is_waited_for_ = true;
  // One may have been given back just before that, by somebody who has not seen it.
  return !has_room() || !room_is_waited_for_.exchange(false);
}

void WorkerChannel::watch_output() {
  output_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    auto output = PrintedLines::Read::end;
    const auto read = [&] {
      const MutexLock lock(self->reading_);  // for which it may wait as long as a message takes
      if (!self->ended_) output = self->printed_.read();
    };
    if (self->executor_.run_here(read)) return self->go_on_watching_output(output);
    asio::post(self->context_, [self, output] { self->go_on_watching_output(output); });
  });
}

void WorkerChannel::go_on_watching_output(PrintedLines::Read output) {
  if (output == PrintedLines::Read::some) return watch_output();
  if (output == PrintedLines::Read::end) return;
  // It prints more than a log can bear: its pipe is left full for a while.
  output_pause_.expires_after(output_interval);
  output_pause_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled) self->watch_output();
  });
}

void WorkerChannel::watch_end() {
  watch_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error) return;
    // What it has left may be long, and so may be the search for what it has started.
    const auto see = [&] {
      const MutexLock lock(self->reading_);
      self->see_end();
    };
    if (self->executor_.run_here(see)) return self->close();
    asio::post(self->context_, [self] { self->close(); });
  });
}

bool WorkerChannel::read_messages(std::size_t most) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < most && bytes < message_bytes_at_once; ++i) {
    if (!is_ending_ && !has_room()) return true;
    switch (receive()) {
      case FrameReader::Outcome::frame:
        bytes += reader_.frame().text.size();
        ++messages_;
        if (tell(reader_.frame())) continue;
        [[fallthrough]];
      case FrameReader::Outcome::wrong:
        process_->kill("was killed, because it sent the host what a worker does not send");
        return false;
      case FrameReader::Outcome::in_file:  // and is left there
        ++messages_;
        continue;
      case FrameReader::Outcome::none:
        return true;
      case FrameReader::Outcome::lost:
        process_->kill("was killed, because the host has no memory or descriptor left for what it sent");
        return false;
      case FrameReader::Outcome::end:
        return false;
    }
  }
  return true;
}

FrameReader::Outcome WorkerChannel::receive() {
  try {
    const auto outcome = reader_.receive(socket_end_.get());
    if (outcome != FrameReader::Outcome::in_file || listener_ == nullptr) return outcome;
    // Of one that has ended no more is kept than of one that waits.
    const bool is_wanted =
        has_room() && listener_->long_message_came(to_host::long_message(reader_.frame(), reader_.bytes_in_file()));
    if (!is_wanted) return outcome;
    return reader_.read_file() ? FrameReader::Outcome::frame : FrameReader::Outcome::wrong;
  } catch (const std::bad_alloc&) {
    return FrameReader::Outcome::lost;
  }
}

bool WorkerChannel::tell(const Frame& frame) {
  const auto message = to_host::read(frame);
  if (!message) return false;
  if (listener_ != nullptr) listener_->message_came(*message);
  return true;
}

void WorkerChannel::print(std::string_view line) {
  if (listener_ != nullptr) listener_->line_printed(line);
}

void WorkerChannel::see_end() {
  if (std::exchange(is_ending_, true)) return;
  const auto left = process_->end_descendants();
  // One that could hide may go on writing; from here on it writes to nobody.
  ::shutdown(socket_end_.get(), SHUT_RD);
  for (std::size_t read = 0; read < messages_at_end && read_messages(messages_at_once); read += messages_at_once) {
  }
  for (int read = 0; read < outputs_at_end && printed_.read() == PrintedLines::Read::much; ++read) {
  }
  printed_.end();
  ended_ = true;
  const auto end = process_->reap();
  {
    const MutexLock lock(sending_);
    ended_sending_ = true;
    kept_.clear();
  }
  if (listener_ == nullptr) return;
  if (left.had_left > 0 || !left.all) listener_->left_processes(left);
  listener_->process_ended(end);
}

void WorkerChannel::close() {
  watch_.release();
  socket_.release();
  output_.release();
  silence_.cancel();
  output_pause_.cancel();
}

}  // namespace mcph
