// What goes between the host and one worker, as long as that lives: messages both ways, the lines that it prints, and
// its end. Shared with the I/O context that reads it, which is one of those that serve clients, so that an answer goes
// to its client without waiting for another thread. Ends by itself when the process does.
//
// Who reads holds the lock `reading_`: the I/O context when the socket is readable; a thread that has given a call and
// looks for answers between all else that it has to do (look_for_messages); and whoever stops the worker
// (wait_for_end). What comes is told under that lock, so one thing at a time and in order. Sending has a lock of its
// own, because it goes on while what came is worked on.
//
//   while            | the worker's next message          | ends
//   -----------------+------------------------------------+------------------------------------------------------
//   somebody looks   | is found by whoever looks, without | when no call is in flight, or nothing has come for a
//   (is_looking_)    | a system call of either side       | moment (ShortWait); nobody looks then
//   nobody looks     | makes the socket readable          | by a call that is given, or by what has been read while
//                    |                                    | calls are in flight
//
// The socket is waited for all the time but while the I/O context reads, because it tells of its end, too. This class
// has more members than most, because the socket, the output and the process's end have to end together.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "plugin/isolated/fork_server.hpp"
#include "plugin/isolated/printed_lines.hpp"
#include "plugin/isolated/short_wait.hpp"
#include "plugin/isolated/worker_frame.hpp"
#include "plugin/isolated/worker_messages.hpp"
#include "plugin/isolated/worker_process.hpp"
#include "runtime/executor.hpp"

namespace mcph {

// Who hears of a worker, one thing at a time, on the I/O context or on a thread that looks or stops. Nothing after
// forget().
class WorkerListener {
 public:
  virtual void message_came(const to_host::Message& message) = 0;
  // One whose text has not been read yet, because that takes its time: whether it is to be. If it is, message_came
  // follows.
  virtual bool long_message_came(const to_host::LongMessage& message) = 0;
  virtual void line_printed(std::string_view line) = 0;
  // When it has ended: that processes which it had started, and which had left its group, were ended with it, or that
  // not all were.
  virtual void left_processes(const ProcessMark::Ended& ended) = 0;
  // Whether calls are in flight, whose answers come soon.
  virtual bool expects_messages() = 0;
  // Once, after everything else.
  virtual void process_ended(const WorkerEnd& end) = 0;

 protected:
  ~WorkerListener() = default;
};

class WorkerChannel : public std::enable_shared_from_this<WorkerChannel> {
 public:
  // Of which worker.
  struct Program {
    const std::filesystem::path& program;
    const std::string& plugin;
    bool shared_memory;       // where the system has it
    ForkServer* fork_server;  // null: the program is started
  };
  // Starts the program, or forks it, and says nothing of it before begin. Threads and `plugin` as WorkerProcess::spawn
  // says. The executor, whose context this is, outlives it.
  static Result<std::shared_ptr<WorkerChannel>> open(const Program& program, boost::asio::io_context& context,
                                                     Executor& executor, WorkerListener& listener);

  struct Ends {
    FileDescriptor socket;
    FileDescriptor output;
  };
  WorkerChannel(boost::asio::io_context& context, Executor& executor, WorkerListener& listener,
                std::shared_ptr<WorkerProcess> process, Ends ends);
  ~WorkerChannel();
  WorkerChannel(const WorkerChannel&) = delete;
  WorkerChannel& operator=(const WorkerChannel&) = delete;

  WorkerProcess& process() const { return *process_; }
  std::shared_ptr<WorkerProcess> shared_process() const { return process_; }

  // [any] Once: from now on the listener hears of it.
  void begin();

  // [any] In order; kept here while there is no room. False: it will not arrive.
  template <class Message>
  bool send(const Message& message) {
    return send_frame(frame_of(message));
  }

  // [any] After a call: has this thread look for answers for a moment (ShortWait) instead of sleeping, unless somebody
  // does already. It does so between all else that it has to do.
  void look_for_messages();

  // [any] Has it tell where it is and end, because it does not come back; `why` is how it has ended then. False: it has
  // been asked already. It may take so long for that, and is to be killed then.
  static constexpr std::chrono::milliseconds places_time{1000};
  bool ask_for_places(std::string why);

