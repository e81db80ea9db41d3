#include "protocol/state/resource_subscriptions.hpp"

#include <set>
#include <utility>

#include "base/json_text.hpp"

namespace mcph {
namespace {

bool is_served(const Catalog& catalog, const std::string& uri) {
  return catalog.find_resource(uri) != nullptr || catalog.match_template(uri).has_value();
}

RpcError invalid_filter(std::string_view reason) {
  return {error_code::invalid_params,
          "Invalid params: params.notifications.resourceSubscriptions " + std::string(reason)};
}

}  // namespace

Result<> ResourceSubscriptions::add(const std::string& uri, ResourceUpdates& updates,
                                    std::weak_ptr<ResourceListener> listener) {
  auto key = normalized_uri(uri);
  if (places_.contains(key)) return {};
  if (uri.size() > max_uri) {
    return fail("A resource that is subscribed to has a URI of at most " + std::to_string(max_uri) + " bytes");
  }
  if (places_.size() >= max_count) {
    return fail("Too many subscriptions: a client has at most " + std::to_string(max_count) +
                "; unsubscribe from some resources");
  }
  auto place = updates.listen(uri, std::move(listener));
  if (!place) {
    return fail("Too many subscriptions: this server has as many of all its clients as it can keep; try again later");
  }
  places_.emplace(std::move(key), *std::move(place));
  return {};
}

Result<std::string, Rejection> read_unsubscribed_uri(JsonValue params) {
  const auto uri = params.find("uri");
  if (!uri.is_string()) {
    return Rejection{Rejection::Reason::malformed, "params.uri must be a string"};
  }
  return uri.string();
}

Result<std::string, Rejection> read_subscribed_uri(const Catalog& catalog, JsonValue params) {
  auto read = read_unsubscribed_uri(params);
  if (read.has_error() || is_served(catalog, *read)) return read;
  return Rejection{Rejection::Reason::unknown_resource, "Resource not found: " + *read, {{"uri", *read}}};
}

Result<std::vector<std::string>, RpcError> read_resource_filter(const Catalog& catalog, const Json& notifications) {
  std::vector<std::string> wanted;
  const auto filter = notifications.find("resourceSubscriptions");
  if (filter == notifications.end()) return wanted;
  if (!filter->is_array()) return invalid_filter("must be an array of URIs");
  if (filter->size() > ResourceSubscriptions::max_count) {
    return invalid_filter("has more than " + std::to_string(ResourceSubscriptions::max_count) +
                          " URIs; send several requests");
  }
  const auto template_bytes = catalog.template_bytes();
  std::size_t matched = 0;
  std::set<std::string> keys;
  for (const auto& uri : *filter) {
    if (!uri.is_string()) return invalid_filter("must be an array of URIs");
    const auto& text = uri.get_ref<const std::string&>();
    if (text.size() > ResourceSubscriptions::max_uri) continue;
    const auto [key, is_new] = keys.insert(normalized_uri(text));
    if (!is_new) continue;
    const auto* const resource = catalog.find_resource(text);
    auto plugin = resource == nullptr ? nullptr : resource->plugin;
    if (resource == nullptr) {
      if (matched > ResourceSubscriptions::max_matched) {
        return invalid_filter(
            "has too many or too long URIs for the resource templates that they are matched with; send several "
            "requests");
      }
      matched += key->size() * template_bytes;
      const auto match = catalog.match_template(text);
      if (!match) continue;
      plugin = match->served->plugin;
    }
    if (plugin->tells_updates()) wanted.push_back(text);
  }
  return wanted;
}

std::string updated_params(std::string_view uri, std::string_view meta) {
  std::string params = "{" + std::string(meta) + R"("uri":)";
  const auto encoded = encoded_uri(uri);
  append_json_string(params, encoded ? *encoded : uri);
  params += '}';
  return params;
}

}  // namespace mcph
