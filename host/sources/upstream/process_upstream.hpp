// An upstream that is a program of this machine: a worker (WorkerProcess) that becomes it, with the worker's sandbox
// and limits, and that the host writes messages to and reads messages from, one a line. What it prints besides, on its
// standard error, are lines for the log. It ends with all that it has started. Its pipes, its process and its limits
// make so many members: none of them ends without the others.
//
// Who reads holds the lock `reading_`: the I/O context, and whoever waits for the end. Sending has a lock of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include "base/file_descriptor.hpp"
#include "base/mutex.hpp"
#include "plugin/isolated/cpu_share.hpp"
#include "plugin/isolated/printed_lines.hpp"
#include "plugin/isolated/worker_process.hpp"
#include "plugin/isolated/worker_setup.hpp"
#include "plugin/isolated/workers.hpp"
#include "sources/upstream/message_lines.hpp"
#include "sources/upstream/upstream_transport.hpp"

namespace mcph {

class ProcessUpstream final : public UpstreamTransport, public std::enable_shared_from_this<ProcessUpstream> {
 public:
  struct Setup {
    std::string name;    // that people who list processes see
    WorkerSetup worker;  // with its program
    std::size_t max_message_bytes = 0;
    std::function<void(std::string_view line)> printed;                 // on its standard error; any thread
    std::function<void(std::vector<std::string> lacks)> sandbox_lacks;  // once, if there are any
    std::function<void()> throttled = {};                               // it used too much processor time
  };

  // The workers outlive it.
  ProcessUpstream(Setup setup, Workers& workers);
  ~ProcessUpstream() override;
  ProcessUpstream(const ProcessUpstream&) = delete;
  ProcessUpstream& operator=(const ProcessUpstream&) = delete;

  Result<> begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds patience) override;
  Result<> send(UpstreamMessage message) override;
  void abandon(std::string_view /*id*/) override {}
  void close() override;
  void wait_until_closed(std::chrono::milliseconds patience) override;
  int process() const override;

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;

  std::shared_ptr<WorkerProcess> started() const;  // null: none has been started
  void end_cpu_share();
  Result<> open(std::chrono::milliseconds patience);
  Result<> hand_over(int socket, std::chrono::milliseconds patience);
  boost::system::error_code assign_watched();
  void watch();
  void watch_messages();
  void go_on_watching(bool more);
  void watch_errors();
  void watch_end();
  void release_descriptors();

  bool read_messages(std::size_t most) REQUIRES(reading_);  // false: no more will come
  void read_what_is_left() REQUIRES(reading_);
  void see_end() REQUIRES(reading_);
  void tell(std::string_view line) REQUIRES(reading_);
  void tell_long(std::size_t size, std::string_view beginning, std::string_view end) REQUIRES(reading_);

  void send_kept() REQUIRES(sending_);
  void resume_sending();
  void end_sending();

  const Setup setup_;
  Workers& workers_;
  boost::asio::io_context& context_;

  // Written once, by begin. Whoever may come before its end asks `started` for the process.
  mutable Mutex starting_;
  std::shared_ptr<WorkerProcess> process_;
  std::shared_ptr<CpuShare> cpu_share_ GUARDED_BY(starting_);
  FileDescriptor output_;
  int errors_ = -1;

  Mutex sending_;
  FileDescriptor input_ GUARDED_BY(sending_);
  std::deque<std::string> kept_ GUARDED_BY(sending_);  // what the pipe had no room for
  std::size_t kept_bytes_ GUARDED_BY(sending_) = 0;
  std::size_t written_ GUARDED_BY(sending_) = 0;  // of the first
  bool closing_ GUARDED_BY(sending_) = false;

  Mutex reading_;
  std::weak_ptr<UpstreamListener> listener_ GUARDED_BY(reading_);
  MessageLines lines_ GUARDED_BY(reading_);
  std::unique_ptr<PrintedLines> printed_ GUARDED_BY(reading_);
  bool tells_what_is_printed_ GUARDED_BY(reading_) = true;
  bool ended_ GUARDED_BY(reading_) = false;
  std::atomic<bool> is_closed_{false};  // nothing more is told

  // They do not own what they watch; the I/O context's once all is begun, but for the one that is guarded.
  Descriptor watched_output_;
  Descriptor watched_errors_;
  Descriptor watched_input_ GUARDED_BY(sending_);
  Descriptor watched_end_;
  boost::asio::steady_timer silence_;
};

}  // namespace mcph