  // [any] A long message is worked on, until the last pointer goes. While there is no room for one more, nothing is
  // read of the worker: what it makes the host hold has a bound.
  std::shared_ptr<void> begin_long_message();

  // Waits until it has ended; after that time it has it tell where it is, and kills it, even if somebody debugs it.
  // Reads meanwhile, because the I/O context may not any more. Not on the I/O context.
  void wait_for_end(std::chrono::milliseconds time);

  // The listener hears nothing more. Not on the I/O context.
  void forget();

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  static constexpr std::size_t max_long_messages = 4;
  // A frame with texts of its own.
  struct Kept {
    Frame::Kind kind;
    std::int32_t number;
    std::uint64_t id;
    std::string text;
    std::string more;
  };

  bool send_frame(const Frame& frame);
  void resume_sending(FrameWriter::Full full);
  void send_kept();
  void send_what_is_kept() REQUIRES(sending_);
  void send_later() REQUIRES(sending_);
  void share(FileDescriptor memory, const std::shared_ptr<SharedRings>& rings);

  enum class Left { nothing, some, no_more };  // after reading, what there is to read now, or ever
  void watch_messages();
  void read_here(bool asks_system);
  std::optional<Left> read_some(bool asks_system);  // nothing: it has ended
  void go_on_watching(Left left);
  void watch_output();
  void go_on_watching_output(PrintedLines::Read output);
  void watch_end();
  void close();  // on the I/O context, or when nobody else has it

  void look();
  bool look_once() REQUIRES(reading_);      // whether to look again
  bool begin_looking() REQUIRES(reading_);  // false: there is no memory for that
  bool end_looking() REQUIRES(reading_);    // false: something has just come
  bool expects_messages() REQUIRES(reading_) { return listener_ != nullptr && listener_->expects_messages(); }

  void end_long_message();
  bool has_room() const { return long_messages_.load() < max_long_messages; }
  bool waits_for_room();  // if so, whoever makes room goes on

  Left read_messages(std::size_t most, bool asks_system = true) REQUIRES(reading_);
  FrameReader::Outcome receive(bool asks_system) REQUIRES(reading_);
  bool tell(const Frame& frame) REQUIRES(reading_);
  void print(std::string_view line) REQUIRES(reading_);
  void read_what_is_left() REQUIRES(reading_);
  void see_end() REQUIRES(reading_);

  boost::asio::io_context& context_;
  Executor& executor_;
  const std::shared_ptr<WorkerProcess> process_;
  FileDescriptor socket_end_;
  const int output_end_;

  Mutex sending_;
  FrameWriter writer_ GUARDED_BY(sending_);
  bool ended_sending_ GUARDED_BY(sending_) = false;
  bool asked_for_places_ GUARDED_BY(sending_) = false;
  std::deque<Kept> kept_ GUARDED_BY(sending_);  // what there was no room for
  std::size_t kept_bytes_ GUARDED_BY(sending_) = 0;
  std::atomic<bool> has_kept_{false};
  bool waits_to_send_ GUARDED_BY(sending_) = false;  // until the socket has room, or for a moment

  std::atomic<std::size_t> long_messages_{0};
  std::atomic<bool> room_is_waited_for_{false};
  std::atomic<std::uint64_t> messages_{0};  // sent and read

  Mutex reading_;
  WorkerListener* listener_ GUARDED_BY(reading_);  // null once it is forgotten
  ShortWait short_wait_ GUARDED_BY(reading_);
  std::atomic<bool> is_looking_{false};                   // written under reading_
  std::atomic<bool> is_telling_{false};                   // likewise: the listener is being told
  std::uint64_t seen_messages_ GUARDED_BY(reading_) = 0;  // when it was looked last
  FrameReader reader_ GUARDED_BY(reading_);
  PrintedLines printed_ GUARDED_BY(reading_);
  bool is_ending_ GUARDED_BY(reading_) = false;  // what it has left is read
  bool ended_ GUARDED_BY(reading_) = false;

  // Of the process's end, the socket and the output, which they do not own; the I/O context's.
  Descriptor watch_;
  Descriptor socket_;
  bool is_waiting_ = false;  // for the socket
  Descriptor output_;
  boost::asio::steady_timer silence_;
  boost::asio::steady_timer output_pause_;
  boost::asio::steady_timer crowd_;  // of descriptors, which it waits to pass
};

}  // namespace mcph
