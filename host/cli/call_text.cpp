#include "cli/call_text.hpp"

#include <string>
#include <utility>

#include "base/json_text.hpp"
#include "cli/complain.hpp"
#include "cli/own_output.hpp"
#include "cli/terminal.hpp"
#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

constexpr int tool_failed = 1;

void shorten(Json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end() || !found->is_string()) return;
  *found = "... " + std::to_string(found->get_ref<const std::string&>().size()) + " characters of base64";
}

// Strangers have worded it: a terminal is not to obey it, and a program reads it as it is.
void print_line(const std::string& text) {
  own_output() << (is_terminal(own_output_descriptor()) ? printable_lines(text) : text) << "\n";
}

void print_block(Json block) {
  if (block["type"] == "text") return print_line(block["text"].get_ref<const std::string&>());
  shorten(block, "data");
  if (block["type"] == "resource") shorten(block["resource"], "blob");
  print_line(dump(block));
}

void print_contents(Json contents) {
  if (const auto text = contents.find("text"); text != contents.end())
    return print_line(text->get_ref<const std::string&>());
  shorten(contents, "blob");
  print_line(dump(contents));
}

// For a person.
void print(PluginMethod method, const Json& result) {
  switch (method) {
    case PluginMethod::tools_call:
      for (const auto& block : result["content"])
        print_block(block);
      return;
    case PluginMethod::resources_read:
      for (const auto& contents : result["contents"])
        print_contents(contents);
      return;
    case PluginMethod::prompts_get:
      for (const auto& message : result["messages"]) {
        own_output() << message["role"].get_ref<const std::string&>() << ": ";
        print_block(message["content"]);
      }
      return;
    case PluginMethod::completion_complete:
      for (const auto& value : result["completion"]["values"])
        print_line(value.get_ref<const std::string&>());
      return;
  }
}

}  // namespace

int fail_with(const RpcError& error, bool as_json) {
  if (!as_json) return complain(printable_lines(error.message));
  Json object{{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  own_output() << dump(Json{{"error", std::move(object)}}) << "\n";
  return not_carried_out;
}

int fail_with(std::string message, bool as_json) {
  return fail_with(RpcError{error_code::internal_error, std::move(message)}, as_json);
}

int print_result(PluginMethod method, const Json& result, bool as_json) {
  if (as_json) {
    own_output() << dump(result) << "\n";
  } else {
    print(method, result);
  }
  return method == PluginMethod::tools_call && result.value("isError", false) ? tool_failed : 0;
}

}  // namespace mcph
