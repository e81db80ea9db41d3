// How messages travel between the host and one upstream server, for as long as one connection lasts: a process's stdin
// and stdout, or HTTP. It reads, writes and closes, and knows nothing of what is said but what HTTP says in fields. A
// connection that has ended stays so; whoever wants another makes another transport. Shared; any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "plugin/method.hpp"

namespace mcph {

enum class UpstreamMessageKind { request, notification, response };

// One JSON-RPC message to the upstream, and what HTTP has to know of it without reading it.
struct UpstreamMessage {
  std::string text;  // JSON on one line, no line feed at its end
  UpstreamMessageKind kind = UpstreamMessageKind::request;
  std::string id = {};                // of a request, as JSON text; empty otherwise
  std::optional<Method> method = {};  // of a request or notification: Mcp-Method
  std::string name = {};              // the tool's or prompt's name, or the URI, that it is for: Mcp-Name; empty: none
  std::string revision = {};          // MCP-Protocol-Version; empty before one has been agreed on
  bool is_modern = false;             // 2026-07-28 or later: no session, and what is cancelled is closed
  std::vector<std::pair<std::string, std::string>> fields = {};  // Mcp-Param-*, encoded already
  // Of a notification: what comes after it will not be there before it, or why it will not be there at all; the first
  // time counts. Any number of times, on any thread; not where the message is not sent. Over HTTP that is so when it is
  // answered, or has failed.
  std::function<void(const Result<>& outcome)> taken = {};
};

// Why a request gets no answer by a message.
struct UpstreamFailure {
  Error error;          // says what and where; may_pass: another try may succeed
  unsigned status = 0;  // of HTTP; 0: none came
  // The session is unknown to the upstream, which wants to be initialized again (404 in a legacy session).
  bool session_is_gone = false;
  bool may_have_run = false;  // what was asked: an answer to it had begun before

  // Whether it is there and only does not want this now: it is busy, or has been asked too often. With 502 and 504 a
  // gateway says that nobody is there behind it.
  bool is_refused_for_now() const {
    return !session_is_gone && status >= 400 && status != 502 && status != 504 && error.may_pass();
  }
  // It has been asked nothing, so that this says nothing of it.
  bool was_not_sent() const { return error.code == ErrorCode::crowded; }
  // Whether it may be at what was asked all the same: nothing has come from it that says otherwise.
  bool may_run_on() const {
    return may_have_run || ((status == 0 || status == 502 || status == 504) && !was_not_sent());
  }
};

// Who hears. One thing at a time, on a thread of the host that must not be kept for long. The transport keeps it by a
// weak pointer, and after close nothing new is begun to be told.
class UpstreamListener {
 public:
  virtual ~UpstreamListener() = default;

  // One JSON text of any content, valid only during the call. `stream_of` is the id of the request on whose stream it
  // came, as JSON text; nothing where that is not known, as over stdio or on a stream that is nobody's.
  virtual void message_came(std::string_view text, std::optional<std::string_view> stream_of) = 0;

  // A message that is longer than allowed, or no UTF-8 text; of what is longer nothing has been kept.
  virtual void message_refused(Error why, std::optional<std::string_view> stream_of) = 0;

  // A request will not be answered: its stream broke and could not be resumed, or HTTP refused it. Other requests are
  // not concerned.
  virtual void request_failed(std::string_view id, UpstreamFailure why) = 0;

  // What it says unasked is heard from now on. What it said before, nobody has heard.
  virtual void may_have_missed() = 0;

  // It is over, though what is on its way may still come, and tell the same once more. Not after close.
  virtual void ended(Error why) = 0;
};

class UpstreamTransport {
 public:
  virtual ~UpstreamTransport() = default;

  // Once, before all else. Waits, at most this long, for what must be there before a message can be sent: a process, or
  // where HTTP+SSE sends to. `listener` hears from then on.
  virtual Result<> begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds patience) = 0;

  // Takes the message, in the order of the calls where the connection has an order. An error: it is not sent, and for a
  // request nothing else is told.
  virtual Result<> send(UpstreamMessage message) = 0;

  // Nobody waits for the answer to this request any more. Over HTTP its stream is closed, which cancels it in the
  // modern era; where a notification cancels, the client sends that itself, before. Nothing is told of it later.
  virtual void abandon(std::string_view id) = 0;

  // Ends the connection: the process, or the session. May be called by the listener, and more than once. Does not wait.
  virtual void close() = 0;

  // After close: waits for that, at most so long, and then ends it by force. Not on a thread that serves clients.
  virtual void wait_until_closed(std::chrono::milliseconds /*patience*/) {}

  // For the status: the process that it is, or 0.
  virtual int process() const { return 0; }
};

}  // namespace mcph
