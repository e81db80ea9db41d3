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
#include "plugin/isolated/passed_descriptors.hpp"

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
// How soon it is tried again to pass a descriptor where there are too many on their way.
constexpr std::chrono::milliseconds crowd_interval{10};
// From the end of its connection until the end of the process.
constexpr std::chrono::milliseconds dying_time{100};
constexpr std::string_view words_for_wrong_frame = "was killed, because it sent the host what a worker does not send";
constexpr std::string_view words_for_broken_ring =
    "was killed, because it broke the memory that it shares with the host";

struct Begun {
  std::shared_ptr<WorkerProcess> process;
  WorkerChannel::Ends ends;
};

// `begin` starts a process with its ends.
template <class Begin>
Result<Begun> begin_with_ends(const Begin& begin) {
  auto sockets = make_frame_sockets();
  if (sockets.has_error()) return sockets.error();
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return fail_for_now("no pipe can be made: " + last_error());
  FileDescriptor output(pipe[0]);
  FileDescriptor printing(pipe[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  Result<std::shared_ptr<WorkerProcess>> process =
      begin(WorkerProcess::Ends{std::move(sockets->second), std::move(printing)});
  if (process.has_error()) return process.error();
  return Begun{*std::move(process), {std::move(sockets->first), std::move(output)}};
}

// Where it cannot be forked, it is started, with other ends: one may have been forked of which nobody has heard. That
// one ends with its socket, and is not reaped before the host ends; of a fork server that fails so there are few.
Result<Begun> begin_process(const WorkerChannel::Program& program) {
  using Process = Result<std::shared_ptr<WorkerProcess>>;
  if (program.fork_server != nullptr) {
    auto forked = begin_with_ends([&](const WorkerProcess::Ends& ends) -> Process {
      const auto process = program.fork_server->fork(program.plugin, ends);
      if (!process) return fail("it cannot be forked");
      return WorkerProcess::watch(*process);
    });
    if (forked.has_value()) return forked;
  }
  return begin_with_ends([&](WorkerProcess::Ends ends) -> Process {
    return WorkerProcess::spawn(program.program, program.plugin, std::move(ends));
  });
}

}  // namespace

Result<std::shared_ptr<WorkerChannel>> WorkerChannel::open(const Program& program, asio::io_context& context,
                                                           Executor& executor, WorkerListener& listener) {
  auto begun = begin_process(program);
  if (begun.has_error()) return begun.error();
  auto& [process, ends] = *begun;
  try {
    auto channel = std::make_shared<WorkerChannel>(context, executor, listener, std::move(process), std::move(ends));
    if (program.shared_memory) {
      auto [rings, memory] = SharedRings::make();
      if (rings != nullptr) channel->share(std::move(memory), rings);
    }
    return channel;
  } catch (const std::exception& error) {
    return fail_for_now(std::string("a worker cannot be watched: ") + error.what());
  }
}

WorkerChannel::WorkerChannel(asio::io_context& context, Executor& executor, WorkerListener& listener,
                             std::shared_ptr<WorkerProcess> process, Ends ends)
    : context_(context),
      executor_(executor),
      process_(std::move(process)),
      socket_end_(std::move(ends.socket)),
      output_end_(ends.output.get()),
      writer_(socket_end_.get()),
      listener_(&listener),
      printed_(std::move(ends.output), [this](std::string_view line) REQUIRES(reading_) { print(line); }),
      watch_(context),
      socket_(context),
      output_(context),
      silence_(context),
      output_pause_(context),
      crowd_(context) {
  try {
    watch_.assign(process_->end_descriptor());
    socket_.assign(socket_end_.get());
    output_.assign(output_end_);
  } catch (...) {
    close();  // they are others'
    throw;
  }
}

WorkerChannel::~WorkerChannel() {
  close();
  // What the worker has sent last may be there unread, and whatever it has passed with that.
  close_elsewhere(std::array{std::move(socket_end_)});
}

void WorkerChannel::begin() {
  asio::post(context_, [self = shared_from_this()] {
    self->watch_end();
    self->watch_messages();
    self->watch_output();
  });
}

// Before anything else is said.
void WorkerChannel::share(FileDescriptor memory, const std::shared_ptr<SharedRings>& rings) {
  if (send_rings(socket_end_.get(), std::move(memory)) != Sent::whole) return;
  const MutexLock reading(reading_);
  const MutexLock sending(sending_);
  writer_.use(RingWriter(rings, SharedRings::Direction::to_worker));
  reader_.use(RingReader(rings, SharedRings::Direction::to_host));
  reader_.use(LongTextReader(rings));
}

bool WorkerChannel::send_frame(const Frame& frame) {
  const MutexLock lock(sending_);
  if (ended_sending_) return false;
  ++messages_;
  if (kept_.empty()) {
    const auto sent = writer_.send(frame, false);
    if (sent == Sent::broken) process_->kill(std::string(words_for_broken_ring));
    if (sent != Sent::no_room) return sent == Sent::whole;
  }
  const auto size = frame.text.size() + frame.more.size();
  if (kept_.size() >= max_kept_messages || kept_bytes_ + size > max_kept_bytes) {
    process_->kill("was killed, because it did not read what the host sent it");
    return false;
  }
  try {
    kept_.push_back({frame.kind, frame.number, frame.id, std::string(frame.text), std::string(frame.more)});
  } catch (const std::bad_alloc&) {
    if (kept_.empty()) writer_.drop();
    return false;
  }
  kept_bytes_ += size;
  has_kept_ = true;
  // Again, because whoever has made room meanwhile has found nothing kept, and will not wake this side once more.
  if (kept_.size() == 1) send_what_is_kept();
  return true;
}

void WorkerChannel::resume_sending(FrameWriter::Full full) {
  if (!socket_.is_open()) return;
  auto go_on = [self = shared_from_this()](const error_code& error) {
    if (error) return;
    // A text may be long, and is copied.
    static_cast<void>(self->executor_.run_here([&self] {
      const MutexLock lock(self->sending_);
      self->waits_to_send_ = false;
      self->send_what_is_kept();
    }));
  };
  if (full == FrameWriter::Full::socket) return socket_.async_wait(Descriptor::wait_write, std::move(go_on));
  crowd_.expires_after(crowd_interval);
  crowd_.async_wait(std::move(go_on));
}

void WorkerChannel::send_kept() {
  const MutexLock lock(sending_);
  send_what_is_kept();
}

void WorkerChannel::send_what_is_kept() {
  while (!kept_.empty()) {
    const auto& [kind, number, id, text, more] = kept_.front();
    const auto sent = writer_.send({kind, number, id, text, more}, false);
    if (sent == Sent::no_room) return send_later();
    if (sent == Sent::broken) return process_->kill(std::string(words_for_broken_ring));
    if (sent != Sent::whole) return process_->kill("was killed, because the host had no memory to send it a call");
    kept_bytes_ -= text.size() + more.size();
    kept_.pop_front();
  }
  has_kept_ = false;
}

// Where the ring is full, whoever hears that the worker has read does so.
void WorkerChannel::send_later() {
  const auto full = writer_.full();
  if (full == FrameWriter::Full::ring || waits_to_send_) return;
  try {
    asio::post(context_, [self = shared_from_this(), full] { self->resume_sending(full); });
  } catch (const std::bad_alloc&) {
    return process_->kill({});  // what is kept would never be sent
  }
  waits_to_send_ = true;
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

void WorkerChannel::look_for_messages() {
  // Whoever reads goes on to look where there is a call. That may be this thread, by what it has just told.
  if (is_looking_.load() || is_telling_.load() || !reading_.try_lock()) return;
  const MutexLock lock(reading_, std::adopt_lock);
  if (!is_looking_ && !ended_ && short_wait_.begin(ShortWait::Clock::now())) begin_looking();
}

bool WorkerChannel::begin_looking() {
  try {
    executor_.run_quick([self = shared_from_this()] { self->look(); });
  } catch (const std::bad_alloc&) {
    return false;
  }
  // After that, because a worker wakes nobody while somebody looks. Whoever looks has to wait for the lock.
  is_looking_ = true;
  reader_.stay_awake();
  return true;
}

bool WorkerChannel::end_looking() {
  is_looking_ = false;
  if (reader_.prepare_to_sleep()) return true;
  is_looking_ = true;
  return false;
}

void WorkerChannel::look() try {
  struct {
    bool goes_on = false;
    bool is_idle = false;
  } looked;
  // A message may be long, and what is made of it may take its time. Where it did, another thread has this one's loop,
  // on which this goes on.
  static_cast<void>(executor_.run_here([this, &looked] {
    const MutexLock lock(reading_);
    looked.goes_on = look_once();
    const auto messages = messages_.load();
    looked.is_idle = std::exchange(seen_messages_, messages) == messages;
  }));
  if (!looked.goes_on) return;
  if (looked.is_idle) std::this_thread::yield();  // to whoever has something to do, the worker perhaps
  executor_.run_quick([self = shared_from_this()] { self->look(); });
} catch (const std::bad_alloc&) {
  // Nobody looks any more. What comes from now on makes the socket readable; what has come before would never be read.
  const MutexLock lock(reading_);
  if (!end_looking()) process_->kill({});
}

bool WorkerChannel::look_once() {
  if (ended_ || is_ending_) {
    is_looking_ = false;
    return false;
  }
  const auto messages = messages_.load();
  const auto left = read_messages(messages_at_once, false);
  // Where nothing more will come, whoever watches the socket finds out, too.
  if (left == Left::no_more) {
    is_looking_ = false;
    return false;
  }
  if (left == Left::some) {
    if (has_room()) return true;
    is_looking_ = false;
    asio::post(context_, [self = shared_from_this()] { self->go_on_watching(Left::some); });
    return false;
  }
  const auto now = ShortWait::Clock::now();
  const bool has_read = messages_.load() != messages;
  if (has_read) short_wait_.begin_again(now);
  if (expects_messages() && (has_read || short_wait_.goes_on(now))) return true;
  return !end_looking();
}

void WorkerChannel::wait_for_end(std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  std::array<pollfd, 3> events{
      {{process_->end_descriptor(), POLLIN, 0}, {socket_end_.get(), POLLIN, 0}, {output_end_, POLLIN, 0}}};
  const std::string late = "was killed, because it did not stop in time";
  auto deadline = Clock::now() + time;
  bool has_said_all = false;
  bool has_more = true;
  for (bool killed = false; events[0].revents == 0;) {
    if (Clock::now() >= deadline && ask_for_places(late)) deadline += places_time;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 && !std::exchange(killed, true)) process_->kill(late);
    const bool reads = has_room();
    events[1].fd = reads && !has_said_all ? socket_end_.get() : -1;
    const auto wait = !reads ? room_interval.count() : has_more ? 0 : killed ? -1 : left.count();
    uninterrupted([&] { return ::poll(events.data(), events.size(), static_cast<int>(wait)); });
    const MutexLock lock(reading_);
    // Whatever has ended is not asked again.
    if (events[1].revents != 0 || has_more) {
      const auto read = ended_ ? Left::no_more : read_messages(messages_at_once);
      has_said_all = read == Left::no_more;
      if (has_kept_) send_kept();
    }
    // Somebody who was to look may not come to it any more.
    has_more = !has_said_all && !(reads && reader_.prepare_to_sleep());
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
  if (std::exchange(is_waiting_, true)) return;
  socket_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
    self->is_waiting_ = false;
    if (!error) self->read_here(true);
  });
}

