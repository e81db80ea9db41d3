// One loaded version of a plugin, however it runs. Nothing above this interface knows whether it runs in this process
// or in one of its own. Held by shared pointers, which are the leases: the catalog holds one, every call in flight
// holds one, and when the last is gone the version is stopped and unloaded, never on the thread that dropped it.
//
// Threads: [any] is any thread, and [control] one that may block, one at a time for a plugin.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "plugin/call.hpp"
#include "plugin/plugin_about.hpp"
#include "plugin/plugin_status.hpp"

namespace mcph {

class ComponentChanges;
class PluginMetrics;
struct SubscriptionChanges;

struct PluginIdentity {
  std::filesystem::path file;  // as it lies in the components folder
  std::string name;            // as the plugin calls itself
  std::string version;
  std::string digest;  // SHA-256 of the library's bytes, in hex
  PluginAbout about = {};
  bool is_upstream = false;  // it is another server of MCP
};

// What one plugin may take of the host.
struct PluginLimits {
  std::size_t concurrent_calls = 16;   // invocations running at once
  std::size_t calls_in_flight = 1024;  // accepted and not completed, those that run included; one more is refused
  // For one call, from when it is accepted; then it is cancelled, and soon after its plugin's process ended. 0: any
  // time.
  std::chrono::milliseconds call_time{300'000};
  std::size_t result_bytes = std::size_t{32} << 20;  // of one answer, as JSON
  // Of the values that it keeps (mcp/store.h): keys, and bytes of all keys and values.
  std::size_t store_keys = 1000;
  std::size_t store_bytes = std::size_t{1} << 20;
  // Of a worker. 0: as many as the host may have.
  std::size_t memory_bytes = 0;  // that it may write to, the stacks of its threads included, 8 MiB each
  std::size_t open_files = 0;    // 0 with a sandbox: 512
  unsigned cpu_percent = 0;      // of one processor, for all its threads together
  bool starts_nothing = false;   // it can start no other process
};

// What clients are told of a failure of which its plugin has not said that it is meant for them.
enum class ErrorTexts { shown, masked };

// Of what a plugin says beside its answers and its description, in bytes: the end of a longer message is cut off.
inline constexpr std::size_t max_message_bytes = std::size_t{32} << 10;

class Plugin {
 public:
  virtual ~Plugin() = default;

  virtual const PluginIdentity& identity() const = 0;

  // [control] The components document of mcp_plugin.describe.
  virtual Result<std::string> describe() = 0;

  // [control] Makes it ready for calls.
  virtual Result<> start() = 0;

  // [any] Gives it a call, which it completes now or later, with an error if it cannot take it. The call holds a lease
  // on this plugin, because the plugin's code may still run when the call has been completed.
  virtual void invoke(std::shared_ptr<Call> call) = 0;

  // [any] Cancels every call in flight.
  virtual void cancel_all(CancelReason reason) = 0;
  // [any] Completes every call in flight with an error in the plugin's stead; nothing that the plugin says of them
  // later is heard. How many there were.
  virtual std::size_t fail_all(std::string_view why) = 0;
  virtual std::size_t calls_in_flight() const = 0;

  // [any] Clients have subscribed to resources of this version, or nobody is subscribed to them any more; their URIs as
  // the plugin knows them. One call at a time. It returns soon.
  virtual void subscriptions_changed(const SubscriptionChanges& /*changes*/) {}
  // [any] Whether it could say that a resource has been updated.
  virtual bool tells_updates() const { return true; }

  // [any] What it has recorded; null: nothing.
  virtual std::shared_ptr<const PluginMetrics> metrics() const { return nullptr; }

  virtual ErrorTexts error_texts() const { return ErrorTexts::shown; }

  // [any] What a call of it has asked, with this "inputState", will not be answered: no call will bring that back. The
  // code of the client's own error, or one that fits. Said also of what has been answered, which is no news then.
  virtual void not_answered(const std::string& /*input_state*/, int /*code*/, std::string_view /*why*/) {}

  // [any] `told` is told, once, when it waits for no answer any more to what a call of it has asked with this
  // "inputState"; a call that brings the state without answers goes on then.
  virtual void when_withdrawn(const std::string& /*input_state*/, const std::function<void()>& /*told*/) {}

  // [any] Since this version was loaded.
  virtual PluginStatus status() const = 0;
  // [any] A call that it was given has ended with an error, its own or in its stead; counted for the status.
  virtual void call_failed(std::string why) = 0;
  // [any] The same for one that it answered with something invalid, which its author wants to find in the log.
  virtual void answered_wrongly(std::string why) = 0;
  // [any] What is wrong with it, and the end of no call, for the status.
  virtual void went_wrong(std::string /*what*/) {}  // NOLINT(performance-unnecessary-value-param)

  // [control] Ends it; no call is in flight. False: it did not come to rest and is left as it is.
  virtual bool stop(std::chrono::milliseconds patience) = 0;
};

// What a plugin says of its own accord, or what is said of it. [any]
struct PluginEvents {
  // Once until they are described again; null where no answer of the plugin waits for that.
  std::function<void(std::shared_ptr<ComponentChanges>)> components_changed = {};
  std::function<void(std::string uri)> resource_updated = {};
  // It can serve no more calls. If that may pass, loading it again may help.
  std::function<void(Error why)> gave_up = {};
  // No call is in flight any more, for now.
  std::function<void()> calls_ended = {};
};

}  // namespace mcph
