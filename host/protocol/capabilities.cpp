#include "protocol/capabilities.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/json_text.hpp"

namespace mcph {
namespace {

std::string capabilities_with(const Catalog& view, std::vector<std::string> extensions,
                              const std::vector<std::string>& further) {
  extensions.insert(extensions.end(), further.begin(), further.end());
  std::string members;
  for (const auto& extension : extensions)
    members.append(members.empty() ? "" : ",").append(R"("io.modelcontextprotocol/)" + extension + R"(":{})");
  // No plugin's has that prefix.
  if (!view.extensions().empty()) members.append(",").append(view.extensions());
  std::string text = R"({"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},)"
                     R"("prompts":{"listChanged":true},"logging":{},"completions":{},"extensions":{)" +
                     members + "}";
  if (!view.experimental().empty()) text.append(R"(,"experimental":{)").append(view.experimental()).append("}");
  return text + "}";
}

bool has_tool_block(const OrderedJson& message) {
  const auto is_one = [](const OrderedJson& block) {
    return block["type"] == "tool_use" || block["type"] == "tool_result";
  };
  const auto& content = message["content"];
  return content.is_array() ? std::ranges::any_of(content, is_one) : is_one(content);
}

// The capability without which a client cannot answer the request, of the three methods that there are. The request has
// been checked.
Json required_capability(const OrderedJson& request) {
  const auto method = method_of(request);
  const auto found = request.find("params");
  const auto params = found != request.end() && found->is_object() ? *found : OrderedJson::object();
  if (method == Method::roots_list) return {{"roots", Json::object()}};
  if (method == Method::sampling_create_message) {
    const bool with_tools = params.contains("tools") || params.contains("toolChoice") ||
                            std::ranges::any_of(params.value("messages", OrderedJson::array()), has_tool_block);
    return {{"sampling", with_tools ? Json{{"tools", Json::object()}} : Json::object()}};
  }
  const bool by_url = params.value("mode", OrderedJson()) == "url";
  return {{"elicitation", {{by_url ? "url" : "form", Json::object()}}}};
}

// What a client means by what it says: an empty elicitation capability is form mode (client/elicitation,
// "Capabilities").
Json meant(Json capabilities) {
  const auto elicitation = capabilities.find("elicitation");
  if (elicitation != capabilities.end() && elicitation->is_object() && elicitation->empty()) {
    (*elicitation)["form"] = Json::object();
  }
  return capabilities;
}

bool covers(const Json& available, const Json& required) {
  for (const auto& [name, nested] : required.items()) {
    const auto found = available.find(name);
    if (found == available.end() || !found->is_object() || !covers(*found, nested)) return false;
  }
  return true;
}

// Adds each capability that has no further ones in it, with what it lies in: "elicitation.form".
void add_paths(const Json& capabilities, const std::string& prefix, std::vector<std::string>& paths) {
  for (const auto& [name, nested] : capabilities.items()) {
    if (!nested.is_object() || nested.empty()) {
      paths.push_back("\"" + prefix + name + "\"");
    } else {
      add_paths(nested, prefix + name + ".", paths);
    }
  }
}

bool has_only_objects(const Json& capability) {
  return capability.is_object() && std::ranges::all_of(capability, has_only_objects);
}

}  // namespace

std::string server_capabilities(const Catalog& view, const std::vector<std::string>& further_extensions) {
  return capabilities_with(view, {"ui"}, further_extensions);
}

std::string modern_server_capabilities(const Catalog& view, const std::vector<std::string>& further_extensions) {
  return capabilities_with(view, {"tasks", "ui"}, further_extensions);
}

Json missing_capabilities(const OrderedJson& input_requests, const Json& client_capabilities) {
  const auto available = meant(client_capabilities);
  auto missing = Json::object();
  for (const auto& [name, request] : input_requests.items()) {
    const auto required = required_capability(request);
    if (!covers(available, required)) missing.merge_patch(required);
  }
  return missing;
}

void drop_undeclared_context(OrderedJson& input_requests, const Json& client_capabilities) {
  if (covers(client_capabilities, {{"sampling", {{"context", Json::object()}}}})) return;
  for (auto& request : input_requests) {
    if (method_of(request) == Method::sampling_create_message) request["params"].erase("includeContext");
  }
}

Json missing_capabilities_in(const Json& error_data, const Json& client_capabilities) {
  const auto required = error_data.is_object() ? error_data.value("requiredCapabilities", Json()) : Json();
  auto missing = Json::object();
  if (!required.is_object()) return missing;
  const auto available = meant(client_capabilities);
  // Of those that are asked of clients.
  for (const auto* const name : {"elicitation", "sampling", "roots"}) {
    const auto found = required.find(name);
    if (found == required.end() || !has_only_objects(*found)) continue;
    const Json one = {{name, *found}};
    if (!covers(available, one)) missing.update(one);
  }
  return missing;
}

std::string in_words(const Json& missing_capabilities) {
  std::vector<std::string> paths;
  add_paths(missing_capabilities, "", paths);
  std::string text = paths.size() == 1 ? "capability " : "capabilities ";
  for (std::size_t i = 0; i < paths.size(); ++i)
    text.append(i == 0 ? "" : i + 1 < paths.size() ? ", " : " and ").append(paths[i]);
  return text;
}

}  // namespace mcph