void WorkerChannel::read_here(bool asks_system) try {
  std::optional<Left> left;
  // A message may be long, and what is made of it may take its time. So may what has been kept for the worker.
  const bool kept_context = executor_.run_here([&] {
    left = read_some(asks_system);
    if (has_kept_) send_kept();
  });
  if (!left) return;
  if (kept_context) return go_on_watching(*left);
  asio::post(context_, [self = shared_from_this(), left = *left] { self->go_on_watching(left); });
} catch (const std::bad_alloc&) {
  process_->kill({});  // nobody would read it any more
}

std::optional<WorkerChannel::Left> WorkerChannel::read_some(bool asks_system) {
  const MutexLock lock(reading_);
  if (ended_) return std::nullopt;
  const auto left = read_messages(messages_at_once, asks_system);
  if (left != Left::nothing || is_looking_) return left;
  if (expects_messages() && short_wait_.begin(ShortWait::Clock::now()) && begin_looking()) return left;
  return reader_.prepare_to_sleep() ? left : Left::some;
}

void WorkerChannel::go_on_watching(Left left) {
  if (left == Left::nothing) return watch_messages();
  if (left == Left::some) {
    // After what else there is to do.
    if (!waits_for_room()) asio::post(context_, [self = shared_from_this()] { self->read_here(false); });
    return;
  }
  // It is about to end, or of no use any more.
  silence_.expires_after(dying_time);
  silence_.async_wait([self = shared_from_this()](const error_code& ended) {
    if (!ended) self->process_->kill_without_connection();
  });
}

