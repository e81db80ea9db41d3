#include "cli/call_text.hpp"

#include <iostream>
#include <utility>

#include "base/json_text.hpp"
#include "cli/complain.hpp"

namespace mcph {
namespace {

constexpr int tool_failed = 1;

void shorten(Json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end() || !found->is_string()) return;
  *found = "... " + std::to_string(found->get_ref<const std::string&>().size()) + " characters of base64";
}

void print_block(Json block) {
  if (block["type"] == "text") {
    std::cout << block["text"].get_ref<const std::string&>() << "\n";
    return;
  }
  shorten(block, "data");
  if (block["type"] == "resource") shorten(block["resource"], "blob");
  std::cout << dump(block) << "\n";
}

void print_contents(Json contents) {
  if (const auto text = contents.find("text"); text != contents.end()) {
    std::cout << text->get_ref<const std::string&>() << "\n";
    return;
  }
  shorten(contents, "blob");
  std::cout << dump(contents) << "\n";
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
        std::cout << message["role"].get_ref<const std::string&>() << ": ";
        print_block(message["content"]);
      }
      return;
    case PluginMethod::completion_complete:
      for (const auto& value : result["completion"]["values"])
        std::cout << value.get_ref<const std::string&>() << "\n";
      return;
  }
}

}  // namespace

int fail_with(const RpcError& error, bool as_json) {
  if (!as_json) return complain(error.message);
  Json object{{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  std::cout << dump(Json{{"error", std::move(object)}}) << "\n";
  return not_carried_out;
}

int fail_with(std::string message, bool as_json) {
  return fail_with(RpcError{error_code::internal_error, std::move(message)}, as_json);
}

int print_result(PluginMethod method, const Json& result, bool as_json) {
  if (as_json) {
    std::cout << dump(result) << "\n";
  } else {
    print(method, result);
  }
  return result.value("isError", false) ? tool_failed : 0;
}

}  // namespace mcph
