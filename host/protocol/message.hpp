// JSON-RPC 2.0 messages (MCP 2026-07-28, basic, "Messages"): reading what a client sent, writing what it gets. Values
// and free functions; any thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/json_document.hpp"
#include "limits/standing.hpp"
#include "plugin/method.hpp"

namespace mcph {

namespace error_code {
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int resource_not_found = -32002;  // until 2025-11-25
inline constexpr int header_mismatch = -32020;     // from 2026-07-28 on, like the two below
inline constexpr int missing_client_capability = -32021;
inline constexpr int unsupported_protocol_version = -32022;
// Of this host, outside of what JSON-RPC and MCP keep for themselves (2026-07-28, basic, "Error Codes").
inline constexpr int unauthorized = 401;
inline constexpr int not_permitted = 403;
inline constexpr int limited = 429;
}  // namespace error_code

struct RpcError {
  int code = error_code::internal_error;
  std::string message;
  Json data = nullptr;                      // null: none
  std::vector<std::string> scopes = {};     // that the client's credential lacks for its request
  std::optional<LimitStanding> limit = {};  // that refuses the request
};

// What it does not copy are views into the document that it has been read from, which outlives it.
struct Message {
  enum class Kind { request, notification, response };
  Kind kind = Kind::request;
  std::string id;  // as JSON text, `7` or `"seven"`; of requests and responses
  std::string method_name;
  std::optional<Method> method;  // nothing: the host knows none of the name
  JsonValue params;              // an object, or none; of requests and notifications
  JsonValue answer;              // of responses: the result, or the error object
  bool is_error = false;

  bool is_initialize() const { return kind == Kind::request && method == Method::initialize; }
};

// A message, or why it is none. `id` is set where it could be read, so that the error reaches its request.
struct ReadMessage {
  std::optional<Message> message;
  std::optional<RpcError> error;
  std::string id;
  bool is_notification = false;  // what was meant to be one
  std::string answered = {};     // the id of what has no method: it can only be one that the host has given
};
ReadMessage read_message(JsonValue json);

// The method of a request that a plugin wants its client to be asked; nothing if the host knows none of the name.
std::optional<Method> method_of(const OrderedJson& request);

// As JSON text; empty if no request may have such an id. The same id has the same text.
std::string id_text(JsonValue id);
// Of the id that stands alone in `json`.
std::string read_id(std::string_view json);

// `id` is JSON text; empty where the request's own could not be read: then the response has none (2025-11-25 and later,
// basic, "Error Responses"; JSON-RPC's null is no RequestId of any revision's schema).
std::string error_response(std::string_view id, const RpcError& error);
std::string result_response(std::string_view id, std::string_view result_json);
// One whose result begins with `opening`, and what else it has follows: there is room for that, for commas, and for the
// braces that close the result and the response.
std::string begin_result_response(std::string_view id, std::string_view opening,
                                  std::initializer_list<std::string_view> others);
// The id of a text that one of these two made; empty for any other, and where the response has none.
std::string_view id_of_response(std::string_view text);
// What such a text says, as views into it.
struct AnswerText {
  std::string_view json;     // the result, or the error object
  std::string_view message;  // of the error, a JSON string; empty: it is a result
};
AnswerText answer_in(std::string_view response);
// `params_json` may be empty.
std::string notification(Method method, std::string_view params_json = {});

}  // namespace mcph
