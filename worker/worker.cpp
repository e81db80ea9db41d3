#include "worker/worker.hpp"

#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "plugin/library/crash_report.hpp"
#include "worker/resource_limit.hpp"
#include "worker/worker_call.hpp"

namespace mcph {
namespace {

using boost::asio::posix::stream_descriptor;

// Like the limit of the host, which counts the calls of all plugins.
constexpr unsigned max_blocked_threads = 128;
// In which what the plugin records is gathered.
constexpr std::chrono::milliseconds metrics_interval{1000};
// For which the worker looks for a next frame before it sleeps, because to be woken takes longer than a quick call; but
// only while frames come so close to each other.
constexpr std::chrono::microseconds spin_time{50};
constexpr std::chrono::microseconds lively_interval{500};

// The host keeps the plugin's values.
class HostStore final : public PluginStore {
 public:
  explicit HostStore(HostLink& host) : host_(host) {}
  mcph::StoreAnswer perform(const StoreOperation& operation) override { return host_.ask_store(operation); }

 private:
  HostLink& host_;
};

// What keeps a library from being loaded may be a limit, which the dynamic linker does not know by its name.
Error with_limits(Error error, const PluginLimits& limits) {
  if (limits.memory_bytes > 0) {
    error.message += "; limits.memoryBytes allows it " + std::to_string(limits.memory_bytes) + " bytes";
  }
  if (limits.open_files > 0) {
    error.message += "; limits.openFiles allows it " + std::to_string(limits.open_files) + " descriptors";
  }
  return error;
}

}  // namespace

Worker::Worker(int socket, QueryId load, WorkerSetup setup, std::vector<std::string> lacks)
    : load_(load),
      setup_(std::move(setup)),
      sandbox_lacks_(std::move(lacks)),
      host_(socket),
      log_(host_),
      threads_(1, max_blocked_threads),
      readable_(threads_.next_context(), socket),
      metrics_due_(readable_.get_executor()) {}

void Worker::run() {
  on_control([this] { load(); });
  boost::asio::post(readable_.get_executor(), [this] { wait_for_frames(); });
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
  ++running_;
  threads_.run([this, task = std::move(task)]() mutable {
    run_plugin(task);
    task = nullptr;
    const MutexLock lock(mutex_);
    // Before that the control thread has no use for it, and each call would wake it.
    if (--running_ == 0 && stopping_) control_changed_.notify_one();
  });
}

void Worker::run_plugin(const std::function<void()>& task) {
  const auto thread = ::pthread_self();
  {
    const MutexLock lock(mutex_);
    in_plugin_.push_back(thread);
  }
  task();
  const MutexLock lock(mutex_);
  std::erase(in_plugin_, thread);
}

void Worker::wait_for_frames() {
  readable_.async_wait(stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (!error) read();
  });
}

// One frame at a time, so that what it starts is done before the next is looked for.
void Worker::read() {
  auto outcome = reader_.receive_whole(host_.socket());
  auto now = std::chrono::steady_clock::now();
  while (outcome == FrameReader::Outcome::none && is_lively_ && now - last_frame_ < spin_time) {
    std::this_thread::yield();  // to whoever has something to do
    outcome = reader_.receive_whole(host_.socket());
    now = std::chrono::steady_clock::now();
  }
  switch (outcome) {
    case FrameReader::Outcome::frame:
      // Where processor time is short, the plugin needs it.
      is_lively_ = now - last_frame_ < lively_interval && setup_.limits.cpu_percent == 0;
      last_frame_ = now;
      if (const auto message = to_worker::read(reader_.frame())) {
        take(*message);
      } else {
        ::_exit(lost_connection_status);  // this is no host
      }
      break;
    case FrameReader::Outcome::none:
      return wait_for_frames();
    case FrameReader::Outcome::lost:
      ::_exit(out_of_memory_status);
    case FrameReader::Outcome::end:
    case FrameReader::Outcome::wrong:
    case FrameReader::Outcome::in_file:  // none that this asked for
      ::_exit(lost_connection_status);   // nobody is left to serve
  }
  boost::asio::post(readable_.get_executor(), [this] { read(); });
}

void Worker::take(const to_worker::Message& message) {
  std::visit([this](const auto& each) { take(each); }, message);
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

void Worker::take(const to_worker::Invoke& invoke) {
  const auto over = [this](CallId id) {
    const MutexLock lock(mutex_);
    calls_.erase(id);
  };
  const auto call = std::make_shared<WorkerCall>(invoke.method, std::string(invoke.params), invoke.call,
                                                 std::string(invoke.context), host_, over);
  InProcessPlugin* plugin = nullptr;
  {
    const MutexLock lock(mutex_);
    calls_.emplace(invoke.call, call);
    plugin = plugin_.get();
  }
  plugin->invoke(call);
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
    host_.send(to_host::MetricsRecorded{!std::exchange(has_sent_metrics_, true), changes});
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
  keep_to(limits);
  if (limits.memory_bytes > 0) report_lack_of_memory();
  auto library = PluginLibrary::load(setup_.library);
  if (library.has_error()) return with_limits(library.error(), limits);
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

void Worker::fail(QueryId query, const Error& error) const {
  host_.send(to_host::Failed{query, error.may_pass(), error.message});
}

}  // namespace mcph
