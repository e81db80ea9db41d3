#include "dispatch.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/detail/read_text.hpp>
#include <mcp/plugin/error.hpp>
#include <nlohmann/json.hpp>

#include "answers.hpp"
#include "completion.hpp"
#include "host_text.hpp"
#include "metadata_text.hpp"
#include "unanswered.hpp"

namespace mcp::detail {
namespace {

// Of what is no tool and fails in words that are meant for whoever asked: hosts mask those of an internal error.
// JSON-RPC leaves it to its users (section 5.1).
constexpr int failed_as_told = 1;

struct Request {
  const mcp_host& host;
  mcp_call_id call;
  const Json& params;
};

class HandlerContext : public Context {
 public:
  using Context::Context;
  using Context::has_asked;
};

/// What a handler returns or throws, but for one that has caught its own input request: then whatever comes of it is
/// wrong, because nobody was asked.
template <class Handler>
auto run_handler(const Request& request, const Handler& handler) {
  HandlerContext context(request.host, request.call, request.params);
  try {
    auto result = handler(context);
    if (!context.has_asked()) return result;
  } catch (const Unanswered&) {
    throw;
  } catch (...) {
    if (!context.has_asked()) throw;
  }
  throw std::logic_error(std::string(input_request_caught));
}

void log_unknown_exception(const Request& request, const std::string& component) {
  request.host.log(&request.host, request.call, MCP_LOG_ERROR,
                   borrowed(component + " threw something that is not a std::exception"));
}

const std::string& text_param(const Json& params, std::string_view name) {
  const Json* value = find_member(params, name);
  if (!value) throw ProtocolError(invalid_params, "params." + std::string(name) + " is missing");
  return decode_string(*value, Place{nullptr, name, 0});
}

const Json& object_param(const Json& params, std::string_view name) {
  const Json* value = find_member(params, name);
  if (!value || !value->is_object()) {
    throw ProtocolError(invalid_params, "params." + std::string(name) + " is not an object");
  }
  return *value;
}

/// An object of strings, as a map that owns them.
std::map<std::string, std::string, std::less<>> texts_param(const Json& params, std::string_view name) {
  std::map<std::string, std::string, std::less<>> texts;
  const Json* object = find_member(params, name);
  if (!object || object->is_null()) return texts;
  const Place place{nullptr, name, 0};
  for (const auto& [key, value] : members(*object, place)) {
    texts.emplace(*key, decode_string(*value, Place{&place, *key, 0}));
  }
  return texts;
}

// Tools ---------------------------------------------------------------------------------------------------------------

/// A failure of which nobody has said that the model may read about it: the host decides whether it does.
Answer unexpected_failure(std::string_view message) {
  return ToolResult().text(message).is_error().meta({{"mcp-plugin-host/unexpected", true}}).answer();
}

/// What a tool's handler threw, as an answer. To be called while the exception is being handled.
Answer tool_failure(const Request& request, const ToolRecord& tool) {
  try {
    throw;
  } catch (const Unanswered& unanswered) {
    return unanswered.answer();
  } catch (const ProtocolError& error) {
    return error_answer(error);
  } catch (const ToolError& error) {
    return ToolResult().text(error.what()).is_error().answer();
  } catch (const std::exception& error) {
    return unexpected_failure(error.what());
  } catch (...) {
    log_unknown_exception(request, "tool \"" + tool.name + '"');
    return unexpected_failure("The tool failed for an unknown reason.");
  }
}

/// The same for what is no tool. `kind` is what a caller reads of it, and `component` what the log has.
Answer failure(const Request& request, const std::string& kind, const std::string& component) {
  try {
    throw;
  } catch (const Unanswered& unanswered) {
    return unanswered.answer();  // which of a completion the host refuses in words
  } catch (const ProtocolError& error) {
    return error_answer(error);
  } catch (const ToolError& error) {
    return error_answer(failed_as_told, error.what());
  } catch (const std::exception& error) {
    return error_answer(internal_error, error.what());
  } catch (...) {
    log_unknown_exception(request, component);
    return error_answer(internal_error, "The " + kind + " failed for an unknown reason.");
  }
}

Answer tool_answer(const Request& request, const ToolRecord& tool, std::string_view arguments) {
  try {
    return run_handler(request, [&](Context& context) { return tool.binding.handler(arguments, context); }).answer();
  } catch (...) {
    return tool_failure(request, tool);
  }
}

Answer run_tool(const Request& request, const ToolRecord& tool, std::string_view arguments) {
  Answer answer = tool_answer(request, tool, arguments);
  warn_of_replaced_bytes(request.host, *tool.replaced_bytes, answer);
  return answer;
}

void run_async_tool(const Request& request, const ToolRecord& tool, std::string_view arguments,
                    const std::shared_ptr<PendingCalls>& pending) {
  const auto state = std::make_shared<CallState>(request.host, request.call, pending, tool.replaced_bytes);
  pending->add(request.call, state);
  // The host may have cancelled the call before it could be found here.
  if (request.host.is_cancelled(&request.host, request.call) != MCP_CANCEL_NONE) state->cancel();
  try {
    tool.binding.async_handler(arguments, Call(request.host, request.call, request.params, state));
  } catch (...) {
    state->finish(tool_failure(request, tool));
  }
  state->handler_returned();
}

/// Params that are written unusually, such as with escapes in names, as they usually are.
std::string usual_params(std::string_view params) {
  const Json tree = parse_json(params);
  ObjectText usual;
  for (const auto* name : {"name", "arguments", "inputResponses"}) {
    if (const Json* member = find_member(tree, name)) usual.member(name, dump_json(*member));
  }
  return std::move(usual).text();
}

std::string tool_name(const MembersText& params) {
  const std::string_view json = params.find("name");
  if (json.empty()) throw ProtocolError(invalid_params, "params.name is missing");
  std::string name;
  return read_string(json, name) ? name : decode_string(*parsed(json), Place{nullptr, "name", 0});
}

/// Without a tree of the params: most calls need none.
std::optional<Answer> call_tool(const mcp_host& host, mcp_call_id call, const Served& served,
                                const std::shared_ptr<PendingCalls>& pending, std::string_view params) {
  MembersText members;
  std::string usual;
  if (!members.read(params)) {
    usual = usual_params(params);
    members.read(usual);
  }
  const std::string name = tool_name(members);
  const ToolRecord* tool = served.find(&Components::tools, name);
  if (!tool) throw ProtocolError(invalid_params, "Unknown tool: " + name);

  Json answered;  // what a Context looks at
  if (const auto responses = members.find("inputResponses"); !responses.empty())
    answered = {{"inputResponses", parse_json(responses)}};
  const Request request{host, call, answered};
  const auto arguments = members.find("arguments").empty() ? std::string_view("{}") : members.find("arguments");
  if (!tool->binding.async_handler) return run_tool(request, *tool, arguments);
  run_async_tool(request, *tool, arguments, pending);
  return std::nullopt;
}

// Resources -----------------------------------------------------------------------------------------------------------

Answer contents_answer(const ResourceRecord& resource, const Uri& uri, const ResourceContents& contents) {
  ArrayText list;
  for (const auto& content : contents)
    list.item(content.json(uri.text(), resource.mime_type));
  ObjectText object;
  object.member("contents", std::move(list).text());
  if (resource.time_to_live) {
    object.member("ttlMs", std::to_string(resource.time_to_live->count()));
    object.string("cacheScope", cache_scope_name(resource.cache_scope));
  }
  return {MCP_OUTCOME_RESULT, std::move(object).text()};
}

Answer not_found(const std::string& uri) {
  return error_answer(resource_not_found, NotFound(uri).what(), ObjectText().string("uri", uri).text());
}

const ResourceRecord* find_resource(const Served& served, const Json& params, const std::string& uri) {
  const Json* uri_template = find_member(params, "uriTemplate");
  if (!uri_template) return served.find(&Components::resources, uri);
  return served.find(&Components::resource_templates, decode_string(*uri_template, Place{nullptr, "uriTemplate", 0}));
}

Answer read_resource(const Request& request, const Served& served) {
  const Uri uri(text_param(request.params, "uri"), texts_param(request.params, "variables"));
  const ResourceRecord* resource = find_resource(served, request.params, uri.text());
  if (!resource) return not_found(uri.text());
  try {
    return contents_answer(*resource, uri,
                           run_handler(request, [&](Context& context) { return resource->handler(uri, context); }));
  } catch (const NotFound& error) {
    return not_found(error.uri());
  } catch (...) {
    return failure(request, "resource", "resource \"" + uri.text() + '"');
  }
}

// Prompts -------------------------------------------------------------------------------------------------------------

Answer messages_answer(const PromptRecord& prompt, const Messages& messages) {
  ArrayText list;
  for (const Message& message : messages) {
    list.item(ObjectText().string("role", role_name(message.role)).member("content", message.content.json()).text());
  }
  ObjectText object;
  object.string_if("description", prompt.description).member("messages", std::move(list).text());
  return {MCP_OUTCOME_RESULT, std::move(object).text()};
}

void require_length(const Arg& argument, const std::string& value) {
  for (const auto& [keyword, limit] : argument.keywords()) {
    if (keyword == "minLength" || keyword == "maxLength")
      require_allowed(value, Place{nullptr, argument.name()}, keyword, limit);
  }
}

void require_choice(const Arg& argument, const std::string& value) {
  const auto choices = choices_of(argument);
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  std::string message = "Argument \"" + argument.name() + "\" must be one of: ";
  for (const auto& choice : choices)
    message += (&choice == &choices.front() ? "" : ", ") + choice;
  throw std::invalid_argument(message);
}

Arguments prompt_arguments(const PromptRecord& prompt, const Json& params) try {
  auto given = texts_param(params, "arguments");
  std::vector<std::string> declared;
  for (const Arg& argument : prompt.arguments) {
    if (argument.is_required() && !given.contains(argument.name())) {
      throw std::invalid_argument("Missing argument \"" + argument.name() + "\" of prompt \"" + prompt.name + '"');
    }
    if (const auto value = given.find(argument.name()); value != given.end()) {
      require_choice(argument, value->second);
      require_length(argument, value->second);
    } else if (const auto json = argument.default_json(); !json.empty()) {
      const Json value_if_absent = parse_json(json);
      given.emplace(argument.name(),
                    value_if_absent.is_string() ? value_if_absent.get<std::string>() : std::string(json));
    }
    declared.push_back(argument.name());
  }
  return Arguments(std::move(given), std::move(declared));
} catch (const std::invalid_argument& error) {
  throw ProtocolError(invalid_params, error.what());
}

Answer get_prompt(const Request& request, const Served& served) {
  const std::string& name = text_param(request.params, "name");
  const PromptRecord* prompt = served.find(&Components::prompts, name);
  if (!prompt) throw ProtocolError(invalid_params, "Unknown prompt: " + name);
  try {
    const Arguments arguments = prompt_arguments(*prompt, request.params);
    return messages_answer(*prompt,
                           run_handler(request, [&](Context& context) { return prompt->handler(arguments, context); }));
  } catch (...) {
    return failure(request, "prompt", "prompt \"" + name + '"');
  }
}

// Completion ----------------------------------------------------------------------------------------------------------

Answer completion_answer(const Completion& completion) {
  ArrayText values;
  for (const auto& value : completion.values)
    values.item(json_string(value));
  ObjectText object;
  object.member("values", values.text());
  if (completion.total) object.member("total", std::to_string(*completion.total));
  object.member("hasMore", completion.has_more ? "true" : "false");
  return {MCP_OUTCOME_RESULT, ObjectText().member("completion", object.text()).text()};
}

const CompletableRecord& find_completable(const Served& served, const Json& ref) {
  const CompletableRecord* record = nullptr;
  if (text_param(ref, "type") == "ref/prompt") {
    record = served.find(&Components::prompts, text_param(ref, "name"));
  } else {
    record = served.find(&Components::resource_templates, text_param(ref, "uri"));
  }
  if (!record) throw ProtocolError(invalid_params, "There is no such prompt or resource template: " + dump_json(ref));
  return *record;
}

Answer complete_argument(const Request& request, const Served& served) {
  const Json no_context = Json::object();
  const Json* context_param = find_member(request.params, "context");
  const Json& argument = object_param(request.params, "argument");
  const std::string& name = text_param(argument, "name");
  const CompletableRecord& record = find_completable(served, object_param(request.params, "ref"));
  const auto found = record.completions.find(name);
  if (found == record.completions.end()) return completion_answer({.values = {}, .total = 0});
  const Arguments chosen(texts_param(context_param ? *context_param : no_context, "arguments"), record.completable);
  try {
    const std::string& typed = text_param(argument, "value");
    return completion_answer(
        run_handler(request, [&](Context& context) { return found->second(typed, chosen, context); }));
  } catch (...) {
    return failure(request, "completion", "the completion of \"" + name + "\" of \"" + record.name + '"');
  }
}

}  // namespace

std::optional<Answer> dispatch(const mcp_host& host, mcp_call_id call, const Served& served,
                               const std::shared_ptr<PendingCalls>& pending, std::string_view method,
                               std::string_view params) {
  try {
    if (method == "tools/call") return call_tool(host, call, served, pending, params);
    const Json parsed_params = parse_json(params);
    const Request request{host, call, parsed_params};
    if (method == "resources/read") return read_resource(request, served);
    if (method == "prompts/get") return get_prompt(request, served);
    if (method == "completion/complete") return complete_argument(request, served);
    return error_answer(method_not_found, "Unknown method: " + std::string(method));
  } catch (const ProtocolError& error) {
    return error_answer(error);
  } catch (const std::invalid_argument& error) {  // by what reads the params: authors' code is not called here
    return error_answer(invalid_params, error.what());
  } catch (const std::exception& error) {
    return error_answer(internal_error, error.what());
  }
}

}  // namespace mcp::detail
