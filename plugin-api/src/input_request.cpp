#include <cstdint>
#include <utility>

#include <mcp/plugin.h>
#include <mcp/plugin/input_request.hpp>
#include <mcp/plugin/json_form.hpp>
#include <nlohmann/json.hpp>

#include "metadata_text.hpp"
#include "unanswered.hpp"

namespace mcp {
namespace detail {
namespace {

InputRequest make_input_request(std::string_view method, const ObjectText& params) {
  return InputRequest(ObjectText().string("method", method).member("params", params.text()).text());
}

/// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

/// The blocks of a message, of which there may be one without an array.
template <class Function>
void for_each_block(const Json& message, Function&& each) {
  const auto content = message.find("content");
  if (content == message.end()) return;
  if (content->is_object()) return each(*content);
  for (const auto& block : *content) {
    if (block.is_object()) each(block);
  }
}

}  // namespace

InputRequest form_request(std::string_view message, std::string_view schema) {
  return make_input_request(
      "elicitation/create",
      ObjectText().string("mode", "form").string("message", message).member("requestedSchema", schema));
}

std::string refusal_text(bool declined) {
  return declined ? "The user declined to answer." : "The user closed the question without an answer.";
}

ElicitAction action_of(const Json& answer) {
  const std::string action = answer.value("action", std::string());
  if (action == "accept") return ElicitAction::Accept;
  return action == "decline" ? ElicitAction::Decline : ElicitAction::Cancel;
}

const Json& form_content(const Json& answer) {
  static const Json empty = Json::object();
  const auto content = answer.find("content");
  return content == answer.end() ? empty : *content;
}

Answer Unanswered::answer() const {
  return {MCP_OUTCOME_INPUT_REQUIRED, ObjectText().member("inputRequests", requests).text()};
}

std::string name_of(const InputRequest& request) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name = "input-";
  for (auto hash = hash_of(request.json()); hash != 0; hash >>= 4)
    name += digits[hash & 0xF];
  return name;
}

std::vector<Root> roots_of(const Json& answer) {
  std::vector<Root> roots;
  for (const auto& root : answer.value("roots", Json::array()))
    roots.push_back({root.value("uri", std::string()), root.value("name", std::string())});
  return roots;
}

std::vector<ReadContent> contents_of(const Json& answer, const std::string& uri) {
  if (const auto error = answer.find("error"); error != answer.end()) {
    // By the code alone: the words are those of whichever plugin was asked.
    if (error->value("code", 0) == resource_not_found) throw NotFound(uri);
    throw std::runtime_error(error->value("message", std::string("the resource cannot be read")));
  }
  std::vector<ReadContent> contents;
  for (const auto& each : answer.value("contents", Json::array())) {
    contents.push_back({each.value("uri", std::string()), each.value("mimeType", std::string()),
                        each.value("text", std::string()), read_base64(each.value("blob", std::string()))});
  }
  return contents;
}

}  // namespace detail

InputRequest resource(std::string_view uri) {
  return detail::make_input_request("resources/read", detail::ObjectText().string("uri", uri));
}

InputRequest web_page(std::string_view message, std::string_view url) {
  return detail::make_input_request(
      "elicitation/create", detail::ObjectText().string("mode", "url").string("message", message).string("url", url));
}

InputRequest root_list() {
  return detail::make_input_request("roots/list", {});
}

Sampling::Sampling(int max_tokens) {
  params_["maxTokens"] = std::to_string(max_tokens);
}

Sampling& Sampling::message(const Message& message) {
  messages_.item(detail::ObjectText()
                     .string("role", detail::role_name(message.role))
                     .member("content", message.content.json())
                     .text());
  return *this;
}

Sampling& Sampling::message(const Json& message) {
  messages_.item(detail::value_text(message));
  return *this;
}

Sampling& Sampling::system_prompt(std::string_view prompt) {
  params_["systemPrompt"] = detail::json_string(prompt);
  return *this;
}

Sampling& Sampling::temperature(double temperature) {
  return param("temperature", temperature);
}

Sampling& Sampling::stop_sequences(const std::vector<std::string>& sequences) {
  params_["stopSequences"] = dump_json(sequences);
  return *this;
}

Sampling& Sampling::model_hint(std::string_view name) {
  hints_.item(detail::ObjectText().string("name", name).text());
  params_["modelPreferences"] = detail::ObjectText().member("hints", hints_.text()).text();
  return *this;
}

Sampling& Sampling::tool(std::string_view name, std::string_view description, const Json& input_schema) {
  tools_.item(detail::ObjectText()
                  .string("name", name)
                  .string_if("description", description)
                  .member("inputSchema", detail::value_text(input_schema))
                  .text());
  params_["tools"] = tools_.text();
  return *this;
}

Sampling& Sampling::tool_choice(std::string_view mode) {
  params_["toolChoice"] = detail::ObjectText().string("mode", mode).text();
  return *this;
}

Sampling& Sampling::param(std::string_view name, const Json& value) {
  // With its name before it, for an error that says where it is.
  std::string member = "{";
  detail::append_member_name(member, name);
  const auto begin = member.size();
  try {
    detail::append_value(member, value);
  } catch (const std::domain_error& error) {
    detail::refuse_to_write(member, error);
  }
  params_[std::string(name)] = member.substr(begin);
  return *this;
}

Sampling::operator InputRequest() const {
  detail::ObjectText params;
  params.member("messages", messages_.text());
  for (const auto& [name, json] : params_)
    params.member(name, json);
  return detail::make_input_request("sampling/createMessage", params);
}

std::string Sampled::text() const {
  std::string text;
  detail::for_each_block(*answer_, [&](const Json& block) {
    if (block.value("type", std::string()) != "text") return;
    if (!text.empty()) text += '\n';
    text += block.value("text", std::string());
  });
  return text;
}

std::string Sampled::model() const {
  return answer_->value("model", std::string());
}

std::string Sampled::stop_reason() const {
  return answer_->value("stopReason", std::string());
}

std::vector<ToolUse> Sampled::tool_uses() const {
  std::vector<ToolUse> uses;
  detail::for_each_block(*answer_, [&](const Json& block) {
    if (block.value("type", std::string()) != "tool_use") return;
    uses.push_back({block.value("id", std::string()), block.value("name", std::string()),
                    std::make_shared<const Json>(block.value("input", Json::object()))});
  });
  return uses;
}

Sampled Answers::sampled(std::string_view name) const {
  return Sampled(std::make_shared<const Json>(json(name)));
}

std::vector<Root> Answers::roots(std::string_view name) const {
  return detail::roots_of(json(name));
}

std::vector<ReadContent> Answers::resource(std::string_view name) const {
  const auto asked = requests_.find(std::string(name));
  // One that another ask() has asked is known by its name alone.
  if (asked == requests_.end()) return detail::contents_of(json(name), std::string(name));
  const Json::json_pointer uri("/params/uri");
  return detail::contents_of(json(name), parse_json(asked->second.json()).value(uri, std::string()));
}

const Json& Answers::json(std::string_view name) const {
  const auto found = answers_->find(name);
  if (found == answers_->end()) throw std::out_of_range("\"" + std::string(name) + "\" was not asked");
  return *found;
}

}  // namespace mcp
