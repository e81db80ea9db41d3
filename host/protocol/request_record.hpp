// What is kept of a request for whoever records what clients have done: what it was, who has sent it, how it ended. A
// transport knows where a request comes from, the server what it asks for, and who answers it how it ended; the record
// goes with the request's exchange, and the reply leaves when whoever keeps the records says so. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "protocol/caller.hpp"
#include "protocol/exchange.hpp"
#include "protocol/message.hpp"

namespace mcph {

struct PluginIdentity;

// How a request has ended, beyond what its reply says.
struct RequestEnd {
  // "ok", "tool error", "error -32602", "invalid arguments", "invalid answer", "denied", "cancelled", "expired",
  // "asks the client", "task"; empty: as the reply says it.
  std::string outcome = {};
  std::string rule = {};  // that denies it
  // That it was given to; empty: none.
  std::string plugin = {};
  std::string plugin_version = {};
  std::string plugin_digest = {};
  // The id of the task that it became, or is about; empty: none.
  std::string task = {};
};

struct RecordedRequest {
  std::string id;  // JSON
  std::string method;
  std::string component;  // "tool:add", "prompt:review", "resource:notes://all"; empty: it is about none
  Principal principal;
  std::string client;  // the program, as it calls itself; empty: unknown, like the next
  std::string client_version;
  std::string protocol_version;
  std::string session;    // its id; empty: it has none
  std::string trace;      // a traceparent, as the client has sent it
  std::string arguments;  // JSON; as whoever keeps records wants to have them
  RequestOrigin origin;
  RequestEnd end;
  std::chrono::steady_clock::duration took{};
  std::size_t response_bytes = 0;
};

// Who keeps records. Outlives all requests.
class RequestRecords {
 public:
  // Called once, on any thread, when the reply may leave: or, with an error, when it must not, because the request
  // cannot be recorded.
  using Then = std::function<void(const Result<>& recorded)>;

  virtual ~RequestRecords() = default;
  // Why no request may begin at this time; nothing: it may.
  virtual std::optional<std::string> refuses() const = 0;
  // JSON of what is to be recorded of the arguments; empty: nothing.
  virtual std::string arguments(std::string_view component, JsonValue arguments) const = 0;
  // Records how the request has ended. True: the reply may leave at once. False: it is held, and what `wait` has made
  // says when it may leave. `wait` is called at most once, and not where it returns true. Null: there is no reply.
  virtual bool record_end(const RecordedRequest& request, const std::function<Then()>& wait) = 0;
  // Of this id.
  virtual void session_ended(std::string_view session, const Caller& caller) = 0;
};

// The record of one request on its way.
class RequestRecord {
 public:
  RequestRecord(RequestRecords& records, RecordedRequest request)
      : records_(records), began_(std::chrono::steady_clock::now()), request_(std::move(request)) {}
  RequestRecord(const RequestRecord&) = delete;
  RequestRecord& operator=(const RequestRecord&) = delete;

  // The last one before the end counts; one without a plugin, or without a task, leaves that of the one before.
  void note(RequestEnd end);
  // Records the end; then `send` gets what its client is to get: the reply, or an error in its place. Once more where a
  // request that ended with a task comes to its own end.
  void end(Reply reply, const std::function<void(Reply reply)>& send);
  // Its client wants no answer any more, or its task has ended without one.
  void abandoned(std::string outcome = "cancelled");

  std::string component() {
    const MutexLock lock(mutex_);
    return request_.component;
  }

 private:
  void set_end(std::size_t response_bytes) REQUIRES(mutex_);

  RequestRecords& records_;
  const std::chrono::steady_clock::time_point began_;
  Mutex mutex_;
  RecordedRequest request_ GUARDED_BY(mutex_);
};

// How a call ends that this plugin was given.
RequestEnd end_at(const PluginIdentity& plugin, std::string outcome);

// Whether there are records of requests of the method: of all but those that only list or look.
bool is_recorded(const Message& message);
// The program that an Implementation names.
void set_client(RecordedRequest& request, const Json& implementation);
// What is known of a request when it comes.
RecordedRequest recorded_request(const Message& message, const RequestOrigin& origin, const Principal& principal);

}  // namespace mcph
