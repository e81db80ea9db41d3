#include "mock/answers.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "shared/text_template.hpp"

namespace plugins::mock {
namespace {

using mcp::Json;

void require_texts(const Json& object, std::initializer_list<const char*> names, const std::string& place) {
  for (const auto* name : names) {
    if (!object.contains(name)) refuse(place + '.' + name, "is missing");
    if (!object[name].is_string()) refuse(place + '.' + name, "must be a text");
  }
}

void require_base64(const std::string& text, const std::string& place) {
  try {
    mcp::JsonForm<std::vector<std::byte>>::from(text);
  } catch (const std::invalid_argument& error) {
    refuse(place, error.what());
  }
}

// One content object of MCP.
void require_content(const Json& content, const std::string& place) {
  if (!content.is_object()) refuse(place, "must be an object, {\"type\": \"text\", \"text\": \"...\"}");
  require_texts(content, {"type"}, place);
  const auto type = content["type"].get<std::string>();
  if (type == "text") return require_texts(content, {"text"}, place);
  if (type == "resource_link") return require_texts(content, {"uri", "name"}, place);
  if (type == "image" || type == "audio") {
    require_texts(content, {"data", "mimeType"}, place);
    return require_base64(content["data"], place + ".data");
  }
  if (type != "resource") refuse(place + ".type", "must be text, image, audio, resource or resource_link");
  const auto resource = content.value("resource", Json());
  if (!resource.is_object()) refuse(place + ".resource", "must be an object with a uri, and a text or a blob");
  const bool is_blob = resource.contains("blob");
  require_texts(resource, {"uri", is_blob ? "blob" : "text"}, place + ".resource");
  if (is_blob) require_base64(resource["blob"], place + ".resource.blob");
}

void require_message(const MessageSettings& message, const std::vector<std::string>& arguments,
                     const std::string& place) {
  if (message.text.has_value() == message.content.has_value()) refuse(place, "must have one of text and content");
  if (message.content) return require_content(*message.content, place + ".content");
  try {
    for (const auto& name : TextTemplate(*message.text).names()) {
      if (std::find(arguments.begin(), arguments.end(), name) != arguments.end()) continue;
      throw std::invalid_argument("has {" + name + "}, which is no argument of the prompt");
    }
  } catch (const std::invalid_argument& error) {
    refuse(place + ".text", error.what());
  }
}

// Without the braces.
mcp::Content content_of(const Json& object) {
  const auto text = mcp::dump_json(object);
  return mcp::Content(text.substr(1, text.size() - 2));
}

mcp::ProtocolError protocol_error(const ProtocolErrorSettings& error) {
  if (error.data) return {error.code, error.message, *error.data};
  return {error.code, error.message};
}

void throw_error(const OutcomeSettings& outcome) {
  if (!outcome.error) return;
  if (const auto* const text = std::get_if<std::string>(&*outcome.error)) throw mcp::ToolError(*text);
  throw protocol_error(std::get<ProtocolErrorSettings>(*outcome.error));
}

}  // namespace

void require_answerable(const OutcomeSettings& outcome, const std::vector<std::string>& arguments,
                        const std::string& place) {
  const auto at = [&place](const char* member, std::size_t index) {
    return place + '.' + member + '[' + std::to_string(index) + ']';
  };
  if (outcome.blob) require_base64(*outcome.blob, place + ".blob");
  if (outcome.content) {
    for (std::size_t i = 0; i < outcome.content->size(); ++i)
      require_content((*outcome.content)[i], at("content", i));
  }
  if (outcome.messages) {
    for (std::size_t i = 0; i < outcome.messages->size(); ++i)
      require_message((*outcome.messages)[i], arguments, at("messages", i));
  }
}

void answer(mcp::Call& call, const OutcomeSettings& outcome) {
  if (outcome.response && outcome.response->is_string()) {
    call.complete(outcome.response->get_ref<const std::string&>());
  } else if (outcome.response) {
    call.complete(*outcome.response);
  } else if (outcome.content) {
    mcp::Contents contents;
    for (const auto& each : *outcome.content)
      contents.push_back(content_of(each));
    call.complete(contents);
  } else if (const auto* const text = std::get_if<std::string>(&*outcome.error)) {
    call.fail(*text);
  } else {
    call.fail(protocol_error(std::get<ProtocolErrorSettings>(*outcome.error)));
  }
}

mcp::ResourceContent resource_content(const OutcomeSettings& outcome) {
  throw_error(outcome);
  if (outcome.blob) return {"\"blob\":" + mcp::dump_json(*outcome.blob), {}};
  if (outcome.response->is_string()) return mcp::text_resource(outcome.response->get_ref<const std::string&>());
  return {"\"text\":" + mcp::dump_json(mcp::Json(mcp::dump_json(*outcome.response))), {}, "application/json"};
}

mcp::Messages prompt_messages(const OutcomeSettings& outcome, const mcp::Arguments& arguments) {
  throw_error(outcome);
  mcp::Messages messages;
  for (const auto& each : *outcome.messages) {
    const auto role = each.role == Speaker::user ? mcp::Role::User : mcp::Role::Assistant;
    if (each.content) {
      messages.push_back({role, content_of(*each.content)});
      continue;
    }
    const auto value = [&](const std::string& name) { return std::optional(arguments[name]); };
    messages.push_back({role, mcp::text(TextTemplate(*each.text).filled(value).value_or(""))});
  }
  return messages;
}

}  // namespace plugins::mock
