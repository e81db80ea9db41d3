#include "worker/worker.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "plugin/library/crash_report.hpp"
#include "worker/resource_limit.hpp"
#include "worker/worker_call.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using boost::asio::posix::stream_descriptor;

// Like the limit of the host, which counts the calls of all plugins.
constexpr unsigned max_blocked_threads = 128;
// In which what the plugin records is gathered.
constexpr std::chrono::milliseconds metrics_interval{1000};
// Without a long text, until the memory in which they lay is given back.
constexpr std::chrono::milliseconds memory_interval{1000};
// Before the loop has its turn for what else there is.
constexpr std::size_t frames_at_once = 64;
// For which the worker looks for a next frame before it sleeps, because to be woken takes longer than a quick call:
// long where one client waits for each answer; only for a moment where frames come so close to each other that there is
// much to do, and somebody else needs the processor; and not at all where they come seldom.
constexpr std::chrono::microseconds long_spin{150};
constexpr std::chrono::microseconds short_spin{10};
constexpr std::chrono::microseconds close_interval{40};
constexpr std::chrono::microseconds lively_interval{500};

// What the answer to the host takes, where a limit leaves nothing: the allocator keeps what it has been given back.
void make_room_for_answer() {
  constexpr std::size_t room = std::size_t{64} << 10;
  void* volatile taken = std::malloc(room);
  std::free(taken);
}

// The host keeps the plugin's values.
class HostStore final : public PluginStore {
 public:
  explicit HostStore(HostLink& host) : host_(host) {}
  mcph::StoreAnswer perform(const StoreOperation& operation) override { return host_.ask_store(operation); }

 private:
  HostLink& host_;
};

// What keeps a library from being loaded may be a limit, which the dynamic linker does not know by its name.
Error with_limits(Error error, const PluginLimits& limits, const Sandbox& sandbox) {
  if (limits.memory_bytes > 0) {
    error.message += "; limits.memoryBytes allows it " + std::to_string(limits.memory_bytes) + " bytes";
  }
  if (limits.open_files > 0) {
    error.message += "; limits.openFiles allows it " + std::to_string(limits.open_files) + " descriptors";
  } else if (sandbox.profile != SandboxProfile::none &&
             error.message.find("Too many open files") != std::string::npos) {
    error.message += "; its sandbox allows it " + std::to_string(sandboxed_open_files) +
                     " descriptors, and limits.openFiles another number";
  }
  return error;
}

}  // namespace

Worker::Worker(HostConnection host, QueryId load, WorkerSetup setup, std::vector<std::string> lacks)
    : load_(load),
      setup_(std::move(setup)),
      sandbox_lacks_(std::move(lacks)),
      socket_(host.socket),
      reader_(std::move(host.reader)),
      host_(std::move(host.writer), [this] { long_text_sent(); }),
      log_(host_),
      threads_(1, max_blocked_threads),
      readable_(threads_.next_context(), socket_),
      metrics_due_(readable_.get_executor()),
      memory_due_(readable_.get_executor()) {}

void Worker::run() {
  on_control([this] { load(); });
  go_on_reading();
  MutexLock lock(mutex_);
  while (!stopping_) {
    while (!stopping_ && control_.empty())
      control_changed_.wait(lock);
    while (!control_.empty()) {
      const auto task = std::move(control_.front());
      control_.pop_front();
      lock.unlock();
      run_plugin(task);
      lock.lock();
    }
  }
  // The contract: no invoke runs beside stop. The host has its own patience, after which it kills this process.
  while (running_ != 0)
    control_changed_.wait(lock);
  lock.unlock();
  if (plugin_ != nullptr) run_plugin([this] { plugin_->stop_here(); });
  send_metrics();
}

void Worker::run(std::function<void()> task) {
  threads_.run(counted(std::move(task)));
}

void Worker::run_urgently(std::function<void()> task) {
  threads_.run_urgently(counted(std::move(task)));
}

std::function<void()> Worker::counted(std::function<void()> task) {
  ++running_;
  return [this, task = std::move(task)]() mutable {
    const Running running(*this);
    const auto once = std::move(task);  // what it owns goes first
    run_plugin(once);
  };
}

void Worker::end_running() {
  const MutexLock lock(mutex_);
  // Before that the control thread has no use for it, and each call would wake it.
  if (--running_ == 0 && stopping_) control_changed_.notify_one();
}

Worker::InPlugin::InPlugin(Worker& worker) : worker_(worker) {
  const MutexLock lock(worker_.mutex_);
  worker_.in_plugin_.push_back(thread_);
}

Worker::InPlugin::~InPlugin() {
  const MutexLock lock(worker_.mutex_);
  std::erase(worker_.in_plugin_, thread_);
}

void Worker::run_plugin(const std::function<void()>& task) {
  const InPlugin in_plugin(*this);
  task();
}

