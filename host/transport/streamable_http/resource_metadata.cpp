#include "transport/streamable_http/resource_metadata.hpp"

#include <utility>

#include "auth/proof.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "http/connection.hpp"

namespace mcph {
namespace {

constexpr std::string_view well_known = "/.well-known/oauth-protected-resource";

// Of which the metadata at this path are; empty: it does not say.
std::string_view endpoint_in(std::string_view path) {
  return path.starts_with(well_known) ? path.substr(well_known.size())
                                      : path.substr(0, path.size() - well_known.size());
}

HttpResponse metadata(const ProtectedResource& resource, const std::string& endpoint_path) {
  if (!resource.has_metadata())
    return {.status = 404, .body = "Nobody issues tokens for this server\n", .content_type = "text/plain"};
  OrderedJson document = {{"resource", resource.origin + endpoint_path},
                          {"authorization_servers", resource.issuers},
                          {"bearer_methods_supported", {"header"}},
                          {"dpop_signing_alg_values_supported", proof_algorithms()}};
  if (resource.knows_certificates) document["tls_client_certificate_bound_access_tokens"] = true;
  if (!resource.title.empty()) document["resource_name"] = resource.title;
  if (!resource.scopes.empty()) document["scopes_supported"] = resource.scopes;
  return {.body = dump(document), .fields = {{"Cache-Control", "max-age=60"}}};
}

}  // namespace

std::string metadata_url(const ProtectedResource& resource, std::string_view endpoint_path) {
  return resource.origin + std::string(well_known) + std::string(endpoint_path);
}

std::vector<HttpResource> metadata_resources(const Current<AccessState>& access, const std::string& endpoint_path,
                                             bool is_first) {
  const HttpHandler get = [&access, endpoint_path](HttpRequest& request, HttpConnection& connection) {
    const auto endpoint = endpoint_in(request.path);
    return connection.respond(
        metadata(access.get()->resource(), endpoint.empty() ? endpoint_path : std::string(endpoint)));
  };
  // As the RFC has it; as some clients try; and as others do, of the first endpoint that there is.
  std::vector<std::string> paths{std::string(well_known) + endpoint_path, endpoint_path + std::string(well_known)};
  if (is_first) paths.emplace_back(well_known);
  std::vector<HttpResource> resources;
  resources.reserve(paths.size());
  for (auto& path : paths) {
    resources.push_back(document(std::move(path), get));
    resources.back().is_public = true;
  }
  return resources;
}

}  // namespace mcph
