#include "plugin/isolated/worker_plugin.hpp"

#include <string>
#include <utility>

#include "plugin/isolated/worker_frame.hpp"

namespace mcph {

Result<std::unique_ptr<WorkerPlugin>> WorkerPlugin::create(std::shared_ptr<const PrivateCopy> library,
                                                           PluginSetup setup, Workers& workers, Log& log) {
  std::unique_ptr<WorkerPlugin> plugin(new WorkerPlugin(std::move(library), std::move(setup), workers, log));
  if (auto loaded = plugin->supervisor_.load(); loaded.has_error()) return loaded.error();
  return plugin;
}

WorkerPlugin::WorkerPlugin(std::shared_ptr<const PrivateCopy> library, PluginSetup setup, Workers& workers, Log& log)
    : library_(std::move(library)),
      setup_(std::move(setup)),
      identity_{setup_.file, {}, {}, setup_.digest},
      executor_(workers.executor()),
      log_(log, max_lines_of_plugin,
           [this](Log& unlimited, const RateLimitedLog::LeftOut& left_out) {
             unlimited.warning("plugin says too much", {log_field(identity_), {"lines_left_out", left_out.lines}});
           }),
      limit_reports_(log_, identity_),
      store_(setup_.store == nullptr ? nullptr : std::make_shared<StoreQueue>(setup_.store, executor_)),
      supervisor_({identity_, setup_, *library_, workers, log_, limit_reports_, calls_}, *this),
      calls_({identity_, setup_.limits, setup_.events, limit_reports_, executor_, &workers.timers()}, *this) {}

void WorkerPlugin::invoke(std::shared_ptr<Call> call) {
  const auto id = calls_.admit(call);
  if (!id) return;
  // It holds the lease on this plugin until this function returns.
  const CallTable::Admitted admitted{*id, std::move(call)};
  const auto [channel, why_not] = supervisor_.route(admitted.id);
  if (channel != nullptr) {
    give(*channel, admitted);
    channel->look_for_messages();
  } else if (!why_not.empty() && admitted.call->claim()) {
    calls_.refuse(admitted.id, why_not);
  }
}

void WorkerPlugin::give(WorkerChannel& channel, const CallTable::Admitted& admitted) {
  const auto& [id, call] = admitted;
  // First, because it may find no memory: who has claimed a call has to end it.
  const auto context = wants_context_.load(std::memory_order_relaxed) ? call->context() : std::string();
  if (!call->claim()) return;  // it was cancelled, and has been refused
  if (call->params().size() + context.size() > max_frame_bytes) {
    return calls_.refuse(id, " did not get the call: it has more than the " + std::to_string(max_frame_bytes) +
                                 " bytes that a plugin in a process of its own may be given");
  }
  if (!channel.send(to_worker::Invoke{id, call->method(), call->params(), context, call->wants_progress()})) {
    // Where the process has ended, its end may have answered the call already.
    return calls_.refuse(id, " did not get the call: its process has just ended, or no memory is left");
  }
  // A cancellation may have gone before the call, and have been taken for one of a call that is over.
  if (const auto why = call->cancelled(); why != CancelReason::none) cancel_given(id, call, why);
}

void WorkerPlugin::cancel_given(std::uint64_t id, const std::shared_ptr<Call>& /*call*/, CancelReason reason) {
  if (const auto channel = supervisor_.channel()) {
    channel->send(to_worker::Cancel{id, static_cast<std::int32_t>(reason)});
  }
}

void WorkerPlugin::end_overdue(std::uint64_t /*id*/, const Call& call) {
  supervisor_.end_for(call);
}

PluginStatus WorkerPlugin::status() const {
  auto status = supervisor_.status();
  status.calls = calls_.summary();
  status.sandbox = setup_.sandbox.profile;
  status.sandbox_lacks = sandbox_lacks_;
  return status;
}

void WorkerPlugin::call_failed(std::string why) {
  // While it is down, and when a crash is told, calls are refused because of how its process ended, and that is worth
  // more to the operator.
  const auto state = supervisor_.status().state;
  if (state == PluginState::backoff || state == PluginState::ended || supervisor_.refuses_for_crash()) why.clear();
  calls_.failed(std::move(why));
}

bool WorkerPlugin::stop(std::chrono::milliseconds patience) {
  supervisor_.stop(patience);
  return true;
}

void WorkerPlugin::subscriptions_changed(const SubscriptionChanges& changes) {
  subscriptions_.change(changes);
}

void WorkerPlugin::take(const to_host::SubscriptionsQuery& query, WorkerChannel& channel) {
  {
    const MutexLock lock(subscriptions_mutex_);
    if (follower_.lock().get() != &channel) {
      follower_ = channel.weak_from_this();
      follower_ticket_ = subscriptions_.follow([this] {
        const MutexLock following(subscriptions_mutex_);
        if (const auto follower = follower_.lock()) send_subscriptions(*follower);
      });
      send_subscriptions(channel);
    }
  }
  channel.send(to_worker::Answer{query.query, {}});
}

void WorkerPlugin::take(const to_host::SubscriptionsTaken& /*taken*/, WorkerChannel& channel) {
  const MutexLock lock(subscriptions_mutex_);
  if (follower_.lock().get() == &channel) send_subscriptions(channel);
}

// A worker that says that it has taken what it has not been sent gets the next one sooner, once.
void WorkerPlugin::send_subscriptions(WorkerChannel& channel) {
  if (const auto changes = subscriptions_.take(follower_ticket_))
    channel.send(to_worker::SubscriptionsChanged{changes->json()});
}

void WorkerPlugin::take(const to_host::StoreQuery& query, WorkerChannel& channel) {
  // What has no store is not offered one, and so its worker does not ask.
  if (store_ == nullptr)
    return channel.process().kill("was killed, because it sent the host what a worker does not send");
  StoreOperation operation{query.kind, std::string(query.key()), std::string(query.value()),
                           query.revision_and_key_size[0]};
  store_->add(std::move(operation), [id = query.query, to = channel.shared_from_this()](const StoreAnswer& answer) {
    to->send(to_worker::StoreAnswer{id, answer.status, answer.revision, answer.text});
  });
}

void WorkerPlugin::take(const to_host::MetricsRecorded& recorded, WorkerChannel& channel) {
  const auto left_out = metrics_->add_changes(recorded.changes);
  if (left_out.has_error())
    return channel.process().kill("was killed, because it sent the host what a worker does not send");
  if (!left_out->empty()) limit_reports_.reached(Limit::metrics, "what it records is left out: " + *left_out);
}

void WorkerPlugin::identified(WorkerIdentity identity) {
  identity_.name = std::move(identity.name);
  identity_.version = std::move(identity.version);
  identity_.about = std::move(identity.about);
  sandbox_lacks_ = std::move(identity.sandbox_lacks);
}

void WorkerPlugin::message_came(const to_host::Message& message, WorkerChannel& channel) {
  std::visit(
      [&](const auto& each) {
        if constexpr (requires { take(each, channel); }) {
          take(each, channel);
        } else {
          using Message = std::decay_t<decltype(each)>;
          static_assert(Supervisor::takes<Message>, "nobody takes this message");
        }
      },
      message);
}

void WorkerPlugin::take(const to_host::Completed& completed, WorkerChannel& channel) {
  const auto& [id, outcome, text, by_worker, owner] = completed;
  const CallTable::Answer answer{id, outcome, text, by_worker, owner};
  if (text.size() <= Executor::max_quick_bytes) {
    calls_.complete(answer);
    return;
  }
  // A long answer takes its time to be checked, which this thread has not. While one waits for a description, that is
  // to be read.
  calls_.complete(answer, [&executor = executor_, size = text.size(), from = channel.shared_from_this()](auto check) {
    executor.run_long(size, [check = std::move(check), worked_on = from->begin_long_message()] { check(); });
  });
}

void WorkerPlugin::take(const to_host::Progressed& progressed, WorkerChannel& /*channel*/) {
  const auto& [progress, total] = progressed.progress_and_total;
  if (const auto call = calls_.find(progressed.call)) call->progress(progress, total, progressed.message);
}

void WorkerPlugin::take(const to_host::Said& said, WorkerChannel& /*channel*/) {
  if (const auto call = calls_.find(said.call)) call->log(said.level, said.words);
}

void WorkerPlugin::take(const to_host::ResourceUpdated& updated, WorkerChannel& /*channel*/) {
  if (setup_.events.resource_updated) setup_.events.resource_updated(std::string(updated.uri));
}

void WorkerPlugin::take(const to_host::ContextQuery& query, WorkerChannel& channel) {
  wants_context_ = true;
  const auto call = calls_.find(query.call);
  const auto context = call == nullptr ? std::string() : call->context();
  channel.send(to_worker::Answer{query.query, context});
}

void WorkerPlugin::take(const to_host::CallerQuery& query, WorkerChannel& channel) {
  const auto call = calls_.find(query.call);
  channel.send(to_worker::Answer{query.query, call == nullptr ? std::string() : call->caller()});
}

void WorkerPlugin::take(const to_host::ServerInfoQuery& query, WorkerChannel& channel) {
  if (setup_.server_info) channel.send(to_worker::Answer{query.query, setup_.server_info()});
}

}  // namespace mcph
