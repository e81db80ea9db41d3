// A worker seen from the host: a child process, the socket to it, and what it prints. Made by spawn and shared with the
// I/O context that reads it, which is one of those that serve clients, so that an answer goes to its client without
// waiting for another thread. Ends by itself when the process does; destroying the last pointer kills it. What the
// process has started ends with it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.hpp"
#include "plugin/isolated/process_mark.hpp"
#include "plugin/isolated/worker_frame.hpp"
#include "runtime/call_runner.hpp"

namespace mcph {

// Who hears of a worker, one thing at a time, on the I/O context or in stop. Nothing after forget().
class WorkerListener {
 public:
  virtual void frame_came(const Frame& frame) = 0;
  // One whose text, of `size` bytes, has not been read yet, because that takes its time: whether it is to be. If it is,
  // frame_came follows.
  virtual bool long_frame_came(const Frame& head, std::size_t size) = 0;
  virtual void line_printed(std::string_view line) = 0;
  // When it has ended: that processes which it had started, and which had left its group, were ended with it, or that
  // not all were.
  virtual void left_processes(const ProcessMark::Ended& ended) = 0;
  // Once, after everything else. `how` continues "its process ...".
  virtual void process_ended(const std::string& how) = 0;

 protected:
  ~WorkerListener() = default;
};

class WorkerProcess : public std::enable_shared_from_this<WorkerProcess> {
 public:
  // Starts the program, and says nothing of it before begin. On a thread that lives as long as the workers may, because
  // they die with the thread that started them. `plugin` is what people who list processes see. The runner, whose
  // context this is, outlives it.
  static Result<std::shared_ptr<WorkerProcess>> spawn(const std::filesystem::path& program, const std::string& plugin,
                                                      boost::asio::io_context& context, CallRunner& runner,
                                                      WorkerListener& listener);

  WorkerProcess(boost::asio::io_context& context, CallRunner& runner, WorkerListener& listener, int process,
                ProcessMark mark, FileDescriptor end, FileDescriptor socket, FileDescriptor output);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int id() const { return process_; }

  // [any] Once: from now on the listener hears of it.
  void begin();

  // [any] In order; kept here while the socket is full. False: it will not arrive.
  bool send(const Frame& frame);

  // [any] Waits a moment for what it says without sleeping, because to be woken takes longer than a quick call. Does
  // nothing while somebody reads already, and seldom something where it has been in vain.
  void look_for_frame();

  // [any] Has it print where it is and end, because it does not come back; `why` as for kill. False: it has been asked
  // already. It may take so long for that, and is to be killed then.
  static constexpr std::chrono::milliseconds report_time{1000};
  bool report(std::string why);

  // [any] Ends it at once, with its process group. `why` becomes how it ended, if it has not ended yet.
  void kill(std::string why);

  // [any] The processor time that all its threads have used; nothing once it has ended.
  std::optional<std::chrono::nanoseconds> cpu_time();

  // [any] Whether somebody debugs it, so that it may stand still: neither this process nor what it has started.
  bool is_debugged();

  // [any] Stops its threads where they are, and lets them go on.
  void pause() const;
  void resume() const;

  // [any] A long frame is worked on, until the last pointer goes. While there is no room for one more, nothing is read
  // of the worker: what it makes the host hold has a bound.
  std::shared_ptr<void> begin_long_frame();

  // Waits until it has ended; after that time it has it report, and kills it, even if somebody debugs it. Reads
  // meanwhile, because the I/O context may not any more. Not on the I/O context.
  void wait_for_end(std::chrono::milliseconds time);

  // The listener hears nothing more. Not on the I/O context.
  void forget();

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  static constexpr std::size_t max_long_frames = 4;
  struct Kept;
  enum class Output { some, much, over };

  void watch_frames();
  void go_on_watching(bool more);
  void end_long_frame();
  bool has_room() const { return long_frames_.load() < max_long_frames; }
  bool waits_for_room();  // if so, whoever makes room goes on
  void watch_output();
  void go_on_watching_output(Output output);
  void watch_end();
  void resume_sending();
  void send_kept();
  void signal(int number) const;
  void note_end(std::string why);     // needs the lock on sending
  void end_because(std::string why);  // likewise
  // The functions below need the lock on reading.
  bool read_frames(std::size_t most);  // false: no more will come
  FrameReader::Outcome receive();
  Output read_output();
  void print(std::string_view bytes);
  void see_end();
  void close();  // on the I/O context

  boost::asio::io_context& context_;
  CallRunner& runner_;
  const int process_;
  const ProcessMark mark_;
  const FileDescriptor end_;  // readable when the process has ended
  const FileDescriptor socket_end_;
  const FileDescriptor output_end_;

  std::mutex sending_;
  bool gone_ = false;
  std::deque<Kept> kept_;  // what the socket had no room for
  std::size_t kept_bytes_ = 0;
  std::string killed_because_;
  bool reports_ = false;

  std::atomic<std::size_t> long_frames_{0};
  std::atomic<bool> room_is_waited_for_{false};

  std::recursive_mutex reading_;
  WorkerListener* listener_;  // null once it is forgotten
  bool in_listener_ = false;
  std::uint64_t frames_read_ = 0;
  int looks_to_skip_ = 0;
  FrameReader reader_;
  std::string line_;
  bool is_ending_ = false;  // what it has left is read
  bool ended_ = false;

  // Of the three above, which they do not own; the I/O context's.
  Descriptor watch_;
  Descriptor socket_;
  Descriptor output_;
  boost::asio::steady_timer silence_;
  boost::asio::steady_timer output_pause_;
};

}  // namespace mcph
