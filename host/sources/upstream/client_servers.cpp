#include "sources/upstream/client_servers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_text.hpp"
#include "sources/upstream/upstream_settings.hpp"

namespace mcph {
namespace {

constexpr auto known_members =
    std::to_array<const char*>({"type",     "command",  "args",    "env",    "cwd",    "url",       "caFile",
                                "insecure", "headers",  "oauth",   "prefix", "rename", "include",   "exclude",
                                "limits",   "restarts", "sandbox", "errors", "legacy", "connectMs", "graceMs"});

bool text_has_placeholder(std::string_view text) {
  const auto begin = text.find("${");
  return begin != std::string_view::npos && text.find('}', begin) != std::string_view::npos;
}

bool has_placeholder(const OrderedJson& value) {
  if (value.is_string()) return text_has_placeholder(value.get_ref<const std::string&>());
  return value.is_structured() &&
         std::ranges::any_of(value, [](const OrderedJson& each) { return has_placeholder(each); });
}

// "WIKI_TOKEN" of "wiki-token".
std::string variable_named(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool is_lower = 'a' <= c && c <= 'z';
    const bool is_other = ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
    name += is_lower ? static_cast<char>(c - 'a' + 'A') : is_other ? c : '_';
  }
  return !name.empty() && name.front() <= '9' ? "_" + name : name;
}

// What stands between "${" and "}", if the text is nothing else.
std::string_view whole_placeholder(std::string_view text) {
  const bool is_whole = text.starts_with("${") && text.find('}') == text.size() - 1;
  return is_whole ? text.substr(2, text.size() - 3) : std::string_view();
}

// Whose value the client asks for, or has in its own environment. `place` names what has the text, for one that is more
// than that.
std::string variable_for(std::string_view text, const std::string& place) {
  constexpr std::string_view input = "input:";
  constexpr std::string_view environment = "env:";
  const auto name = whole_placeholder(text);
  if (name.starts_with(input)) return variable_named(name.substr(input.size()));
  if (name.starts_with(environment)) return std::string(name.substr(environment.size()));
  const bool is_plain = !name.empty() && name.find(':') == std::string_view::npos;
  return is_plain ? std::string(name) : variable_named(place);
}

void take_variables(ImportedUpstream& upstream, OrderedJson& texts) {
  if (!texts.is_object()) return;
  for (auto& [key, value] : texts.items()) {
    if (!value.is_string() || !has_placeholder(value)) continue;
    auto text = value.get<std::string>();
    auto name = variable_for(text, upstream.name + "_" + key);
    value = {{"env", name}};
    upstream.variables.push_back({std::move(name), std::move(text)});
  }
}

// Clients let them be written, though they, too, write their own.
void drop_headers_of_host(ImportedUpstream& upstream, OrderedJson& headers) {
  if (!headers.is_object()) return;
  for (const auto& [name, text] : headers.items())
    if (is_header_of_host(name)) upstream.dropped_headers.push_back(name);
  for (const auto& name : upstream.dropped_headers)
    headers.erase(name);
}

ImportedUpstream imported(const std::string& name, const OrderedJson& server) {
  ImportedUpstream upstream{.name = name, .settings = OrderedJson::object()};
  for (const auto& [key, value] : server.items()) {
    if (key == "disabled") {
      upstream.is_disabled = value == true;
    } else if (std::ranges::find(known_members, key) != known_members.end()) {
      upstream.settings[key] = value;
    } else {
      upstream.dropped.push_back(key);
    }
  }
  for (auto& [key, value] : upstream.settings.items()) {
    if (key == "headers") drop_headers_of_host(upstream, value);
    if (key == "env" || key == "headers") take_variables(upstream, value);
    if (has_placeholder(value)) upstream.unknown.push_back(key);
  }
  return upstream;
}

}  // namespace

Result<std::vector<ImportedUpstream>> read_client_servers(std::string_view text) {
  const auto json = parse_ordered_json(text);
  if (json.has_error()) return fail("it is " + json.error().message);
  const OrderedJson* servers = nullptr;
  for (const auto* const key : {"mcpServers", "servers"}) {
    if (json->is_object() && json->contains(key) && (*json)[key].is_object()) servers = &(*json)[key];
    if (servers != nullptr) break;
  }
  if (servers == nullptr) return fail(R"(it has no object "mcpServers" or "servers")");
  std::vector<ImportedUpstream> upstreams;
  for (const auto& [name, server] : servers->items()) {
    if (!server.is_object()) return fail("its server \"" + name + "\" is no object");
    upstreams.push_back(imported(name, server));
  }
  return upstreams;
}

}  // namespace mcph
