// What the host and a worker say to each other: one type a message, and how each is written as a frame and read from
// one, in worker_messages.cpp alone. Values that refer to text of whoever made or received them. A worker
// runs the plugin's code, so what comes of one is read as anything that might come: a frame that is no message is told,
// and what a message says is checked by whoever acts on it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "plugin/isolated/worker_frame.hpp"
#include "plugin/plugin_method.hpp"
#include "plugin/plugin_store.hpp"

namespace mcph {

// Of a query and its answer. Each side counts its own; 0 is none.
using QueryId = std::uint64_t;
using CallId = std::uint64_t;  // the host's

namespace to_worker {

// Each of the three is answered by Ready or Failed.
struct Load {
  QueryId query;
  std::string_view setup;  // WorkerSetup as JSON
};
struct Describe {
  QueryId query;
};
struct Start {
  QueryId query;
};
struct Invoke {
  CallId call;
  PluginMethod method;
  std::string_view params;
  std::string_view context;  // empty if it was not wanted so far
  bool wants_progress = true;
};
struct Cancel {
  CallId call;
  std::int32_t reason;  // a CancelReason
};
struct Answer {
  QueryId query;  // of the worker
  std::string_view text;
};
// Answered by the end of the process.
struct Stop {};
// The worker tells where the threads are that run the plugin, and ends.
struct TellPlaces {};

// What is new since the last one, or all after the query. The next one comes when the worker has taken this one.
struct SubscriptionsChanged {
  std::string_view changes;  // SubscriptionChanges as JSON
};

struct StoreAnswer {
  QueryId query;  // of the worker
  StoreStatus status;
  std::uint64_t revision;
  std::string_view text;
};

using Message =
    std::variant<Load, Describe, Start, Invoke, Cancel, Answer, Stop, TellPlaces, SubscriptionsChanged, StoreAnswer>;

Frame frame_of(const Load& message);
Frame frame_of(const Describe& message);
Frame frame_of(const Start& message);
Frame frame_of(const Invoke& message);
Frame frame_of(const Cancel& message);
Frame frame_of(const Answer& message);
Frame frame_of(const Stop& message);
Frame frame_of(const TellPlaces& message);
Frame frame_of(const SubscriptionsChanged& message);
Frame frame_of(const StoreAnswer& message);  // refers to the message

// Nothing: the frame is no message to a worker.
std::optional<Message> read(const Frame& frame);

}  // namespace to_worker

namespace to_host {

struct Ready {
  QueryId query;
  std::string_view description;  // empty after Start
  std::string_view identity;     // WorkerIdentity as JSON, after Load
};
struct Failed {
  QueryId query;
  bool may_pass;  // as in Error
  std::string_view why;
};
struct Completed {
  CallId call;
  std::int32_t outcome;  // as the plugin gave it
  std::string_view text;
  bool by_worker;                          // it is the worker that answers
  std::shared_ptr<const void> owner = {};  // of a long text that was received: the frame's
};
struct Progressed {
  CallId call;
  std::array<double, 2> progress_and_total;
  std::string_view message;
};
struct Said {
  CallId call;         // 0: none
  std::int32_t level;  // one of MCP_LOG_*
  std::string_view words;
};
// For the host's log.
struct Logged {
  std::int32_t level;   // a Log::Level
  std::uint64_t event;  // its place in worker_log_events
  std::string_view text;
};
struct ComponentsChanged {};
struct ResourceUpdated {
  std::string_view uri;
};
struct ContextQuery {
  QueryId query;
  CallId call;
};
struct CallerQuery {
  QueryId query;
  CallId call;
};
struct ServerInfoQuery {
  QueryId query;
};
// Has the worker be told from now on which resources clients are subscribed to; the answer comes after the first news.
// Only the first one of a process does anything.
struct SubscriptionsQuery {
  QueryId query;
};
struct SubscriptionsTaken {};
struct StoreQuery {
  QueryId query;
  StoreOperation::Kind kind;
  std::array<std::uint64_t, 2> revision_and_key_size;
  std::string_view key_and_value;

  std::string_view key() const { return key_and_value.substr(0, revision_and_key_size[1]); }
  std::string_view value() const { return key_and_value.substr(revision_and_key_size[1]); }
};
// What the plugin has recorded since the last one, aggregated.
struct MetricsRecorded {
  std::string_view changes;  // of PluginMetrics::take_changes
};
// The next four are sent by signal handlers. After Crashed and PlaceFollows each frame of the stack is a StackLine.
struct Crashed {
  std::string_view signal;  // "SEGV through a null pointer"
};
struct PlaceFollows {};
struct StackLine {
  std::string_view text;  // FILE+OFFSET FUNCTION
};
struct LacksMemory {};

using Message = std::variant<Ready, Failed, Completed, Progressed, Said, Logged, ComponentsChanged, ResourceUpdated,
                             ContextQuery, CallerQuery, ServerInfoQuery, SubscriptionsQuery, SubscriptionsTaken,
                             StoreQuery, MetricsRecorded, Crashed, PlaceFollows, StackLine, LacksMemory>;

Frame frame_of(const Ready& message);
Frame frame_of(const Failed& message);
Frame frame_of(const Completed& message);
Frame frame_of(const Progressed& message);  // refers to the message
Frame frame_of(const Said& message);
Frame frame_of(const Logged& message);
Frame frame_of(const ComponentsChanged& message);
Frame frame_of(const ResourceUpdated& message);
Frame frame_of(const ContextQuery& message);  // refers to the message
Frame frame_of(const CallerQuery& message);   // likewise
Frame frame_of(const ServerInfoQuery& message);
Frame frame_of(const SubscriptionsQuery& message);
Frame frame_of(const SubscriptionsTaken& message);
Frame frame_of(const StoreQuery& message);  // refers to the message
Frame frame_of(const MetricsRecorded& message);
Frame frame_of(const Crashed& message);
Frame frame_of(const PlaceFollows& message);
Frame frame_of(const StackLine& message);
Frame frame_of(const LacksMemory& message);

// Nothing: the frame is no message to a host.
std::optional<Message> read(const Frame& frame);

// Of a message whose text lies elsewhere (long_texts.hpp) and has not been read.
struct LongMessage {
  enum class Kind { ready, completed, other } kind;
  std::uint64_t id;   // of the query or the call
  std::size_t bytes;  // of its text
};
LongMessage long_message(const Frame& head, std::size_t bytes);

}  // namespace to_host

// What a worker's own code may say in the host's log; a worker that says something else is not to be trusted with it.
enum class WorkerLogEvent : std::uint64_t { says, misbehaved, is_at_limit, host_function_failed, no_data_directory };
inline constexpr std::array<std::string_view, 5> worker_log_events{"plugin says", "plugin misbehaved",
                                                                   "plugin is at a limit", "host function failed",
                                                                   "data directory cannot be made"};

}  // namespace mcph