std::shared_ptr<void> WorkerChannel::begin_long_message() {
  ++long_messages_;
  return {this, [self = shared_from_this()](WorkerChannel*) { self->end_long_message(); }};
}

void WorkerChannel::end_long_message() {
  --long_messages_;
  if (!room_is_waited_for_.exchange(false)) return;
  asio::post(context_, [self = shared_from_this()] { self->go_on_watching(Left::some); });
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

WorkerChannel::Left WorkerChannel::read_messages(std::size_t most, bool asks_system) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < most && bytes < message_bytes_at_once; ++i) {
    if (!is_ending_ && !has_room()) return Left::some;
    switch (receive(asks_system)) {
      case FrameReader::Outcome::frame:
        bytes += reader_.frame().text.size() + reader_.frame().more.size();
        ++messages_;
        if (tell(reader_.frame())) break;
        [[fallthrough]];
      case FrameReader::Outcome::wrong:
        process_->kill(std::string(words_for_wrong_frame));
        return Left::no_more;
      case FrameReader::Outcome::long_text:  // and is left there
        ++messages_;
        break;
      case FrameReader::Outcome::none:
        return Left::nothing;
      case FrameReader::Outcome::lost:
        process_->kill("was killed, because the host has no memory or descriptor left for what it sent");
        return Left::no_more;
      case FrameReader::Outcome::end:
        return Left::no_more;
    }
    // What else the socket has makes it readable again.
    asks_system = asks_system && is_ending_;
  }
  return Left::some;
}

