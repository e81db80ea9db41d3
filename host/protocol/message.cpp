#include "protocol/message.hpp"

#include <algorithm>
#include <utility>

#include "base/json_text.hpp"

namespace mcph {
namespace {

ReadMessage invalid(std::string id, const std::string& reason) {
  RpcError error{error_code::invalid_request, "Invalid request: " + reason, {{"details", reason}}};
  return {std::nullopt, std::move(error), std::move(id)};
}

ReadMessage invalid_response(std::string id, const std::string& reason) {
  auto refused = invalid({}, reason);
  refused.answered = std::move(id);
  return refused;
}

constexpr std::string_view before_id = R"({"jsonrpc":"2.0","id":)";
constexpr std::string_view before_result = R"(,"result":)";
constexpr std::string_view before_message = R"(,"message":)";

// The JSON string that the text begins with.
std::string_view string_at_front(std::string_view json) {
  std::size_t end = 1;
  while (end < json.size() && json[end] != '"')
    end += json[end] == '\\' ? 2 : 1;
  return json.substr(0, end + 1);
}

}  // namespace

std::string id_text(JsonValue id) {
  // Ids are remembered while their requests run, so their length is bounded.
  constexpr std::size_t max_id = 1024;
  const auto text = id.text();
  if (id.is_integer()) return text == "-0" ? "0" : std::string(text);
  if (!id.is_string()) return {};
  // One that is written with escapes may be written in several ways.
  std::string said = text.find('\\') == std::string_view::npos ? std::string() : id.string();
  if ((said.empty() ? text.size() - 2 : said.size()) > max_id) return {};
  return said.empty() ? std::string(text) : dump(Json(said));
}

std::string read_id(std::string_view json) {
  const auto id = JsonDocument::read(json);
  return id.has_value() ? id_text(id->root()) : std::string();
}

ReadMessage read_message(JsonValue json) {
  if (!json.is_object()) return invalid({}, "a message is a JSON object");
  const auto id = json.find("id");
  auto text_of_id = id_text(id);
  const auto method = json.find("method");

  if (!json.find("jsonrpc").is("2.0"))
    return (method ? invalid : invalid_response)(std::move(text_of_id), "\"jsonrpc\" must be \"2.0\"");
  // Who could not read what the host wrote says so with the id null (JSON-RPC 2.0, section 5), which is not answered.
  const bool answers_nobody = id.is_null() && !method && json.find("error");
  if (id && text_of_id.empty() && !answers_nobody)
    return invalid({},
                   "\"id\" must be a string of at most 1024 bytes, or an integer of at most 64 bits that is written "
                   "without a fraction and an exponent");

  Message message;
  message.id = text_of_id;
  if (!method) {
    const auto error = json.find("error");
    message.answer = error ? error : json.find("result");
    if (!message.answer) {
      return invalid_response(std::move(text_of_id), "there is neither a \"method\" nor a \"result\" or \"error\"");
    }
    message.kind = Message::Kind::response;
    message.is_error = static_cast<bool>(error);
    return {std::move(message), std::nullopt, std::move(text_of_id)};
  }
  if (!method.is_string()) return invalid(std::move(text_of_id), "\"method\" must be a string");
  message.method_name = method.string();
  message.method = find_method(message.method_name);
  message.kind = id ? Message::Kind::request : Message::Kind::notification;

  message.params = json.find("params");
  if (message.params && !message.params.is_object()) {
    auto refused = invalid(std::move(text_of_id), "\"params\" must be an object");
    refused.is_notification = message.kind == Message::Kind::notification;
    return refused;
  }
  return {std::move(message), std::nullopt, std::move(text_of_id)};
}

std::optional<Method> method_of(const OrderedJson& request) {
  const auto name = request.find("method");
  if (name == request.end() || !name->is_string()) return std::nullopt;
  return find_method(name->get_ref<const std::string&>());
}

std::string error_response(std::string_view id, const RpcError& error) {
  std::string text = R"({"jsonrpc":"2.0",)";
  if (!id.empty()) text.append(R"("id":)").append(id).append(",");
  text += R"("error":{"code":)" + std::to_string(error.code) + R"(,"message":)";
  append_json_string(text, error.message);
  if (!error.data.is_null()) text += R"(,"data":)" + dump(error.data);
  text += "}}";
  return text;
}

std::string result_response(std::string_view id, std::string_view result_json) {
  std::string text;
  text.reserve(before_id.size() + id.size() + before_result.size() + result_json.size() + 1);
  text.append(before_id).append(id).append(before_result).append(result_json).append("}");
  return text;
}

std::string begin_result_response(std::string_view id, std::string_view opening,
                                  std::initializer_list<std::string_view> others) {
  auto size = before_id.size() + id.size() + before_result.size() + opening.size() + 2;
  for (const auto each : others)
    size += each.size() + 1;
  std::string text;
  text.reserve(size);
  text.append(before_id).append(id).append(before_result).append(opening);
  return text;
}

std::string_view id_of_response(std::string_view text) {
  if (!text.starts_with(before_id)) return {};
  text.remove_prefix(before_id.size());
  return text.starts_with('"') ? string_at_front(text) : text.substr(0, text.find(','));
}

AnswerText answer_in(std::string_view response) {
  if (!response.ends_with('}')) return {};
  response.remove_suffix(1);
  const auto id = id_of_response(response);
  // Without an id it is an error.
  const auto at = id.empty() ? response.find(',') : before_id.size() + id.size();
  const auto member = response.substr(std::min(at, response.size()));
  if (member.starts_with(before_result)) return {member.substr(before_result.size()), {}};
  const auto error = member.substr(std::min(member.find(':'), member.size() - 1) + 1);
  const auto message = error.find(before_message);
  if (message == std::string_view::npos) return {};
  return {error, string_at_front(error.substr(message + before_message.size()))};
}

std::string notification(Method method, std::string_view params_json) {
  std::string text = R"({"jsonrpc":"2.0","method":")";
  text.append(name_of(method)).append("\"");
  if (!params_json.empty()) text.append(R"(,"params":)").append(params_json);
  text += '}';
  return text;
}

}  // namespace mcph
