#include "protocol/capabilities.hpp"

namespace mcph {
namespace {

// The capability without which a client cannot answer the request; null for a method that no client knows.
Json required_capability(const Json& request) {
  const auto method = request.value("method", "");
  if (method == "sampling/createMessage") return {{"sampling", Json::object()}};
  if (method == "roots/list") return {{"roots", Json::object()}};
  if (method != "elicitation/create") return nullptr;
  const auto params = request.value("params", Json::object());
  const bool by_url = params.is_object() && params.value("mode", Json()) == "url";
  // An empty elicitation capability means form mode (client/elicitation, "Capabilities").
  return by_url ? Json{{"elicitation", {{"url", Json::object()}}}} : Json{{"elicitation", Json::object()}};
}

bool covers(const Json& available, const Json& required) {
  for (const auto& [name, nested] : required.items()) {
    const auto found = available.find(name);
    if (found == available.end() || !found->is_object() || !covers(*found, nested)) return false;
  }
  return true;
}

}  // namespace

Json missing_capabilities(const Json& input_requests, const Json& client_capabilities) {
  auto missing = Json::object();
  for (const auto& [name, request] : input_requests.items()) {
    const auto required = required_capability(request);
    if (required.is_object() && !covers(client_capabilities, required)) missing.merge_patch(required);
  }
  return missing;
}

}  // namespace mcph