FrameReader::Outcome WorkerChannel::receive(bool asks_system) {
  try {
    const auto outcome = asks_system ? reader_.receive(socket_end_.get()) : reader_.glance(socket_end_.get());
    if (outcome != FrameReader::Outcome::long_text || listener_ == nullptr) return outcome;
    // Of one that has ended no more is kept than of one that waits.
    const bool is_wanted =
        has_room() && listener_->long_message_came(to_host::long_message(reader_.frame(), reader_.long_text_bytes()));
    if (!is_wanted) return outcome;
    return reader_.read_long_text() ? FrameReader::Outcome::frame : FrameReader::Outcome::wrong;
  } catch (const std::bad_alloc&) {
    return FrameReader::Outcome::lost;
  }
}

bool WorkerChannel::tell(const Frame& frame) {
  const auto message = to_host::read(frame);
  if (!message) return false;
  if (listener_ == nullptr) return true;
  is_telling_ = true;
  listener_->message_came(*message);
  is_telling_ = false;
  return true;
}

void WorkerChannel::print(std::string_view line) {
  if (listener_ != nullptr) listener_->line_printed(line);
}

void WorkerChannel::read_what_is_left() {
  const auto left = process_->end_descendants();
  // One that could hide may go on writing: to nobody from here on, and into the ring, of which a bounded part is read.
  ::shutdown(socket_end_.get(), SHUT_RD);
  // To the end: what woke this side may be all that stands before its last messages.
  for (std::size_t read = 0; read < messages_at_end && read_messages(messages_at_once) != Left::no_more;
       read += messages_at_once) {
  }
  for (int read = 0; read < outputs_at_end && printed_.read() == PrintedLines::Read::much; ++read) {
  }
  printed_.end();
  if (listener_ != nullptr && (left.had_left > 0 || !left.all)) listener_->left_processes(left);
}

void WorkerChannel::see_end() {
  if (std::exchange(is_ending_, true)) return;
  try {
    read_what_is_left();
  } catch (const std::exception&) {
    // There is no memory for what it has left. Its calls have to end all the same.
  }
  ended_ = true;
  const auto end = process_->reap();
  {
    const MutexLock lock(sending_);
    ended_sending_ = true;
    kept_.clear();
    writer_.drop();
  }
  if (listener_ == nullptr) return;
  is_telling_ = true;
  listener_->process_ended(end);
  is_telling_ = false;
}

void WorkerChannel::close() {
  watch_.release();
  socket_.release();
  output_.release();
  silence_.cancel();
  output_pause_.cancel();
  crowd_.cancel();
}

}  // namespace mcph
