// Context: one call, as its handler sees it: how to say how far it is, whether it should end early, who is asking. The
// runtime makes it; a handler takes `mcp::Context&` as its last parameter and must not keep it. Every function may be
// called from any thread until the call has ended. There is a function for all that a call can do, so that an author
// looks in one place.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin.h>
#include <mcp/plugin/input_request.hpp>
#include <mcp/plugin/json.hpp>

namespace mcp {

/// Severities, those of RFC 5424.
enum class Level : std::int32_t {
  Debug = MCP_LOG_DEBUG,
  Info = MCP_LOG_INFO,
  Notice = MCP_LOG_NOTICE,
  Warning = MCP_LOG_WARNING,
  Error = MCP_LOG_ERROR,
  Critical = MCP_LOG_CRITICAL,
  Alert = MCP_LOG_ALERT,
  Emergency = MCP_LOG_EMERGENCY,
};

enum class CancelReason : std::int32_t {
  None = MCP_CANCEL_NONE,
  Client = MCP_CANCEL_CLIENT,
  Deadline = MCP_CANCEL_DEADLINE,
  Shutdown = MCP_CANCEL_SHUTDOWN,
  Reload = MCP_CANCEL_RELOAD,
};

/// Who calls, as far as the host knows. A client that has proven nothing is anonymous.
struct Caller {
  std::string id = {};  ///< the same for all calls of one principal; empty: anonymous
  std::vector<std::string> groups = {};
  std::vector<std::string> roles = {};
  std::vector<std::string> scopes = {};
  std::string subject = {};  ///< unique for whoever vouches for them
  std::string name = {};     ///< for people; or empty
  std::string email = {};    ///< an address; or empty

  bool is_anonymous() const { return id.empty(); }
};

/// Where a call belongs in a distributed trace: W3C Trace Context and Baggage, as the headers of the same names.
struct TraceContext {
  std::string traceparent = {};
  std::string tracestate = {};  ///< or empty
  std::string baggage = {};     ///< or empty
};

class Context {
 public:
  Context(const mcp_host& host, mcp_call_id call, const Json& params);

  /// How far the call is: 0 to 1. Each must be larger than the one before. Costs little if the client did not ask.
  void progress(double fraction, std::string_view message = {});
  /// `value` of `total`, in whatever is being counted.
  void progress(double value, double total, std::string_view message = {});

  /// To the host's log, under the plugin's name, and to the client if it wants to hear of what is so severe. Say
  /// nothing here that the client must not know.
  void log(Level level, std::string_view message);
  void debug(std::string_view message) { log(Level::Debug, message); }
  void info(std::string_view message) { log(Level::Info, message); }
  void warn(std::string_view message) { log(Level::Warning, message); }
  void error(std::string_view message) { log(Level::Error, message); }

  /// The call should end early: a long handler asks now and then, and returns or throws.
  bool cancelled() const { return cancel_reason() != CancelReason::None; }
  CancelReason cancel_reason() const;
  /// The same for a handler that has nothing to tidy up: throws a ToolError that says why.
  void throw_if_cancelled() const;

  /// What is known of the call: {"protocolVersion", "client": {"name", "version"}?, "clientCapabilities", "deadline"?,
  /// "trace"?, "meta"?}. Asked from the host each time, as the three below, so a handler that does not need it does not
  /// pay for it.
  Json request_context() const;
  /// When the call is cancelled with CancelReason::Deadline; nothing if it may take any time.
  std::optional<std::chrono::system_clock::time_point> deadline() const;
  /// What to pass on to whatever the handler calls; nothing if the client sent none.
  std::optional<TraceContext> trace() const;
  /// Who calls. Of what a client says of itself, see request_context.
  Caller caller() const;

  /// Whether the client shows a tool's app, so that the result need not picture what the app does.
  bool shows_apps() const;

  /// Asks the user to fill in a form, see mcp::form.
  ///
  /// This and the functions below return the answer if it is there. If it is not, they leave the handler with an
  /// exception that the runtime catches, the host asks the client, and the handler is called again from its beginning,
  /// with the answers of all rounds so far. So a handler asks before it changes anything; what it does before it asks
  /// must lead to the same input request each time; and it does not catch (...) around an input request without
  /// throwing it on: a call whose input request was caught fails. They are for the thread of the handler. The call
  /// fails if the client cannot answer, and says so to the model: request_context() tells beforehand.
  template <class T>
  Elicited<T> elicit(std::string_view message) {
    return detail::elicited<T>(answer_to(form<T>(message)));
  }
  /// Asks the user to open a page. That it was accepted does not mean that the user has done there what is wanted.
  ElicitAction elicit_url(std::string_view message, std::string_view url);
  /// Lets the client's model write a message.
  Sampled sample(const Sampling& request);
  /// Asks for the folders that the client works in.
  std::vector<Root> roots();
  /// What a resource contains, of this plugin or of another one, as far as the call's client may read it. The host
  /// answers, whatever the client can. Throws NotFound if there is none for it, std::runtime_error with the reason if
  /// it cannot be read.
  std::vector<ReadContent> read_resource(std::string_view uri);
  /// Asks several things at once. The names are for finding the answers: one stands for one input request, so do not
  /// use it for another one later in the call.
  Answers ask(const InputRequests& requests);

  /// The client's answers by the names of the requests, for handlers that return mcp::input_required; an empty object
  /// in the first round.
  Json input_responses() const;

 protected:
  // Only a Call moves; a handler's Context stays where it is.
  Context(Context&&) noexcept = default;
  Context& operator=(Context&&) noexcept = default;

  const mcp_host& host() const { return *host_; }
  mcp_call_id id() const { return call_; }
  /// An input request without an answer has been asked, by an exception that leaves the handler unless somebody catches
  /// it.
  bool has_asked() const { return has_asked_; }

 private:
  const mcp_host* host_;
  mcp_call_id call_;
  /// Leaves the handler. `requests` is {name: {"method", "params"}}, as JSON text.
  [[noreturn]] void leave_with(std::string requests);
  /// The answer to one input request, whose name is made of what it says: a handler that asks something else the next
  /// time does not take the one's answer for the other's.
  const Json& answer_to(const InputRequest& request);

  std::shared_ptr<const Json> input_responses_;
  std::map<std::string, int> asked_;  // how often, by name
  bool has_asked_ = false;
};

}  // namespace mcp
