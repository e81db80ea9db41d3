#include "client_requests.hpp"

#include <utility>

namespace conformance {

mcp::Json elicitation(std::string_view message, mcp::Json properties, mcp::Json required) {
  return {{"method", "elicitation/create"},
          {"params",
           {{"message", message},
            {"requestedSchema",
             {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}}}}}};
}

mcp::Json sampling(std::string_view prompt, int max_tokens) {
  const mcp::Json message = {{"role", "user"}, {"content", {{"type", "text"}, {"text", prompt}}}};
  return {{"method", "sampling/createMessage"},
          {"params", {{"messages", mcp::Json::array({message})}, {"maxTokens", max_tokens}}}};
}

mcp::Json roots() {
  return {{"method", "roots/list"}, {"params", mcp::Json::object()}};
}

mcp::Json complete_answers(const mcp::Context& context, const mcp::Json& requests) {
  auto answers = context.input_responses();
  for (const auto& [name, request] : requests.items()) {
    const auto answer = answers.find(name);
    if (answer == answers.end() || !answer->is_object()) return mcp::Json::object();
  }
  return answers;
}

std::string form_field(const mcp::Json& answer, const char* name) {
  const auto content = answer.value("content", mcp::Json::object());
  return content.is_object() ? content.value(name, std::string()) : std::string();
}

std::string sampled_text(const mcp::Json& answer) {
  const auto content = answer.value("content", mcp::Json::object());
  return content.is_object() ? content.value("text", std::string()) : std::string();
}

std::size_t root_count(const mcp::Json& answer) {
  return answer.value("roots", mcp::Json::array()).size();
}

}  // namespace conformance