void Worker::wait_for_frames() {
  readable_.async_wait(stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (!error) read(true);
  });
}

// On the loop. Calls run here, between the frames: a thread that does not come back from one within a moment has lost
// its loop, where another goes on with what has been posted before the call began. Where there is no memory to read,
// nothing that comes later would be read either.
void Worker::read(bool asks_system) try {
  for (std::size_t i = 0; i < frames_at_once; ++i) {
    switch (next_frame(std::exchange(asks_system, false))) {
      case FrameReader::Outcome::frame:
        if (const auto message = to_worker::read(reader_.frame())) {
          if (!take(*message)) return;
        } else {
          ::_exit(lost_connection_status);  // this is no host
        }
        break;
      case FrameReader::Outcome::none:
        if (goes_on_) return;
        if (!reader_.prepare_to_sleep()) return go_on_reading();
        return wait_for_frames();
      case FrameReader::Outcome::lost:
        ::_exit(out_of_memory_status);
      case FrameReader::Outcome::end:
      case FrameReader::Outcome::wrong:
      case FrameReader::Outcome::long_text:  // none that this asked for
        ::_exit(lost_connection_status);     // nobody is left to serve
    }
  }
  go_on_reading();
} catch (const std::bad_alloc&) {
  ::_exit(out_of_memory_status);
}

FrameReader::Outcome Worker::next_frame(bool asks_system) {
  auto outcome = asks_system ? reader_.receive_whole(socket_) : reader_.glance_whole(socket_);
  auto now = std::chrono::steady_clock::now();
  while (outcome == FrameReader::Outcome::none && now - last_frame_ < spin_time_) {
    std::this_thread::yield();  // to whoever has something to do
    outcome = reader_.glance_whole(socket_);
    now = std::chrono::steady_clock::now();
  }
  if (outcome == FrameReader::Outcome::frame) frame_came(now);
  return outcome;
}

void Worker::frame_came(std::chrono::steady_clock::time_point now) {
  constexpr int weight_of_before = 7;
  const auto interval = std::min<std::chrono::nanoseconds>(now - last_frame_, lively_interval);
  last_frame_ = now;
  mean_interval_ = (weight_of_before * mean_interval_ + interval) / (weight_of_before + 1);
  // Where processor time is short, the plugin needs it.
  const bool is_lively = interval < lively_interval && setup_.limits.cpu_percent == 0;
  spin_time_ = !is_lively ? 0us : mean_interval_ < close_interval ? short_spin : long_spin;
}

void Worker::go_on_reading() {
  if (std::exchange(goes_on_, true)) return;
  boost::asio::post(readable_.get_executor(), [this] {
    goes_on_ = false;
    read(false);
  });
}

bool Worker::take(const to_worker::Message& message) {
  return std::visit(
      [this](const auto& each) {
        if constexpr (std::is_same_v<decltype(take(each)), bool>) {
          return take(each);
        } else {
          take(each);
          return true;
        }
      },
      message);
}

// It came, and was loaded, before everything else.
void Worker::take(const to_worker::Load& /*load*/) {
  ::_exit(lost_connection_status);
}

void Worker::take(const to_worker::Describe& describe) {
  on_control([this, query = describe.query] {
    const auto description = plugin_->describe();
    if (description.has_error()) return fail(query, description.error());
    host_.send(to_host::Ready{query, *description, {}});
  });
}

void Worker::take(const to_worker::Start& start) {
  on_control([this, query = start.query] {
    if (const auto started = plugin_->start(); started.has_error()) return fail(query, started.error());
    host_.send(to_host::Ready{query, {}, {}});
  });
}

bool Worker::take(const to_worker::Invoke& invoke) {
  const auto over = [this](CallId id) {
    const MutexLock lock(mutex_);
    calls_.erase(id);
  };
  const auto call = std::make_shared<WorkerCall>(invoke, host_, over);
  InProcessPlugin* plugin = nullptr;
  {
    const MutexLock lock(mutex_);
    calls_.emplace(invoke.call, call);
    plugin = plugin_.get();
  }
  auto admitted = plugin->admit(call);
  if (!admitted) return true;
  go_on_reading();
  ++running_;
  return threads_.run_at_once([this, plugin, admitted = *std::move(admitted)]() mutable {
    const Running running(*this);
    run_plugin([&] { plugin->run(std::move(admitted)); });
  });
}

void Worker::take(const to_worker::Cancel& cancel) {
  std::shared_ptr<Call> call;
  {
    const MutexLock lock(mutex_);
    const auto found = calls_.find(cancel.call);
    if (found == calls_.end()) return;
    call = found->second;
  }
  call->cancel(static_cast<CancelReason>(cancel.reason));
}

void Worker::take(const to_worker::Answer& answer) {
  host_.answer(answer);
}

void Worker::take(const to_worker::Stop& /*stop*/) {
  on_control([this] {
    const MutexLock lock(mutex_);
    stopping_ = true;
  });
}

