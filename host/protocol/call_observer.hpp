// What becomes of each request of a client, for those who count requests, trace them or write them down. A request is
// observed from when its message has been read until its exchange ends, whatever the end is. Implemented outside of the
// protocol; any thread, also several at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_document.hpp"
#include "base/principal.hpp"
#include "plugin/method.hpp"

namespace mcph {

struct Caller;

enum class NetworkTransport { tcp, pipe };

// How a request has come.
struct Arrival {
  NetworkTransport transport = NetworkTransport::tcp;
  std::string trace_parent = {};  // what the transport says of a trace, as W3C Trace Context has it; empty: nothing
};

// A piece of work in a distributed trace, in the words of W3C Trace Context.
struct TraceSpan {
  std::string trace_id;        // 32 hexadecimal digits
  std::string span_id;         // 16
  std::string parent_id = {};  // likewise; empty: it is the first of its trace
  std::string state = {};      // tracestate
  std::string link = {};       // the traceparent of other work that has led to it
};

struct ObservedCall {
  std::string id;                // as JSON text
  std::optional<Method> method;  // nothing: the host knows none of the name
  std::string unknown_method = {};
  std::string component = {};                      // the name or URI that is asked for, as the client has it
  bool is_served = false;                          // there is such a component, for this client
  std::string plugin = {};                         // that was given the call; empty: none
  Principal principal = anonymous;                 // who has sent it
  std::shared_ptr<const Caller> caller = nullptr;  // null: what it says of itself is wrong
  NetworkTransport transport = NetworkTransport::tcp;
  std::shared_ptr<const TraceSpan> span = nullptr;  // null: it is not traced
  std::size_t params_bytes = 0;                     // of JSON
  std::string params = {};                          // the beginning of that JSON, as much as an observer keeps
};

struct CallEnd {
  enum class Outcome {
    result,
    tool_error,  // a result that says isError
    error,
    abandoned  // by the client, or with it
  };
  const ObservedCall& call;
  Outcome outcome = Outcome::result;
  int error_code = 0;                // of an error
  std::chrono::nanoseconds took{0};  // since its message came
  std::string_view answer = {};      // the message that the client gets; empty: none
};

// The part of a call that its plugin has had.
struct PluginCallEnd {
  const TraceSpan& span;
  std::string_view method;
  std::string_view plugin;
  std::string_view outcome;  // as the log has it
  bool is_error = false;
  std::chrono::nanoseconds took{0};
};

struct SessionEnd {
  std::string_view protocol_version;
  NetworkTransport transport = NetworkTransport::tcp;
  std::chrono::nanoseconds took{0};
};

class CallObserver {
 public:
  virtual ~CallObserver() = default;

  // The span of a request whose _meta is this, if it has one; null where it is not to be traced.
  virtual std::shared_ptr<const TraceSpan> begin_span(JsonValue /*meta*/, const Arrival& /*arrival*/) {
    return nullptr;
  }
  // The span of its plugin's part, within that.
  virtual std::shared_ptr<const TraceSpan> begin_part(const TraceSpan& /*span*/) { return nullptr; }

  // How many bytes it keeps of the params of calls, which are copied for it. Always the same.
  virtual std::size_t kept_params() const { return 0; }
  // Before the answer leaves. Quick.
  virtual void ended(const CallEnd& end) = 0;
  virtual void plugin_ended(const PluginCallEnd& /*end*/) {}
  virtual void session_ended(const SessionEnd& /*end*/) {}
};

}  // namespace mcph
