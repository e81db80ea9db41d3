// One plugin in a process of its own, served to the host at the other end of a socket. The thread that runs `run` is
// the plugin's control thread; frames are read, and calls run, on event loops as in the host. Owned by main. One
// function a kind of message that the host sends, and all that the process has is here, once.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/mutex.hpp"
#include "plugin/in_process/in_process_plugin.hpp"
#include "plugin/isolated/worker_frame.hpp"
#include "plugin/isolated/worker_setup.hpp"
#include "runtime/event_loops.hpp"
#include "runtime/executor.hpp"
#include "worker/host_link.hpp"
#include "worker/worker_log.hpp"

namespace mcph {

class Worker : private Executor {
 public:
  // `load` is the query that brought the setup. `lacks`: what the sandbox, which has been entered, is without.
  Worker(HostConnection host, QueryId load, WorkerSetup setup, std::vector<std::string> lacks);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Until the host says that it is enough. Where the host is gone, the process ends at once.
  void run();

 private:
  void run(std::function<void()> task) override;
  void run_urgently(std::function<void()> task) override;
  std::function<void()> counted(std::function<void()> task);
  void end_running();
  // What has been counted as running does, as long as this lives; its task may throw.
  class Running {
   public:
    explicit Running(Worker& worker) : worker_(worker) {}
    ~Running() { worker_.end_running(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    Worker& worker_;
  };
  // This thread runs the plugin, as long as this lives: one that has gone must not be asked where it is.
  class InPlugin {
   public:
    explicit InPlugin(Worker& worker);
    ~InPlugin();
    InPlugin(const InPlugin&) = delete;
    InPlugin& operator=(const InPlugin&) = delete;

   private:
    Worker& worker_;
    const pthread_t thread_ = ::pthread_self();
  };
  // The task is the plugin's code, which may not come back.
  void run_plugin(const std::function<void()>& task);
  void wait_for_frames();
  void read(bool asks_system);
  FrameReader::Outcome next_frame(bool asks_system);
  void frame_came(std::chrono::steady_clock::time_point now);
  void go_on_reading();
  bool take(const to_worker::Message& message);  // false: this thread has lost its loop meanwhile
  void take(const to_worker::Load& load);
  void take(const to_worker::Describe& describe);
  void take(const to_worker::Start& start);
  bool take(const to_worker::Invoke& invoke);
  void take(const to_worker::Cancel& cancel);
  void take(const to_worker::Answer& answer);
  void take(const to_worker::Stop& stop);
  void take(const to_worker::SubscriptionsChanged& changed);
  void take(const to_worker::StoreAnswer& answer);
  [[noreturn]] void take(const to_worker::TellPlaces& tell);
  void on_control(std::function<void()> task);

  void follow_subscriptions();
  void long_text_sent();
  void give_back_memory_later();
  void give_back_memory();
  void send_metrics_soon();
  void send_metrics();
  void load();
  Result<> create();
  void fail(QueryId query, const Error& error);

  const QueryId load_;
  const WorkerSetup setup_;
  const std::vector<std::string> sandbox_lacks_;
  const int socket_;
  FrameReader reader_;
  HostLink host_;
  WorkerLog log_;
  EventLoops threads_;
  boost::asio::posix::stream_descriptor readable_;
  std::chrono::steady_clock::time_point last_frame_;
  std::chrono::nanoseconds mean_interval_ = std::chrono::milliseconds(1);  // between the last frames
  std::chrono::nanoseconds spin_time_{0};                                  // since the last frame
  bool goes_on_ = false;                                                   // it has been posted that reading goes on
  const std::shared_ptr<SubscribedResources> subscriptions_ = std::make_shared<SubscribedResources>();
  std::once_flag follows_subscriptions_;
  boost::asio::steady_timer metrics_due_;
  boost::asio::steady_timer memory_due_;
  // What has been sent since their memory was given back; since: and since that was tried last.
  enum class LongTexts { none, before, since };
  std::atomic<LongTexts> long_texts_{LongTexts::none};
  Mutex metrics_mutex_;
  const std::shared_ptr<PluginMetrics> metrics_ = std::make_shared<PluginMetrics>([this] { send_metrics_soon(); });
  std::unique_ptr<InProcessPlugin> plugin_;

  Mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Call>> calls_ GUARDED_BY(mutex_);  // by the host's ids
  Condition control_changed_;
  std::deque<std::function<void()>> control_ GUARDED_BY(mutex_);  // what the control thread has to do
  std::vector<pthread_t> in_plugin_ GUARDED_BY(mutex_);  // threads that run the plugin, for the longest time first
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::atomic<std::size_t> running_{0};  // calls and cancellations on the event loops
};

}  // namespace mcph