void Worker::take(const to_worker::SubscriptionsChanged& changed) {
  const auto changes = SubscriptionChanges::read(changed.changes);
  if (changes.has_error()) ::_exit(lost_connection_status);  // this is no host
  subscriptions_->change(*changes);
  host_.send(to_host::SubscriptionsTaken{});
}

void Worker::take(const to_worker::StoreAnswer& answer) {
  host_.answer(answer);
}

void Worker::follow_subscriptions() {
  std::call_once(follows_subscriptions_,
                 [this] { host_.ask([](QueryId query) { return to_host::SubscriptionsQuery{query}; }); });
}

void Worker::take(const to_worker::TellPlaces& /*tell*/) {
  const MutexLock lock(mutex_);  // so that none of them ends
  for (const auto thread : in_plugin_)
    report_place_of(thread);
  ::_exit(EXIT_FAILURE);  // the host knows why
}

void Worker::on_control(std::function<void()> task) {
  {
    const MutexLock lock(mutex_);
    control_.push_back(std::move(task));
  }
  control_changed_.notify_one();
}

void Worker::long_text_sent() {
  if (long_texts_.load(std::memory_order_relaxed) == LongTexts::since) return;
  if (long_texts_.exchange(LongTexts::since) != LongTexts::none) return;
  boost::asio::post(memory_due_.get_executor(), [this] { give_back_memory_later(); });
}

void Worker::give_back_memory_later() {
  memory_due_.expires_after(memory_interval);
  memory_due_.async_wait([this](const boost::system::error_code& error) {
    // Not on the thread that reads: the host may be behind.
    if (!error) threads_.run([this] { give_back_memory(); });
  });
}

void Worker::give_back_memory() {
  auto expected = LongTexts::before;
  const bool is_given_back = long_texts_ == expected && host_.give_back_memory() &&
                             long_texts_.compare_exchange_strong(expected, LongTexts::none);
  if (is_given_back) return;
  long_texts_ = LongTexts::before;
  boost::asio::post(memory_due_.get_executor(), [this] { give_back_memory_later(); });
}

void Worker::send_metrics_soon() {
  boost::asio::post(metrics_due_.get_executor(), [this] {
    metrics_due_.expires_after(metrics_interval);
    metrics_due_.async_wait([this](const boost::system::error_code& error) {
      // Not on the thread that reads: the host may be behind.
      if (!error) threads_.run([this] { send_metrics(); });
    });
  });
}

void Worker::send_metrics() {
  const MutexLock lock(metrics_mutex_);  // so that what was recorded first arrives first
  for (const auto& changes : metrics_->take_changes())
    host_.send(to_host::MetricsRecorded{changes});
}

void Worker::load() {
  if (const auto created = create(); created.has_error()) return fail(load_, created.error());
  const auto& identity = plugin_->identity();
  const auto who = WorkerIdentity{identity.name, identity.version, identity.about, sandbox_lacks_}.json();
  if (!setup_.starts) return host_.send(to_host::Ready{load_, {}, who});
  const auto description = plugin_->describe();
  if (description.has_error()) return fail(load_, description.error());
  if (const auto started = plugin_->start(); started.has_error()) return fail(load_, started.error());
  host_.send(to_host::Ready{load_, *description, who});
}

Result<> Worker::create() {
  const auto& limits = setup_.limits;
  if (limits.memory_bytes > 0) make_room_for_answer();
  keep_to(limits);
  if (limits.memory_bytes > 0) report_lack_of_memory();
  auto library = PluginLibrary::load(setup_.library);
  if (library.has_error()) return with_limits(library.error(), limits, setup_.sandbox);
  PluginSetup plugin{
      .file = setup_.file,
      .digest = setup_.digest,
      .bundle = setup_.bundle,
      .configuration = setup_.configuration,
      .data_directory = setup_.data_directory,
      .limits = setup_.limits,
      .events = {.components_changed = [this](const auto&) { host_.send(to_host::ComponentsChanged{}); },
                 .resource_updated = [this](const std::string& uri) { host_.send(to_host::ResourceUpdated{uri}); }},
      .server_info = {},
      .subscriptions = subscriptions_,
      .follow_subscriptions = [this] { follow_subscriptions(); },
      .metrics = metrics_};
  if (setup_.has_server_info)
    plugin.server_info = [this] { return host_.ask([](QueryId query) { return to_host::ServerInfoQuery{query}; }); };
  if (setup_.has_store) plugin.store = std::make_shared<HostStore>(host_);
  auto created = InProcessPlugin::create(*std::move(library), std::move(plugin), *this, log_);
  if (created.has_error()) return created.error();
  const MutexLock lock(mutex_);
  plugin_ = *std::move(created);
  return {};
}

void Worker::fail(QueryId query, const Error& error) {
  host_.send(to_host::Failed{query, error.may_pass(), error.message});
}

}  // namespace mcph
