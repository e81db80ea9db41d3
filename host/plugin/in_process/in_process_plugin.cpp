#include "plugin/in_process/in_process_plugin.hpp"

#include <exception>
#include <future>
#include <new>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "plugin/answer_in_stead.hpp"
#include "plugin/debugger.hpp"
#include "plugin/description.hpp"
#include "plugin/in_process/called_by_plugin.hpp"
#include "plugin/library/crash_report.hpp"

namespace mcph {
namespace {

// A sink that collects a reason into a string, as much as a message may have.
mcp_sink sink_into(std::string& reason) {
  return {&reason, [](void* context, mcp_string piece) {
            auto& text = *static_cast<std::string*>(context);
            text.append(view(piece).substr(0, max_message_bytes - text.size()));
          }};
}

struct Description {
  std::string text;
  bool is_too_long = false;
};

// Of what is too long no more is kept.
mcp_sink sink_into(Description& description) {
  return {&description, [](void* context, mcp_string piece) {
            auto& [text, is_too_long] = *static_cast<Description*>(context);
            const auto more = view(piece);
            is_too_long = is_too_long || more.size() > max_description_bytes - text.size();
            if (!is_too_long) text.append(more);
          }};
}

// Runs plugin code that must not throw, and says what happened if it did. `part` is what a report of a crash calls it.
template <class Function>
Result<> guarded(const PluginIdentity& plugin, std::string_view function, std::string_view part, Function&& call) {
  report_crashes_of_this_thread();
  const PluginCode code(plugin, part);
  try {
    call();
    return {};
  } catch (const std::exception& error) {
    return fail(std::string(function) + " let an exception escape: " + error.what());
  } catch (...) {
    return fail(std::string(function) + " let an exception escape");
  }
}

template <class Function>
Result<> guarded(const PluginIdentity& plugin, std::string_view function, Function&& call) {
  return guarded(plugin, function, function, std::forward<Function>(call));
}

}  // namespace

Result<std::unique_ptr<InProcessPlugin>> InProcessPlugin::create(PluginLibrary library, PluginSetup setup,
                                                                 Executor& executor, Log& log, Timers* timers) {
  std::unique_ptr<InProcessPlugin> plugin(
      new InProcessPlugin(std::move(library), std::move(setup), executor, log, timers));
  std::string reason;
  const auto sink = sink_into(reason);
  auto made =
      guarded(plugin->identity_, "create", [&] { plugin->instance_ = plugin->table_.create(&plugin->host_, &sink); });
  if (made.has_error()) return made.error();
  if (plugin->instance_ == nullptr) {
    return fail_for_now(reason.empty() ? "it could not be set up and gave no reason"
                                       : "it could not be set up: " + reason);
  }
  return plugin;
}

InProcessPlugin::InProcessPlugin(PluginLibrary library, PluginSetup setup, Executor& executor, Log& log, Timers* timers)
    : library_(std::move(library)),
      table_(library_.table()),
      identity_{setup.file, std::string(view(table_.name)), std::string(view(table_.version)), setup.digest,
                about_of(table_)},
      setup_(std::move(setup)),
      concurrent_calls_((table_.flags & MCP_PLUGIN_SERIAL) != 0 ? 1 : setup_.limits.concurrent_calls),
      executor_(executor),
      log_(timers == nullptr ? log : limit(log)),
      limit_reports_(log_, identity_),
      subscriptions_(setup_.subscriptions != nullptr ? setup_.subscriptions : std::make_shared<SubscribedResources>()),
      subscription_listener_(
          std::make_shared<SubscriptionListener>(subscriptions_, executor_,
                                                 [this](const std::function<void()>& call) {
                                                   report(guarded(identity_, "its subscription listener", call));
                                                 })),
      metrics_(setup_.metrics != nullptr ? setup_.metrics : std::make_shared<PluginMetrics>()),
      host_(host_table(this)),
      calls_({identity_, setup_.limits, setup_.events, limit_reports_, executor_, timers}, *this) {
  if ((table_.flags & MCP_PLUGIN_NEVER_UNLOAD) != 0) library_.never_unload();
}

Log& InProcessPlugin::limit(Log& log) {
  return limited_log_.emplace(
      log, max_lines_of_plugin, [this](Log& unlimited, const RateLimitedLog::LeftOut& left_out) {
        unlimited.warning("plugin says too much", {{"plugin", identity_.name}, {"lines_left_out", left_out.lines}});
      });
}

InProcessPlugin::~InProcessPlugin() {
  stop_here();
  report_crashes_of_this_thread();
  const PluginCode code(identity_, "unload");
  library_.unload();
}

Result<std::string> InProcessPlugin::describe() {
  Description description;
  std::string reason;
  const auto sink = sink_into(description);
  const auto error = sink_into(reason);
  std::int32_t status = 0;
  auto described = guarded(identity_, "describe", [&] { status = table_.describe(instance_, &sink, &error); });
  if (described.has_error()) return described.error();
  if (status != 0) {
    return fail(reason.empty()
                    ? "it could not describe its components and gave no reason, but status " + std::to_string(status)
                    : "it could not describe its components: " + reason);
  }
  if (!description.is_too_long) return std::move(description.text);
  return fail("its description has more than " + std::to_string(max_description_bytes) + " bytes");
}

Result<> InProcessPlugin::start() {
  if (table_.start == nullptr) return {};
  std::string reason;
  const auto sink = sink_into(reason);
  std::int32_t status = 0;
  auto started = guarded(identity_, "start", [&] { status = table_.start(instance_, &sink); });
  if (started.has_error()) return started.error();
  if (status != 0) {
    return fail_for_now(reason.empty() ? "it could not start and gave no reason, but status " + std::to_string(status)
                                       : "it could not start: " + reason);
  }
  return {};
}

void InProcessPlugin::invoke(std::shared_ptr<Call> call) {
  auto admitted = admit(call);
  if (!admitted) return;
  const auto id = admitted->id;
  try {
    // The task holds the call, and the call holds the lease on this plugin.
    executor_.run([this, admitted = *std::move(admitted)]() mutable { run(std::move(admitted)); });
  } catch (const std::bad_alloc&) {
    {
      const MutexLock lock(mutex_);
      --running_;  // what waits for its place gets it after the next call
    }
    if (call->claim()) calls_.refuse(id, " did not get the call: no memory is left");
  }
}

std::optional<CallTable::Admitted> InProcessPlugin::admit(const std::shared_ptr<Call>& call) {
  const auto id = calls_.admit(call);
  if (!id) return std::nullopt;
  {
    const MutexLock lock(mutex_);
    if (running_ < concurrent_calls_) {
      ++running_;
      return CallTable::Admitted{*id, call};
    }
    calls_.wait(*id);
  }
  tell_that_calls_wait();
  return std::nullopt;
}

void InProcessPlugin::tell_that_calls_wait() {
  // One that takes one call at a time is not held up by what its operator says.
  if ((table_.flags & MCP_PLUGIN_SERIAL) != 0 || limit_reports_.has_told(Limit::concurrent_calls)) return;
  limit_reports_.reached(Limit::concurrent_calls, words_for_waiting_calls(setup_.limits));
}

void InProcessPlugin::run(CallTable::Admitted admitted) {
  for (;;) {
    try {
      run_one(admitted.id, *admitted.call);
    } catch (const std::bad_alloc&) {
      // Nobody can be told. Its place is free, and its limit of time ends it.
    }
    // The call that has ended is held until the next one is: without a call there is no lease on this plugin.
    std::optional<CallTable::Admitted> next;
    const MutexLock lock(mutex_);
    next = calls_.next_waiting();
    if (!next) {
      --running_;
      return;
    }
    admitted.id = next->id;
    admitted.call.swap(next->call);
  }
}

void InProcessPlugin::run_one(std::uint64_t id, Call& call) {
  if (!call.claim()) return;  // it was cancelled, and has been refused
  const auto invoked = guarded(identity_, "invoke", call.component(), [&] {
    table_.invoke(instance_, id, as_mcp(name_of(call.method())), as_mcp(call.params()));
  });
  if (!invoked.has_error()) return;
  report(invoked);  // with what it was, which is not meant for clients
  // A worker does not know it.
  const auto& component = call.component();
  calls_.refuse(id, " let an exception escape" + (component.empty() ? "" : " while it served " + component));
}

void InProcessPlugin::cancel_given(std::uint64_t id, const std::shared_ptr<Call>& call, CancelReason reason) {
  if (table_.cancel == nullptr) return;
  // Not here: the plugin may take its time, and this may be a thread that does I/O. Nor after the calls that block,
  // which may be waiting for it. The call holds the lease.
  executor_.run_urgently([this, call, id, reason] {
    report(guarded(identity_, "cancel", call->component(),
                   [&] { table_.cancel(instance_, id, static_cast<std::int32_t>(reason)); }));
  });
}

// Its thread cannot be ended, and stays with the plugin.
void InProcessPlugin::end_overdue(std::uint64_t id, const Call& call) {
  const auto given_up = calls_.give_up(id);
  if (given_up == nullptr) return;
  const auto reason = words_for_late_call(call, setup_.limits) + " and did not heed its cancellation";
  log_.error("call given up", {{"file", setup_.file.string()},
                               {"reason", reason},
                               {"consequence", "its thread stays in the plugin; in a worker it could be ended"}});
  refuse(*given_up, "plugin " + identity_.name + ": " + reason);
}

bool InProcessPlugin::is_debugged() {
  return tracer_of(::getpid()) != 0;
}

PluginStatus InProcessPlugin::status() const {
  return {.in_process = true, .pid = ::getpid(), .state = PluginState::serving, .calls = calls_.summary()};
}

bool InProcessPlugin::stop(std::chrono::milliseconds patience) {
  if (instance_ == nullptr) return true;
  // On a thread of its own, because a plugin whose stop never returns must not take this one with it.
  std::promise<void> stopped;
  auto done = stopped.get_future();
  std::thread stopper;
  try {
    stopper = std::thread([this, stopped = std::move(stopped)]() mutable {
      stop_here();
      stopped.set_value();
    });
  } catch (const std::system_error& error) {
    report(fail(std::string("it cannot be stopped, because no thread is left: ") + error.what()));
    return false;
  }
  if (done.wait_for(patience) != std::future_status::ready) {
    stopper.detach();
    return false;
  }
  stopper.join();
  return true;
}

void InProcessPlugin::subscriptions_changed(const SubscriptionChanges& changes) {
  subscriptions_->change(changes);
}

void InProcessPlugin::stop_here() {
  // It may have begun to listen, and then have failed to be created.
  subscription_listener_->end();
  if (instance_ == nullptr) return;
  report(guarded(identity_, "stop", [this] { table_.stop(instance_); }));
  instance_ = nullptr;
}

void InProcessPlugin::answered_nothing(mcp_call_id id) {
  if (!calls_.take_given_up(id)) {
    return report(fail("it completed call " + std::to_string(id) + ", which is unknown or completed already"));
  }
  log_.info("call ended late", {{"file", setup_.file.string()},
                                {"plugin", identity_.name},
                                {"reason", "call " + std::to_string(id) + " had been answered in the plugin's stead"}});
}

void InProcessPlugin::report(const Result<>& misbehaviour) const {
  if (!misbehaviour.has_error()) return;
  log_.error("plugin misbehaved", {{"file", setup_.file.string()}, {"reason", misbehaviour.error().message}});
}

void InProcessPlugin::write_log(std::int32_t level, std::string_view message) {
  const auto severity = level >= MCP_LOG_ERROR     ? Log::Level::error
                        : level >= MCP_LOG_WARNING ? Log::Level::warning
                        : level >= MCP_LOG_INFO    ? Log::Level::info
                                                   : Log::Level::debug;
  if (severity == Log::Level::error) calls_.went_wrong("it says: " + std::string(message));
  log_.write(severity, "plugin says", {{"plugin", identity_.name}, {"text", message}});
}

std::string InProcessPlugin::make_data_directory() const {
  const auto opened = setup_.data_directory.open();
  if (opened.has_value()) return setup_.data_directory.path().string();
  log_.error("data directory cannot be made", {{"plugin", identity_.name}, {"reason", opened.error().message}});
  return {};
}

// Each function is called from C: nothing may be thrown through it (mcp/plugin.h).
mcp_host InProcessPlugin::host_table(InProcessPlugin* self) {
  mcp_host host{};
  host.size = sizeof(mcp_host);
  host.context = self;
  host.complete = [](const mcp_host* h, mcp_call_id call, std::int32_t outcome, mcp_string json) {
    self_of(h).serve("complete", [&](InProcessPlugin& plugin) {
      if (!plugin.calls_.complete({call, outcome, view(json)})) plugin.answered_nothing(call);
    });
  };
  host.progress = [](const mcp_host* h, mcp_call_id id, double progress, double total, mcp_string message) {
    self_of(h).serve("progress", [&](InProcessPlugin& plugin) {
      if (const auto call = plugin.calls_.find(id)) call->progress(progress, total, message_of(message));
    });
  };
  host.log = [](const mcp_host* h, mcp_call_id id, std::int32_t level, mcp_string message) {
    self_of(h).serve("log", [&](InProcessPlugin& plugin) {
      plugin.write_log(level, message_of(message));
      if (const auto call = plugin.calls_.find(id)) call->log(level, message_of(message));
    });
  };
  host.is_cancelled = [](const mcp_host* h, mcp_call_id id) {
    const auto call = self_of(h).calls_.find(id);
    return call == nullptr ? MCP_CANCEL_CLIENT : static_cast<std::int32_t>(call->cancelled());
  };
  host.call_context = [](const mcp_host* h, mcp_call_id id, const mcp_sink* sink) {
    self_of(h).serve("call_context", [&](const InProcessPlugin& plugin) {
      if (const auto call = plugin.calls_.find(id)) give(plugin.identity_, sink, call->context());
    });
  };
  host.configuration = [](const mcp_host* h, const mcp_sink* sink) {
    sink->write(sink->context, as_mcp(self_of(h).setup_.configuration));
  };
  host.data_directory = [](const mcp_host* h, const mcp_sink* sink) {
    self_of(h).serve("data_directory", [&](const InProcessPlugin& plugin) {
      give(plugin.identity_, sink, plugin.make_data_directory());
    });
  };
  host.components_changed = [](const mcp_host* h) {
    self_of(h).serve("components_changed", [](const InProcessPlugin& plugin) { plugin.calls_.components_changed(); });
  };
  host.resource_updated = [](const mcp_host* h, mcp_string uri) {
    self_of(h).serve("resource_updated", [&](const InProcessPlugin& plugin) {
      if (const auto& updated = plugin.setup_.events.resource_updated) updated(std::string(view(uri)));
    });
  };
  host.get_interface = [](const mcp_host* h, const char* name) { return self_of(h).interface_named(name); };
  return host;
}

}  // namespace mcph
