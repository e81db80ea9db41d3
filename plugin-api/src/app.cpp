#include <stdexcept>

#include <mcp/plugin/app.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/instance.hpp>
#include <nlohmann/json.hpp>

namespace mcp {
namespace {

void add_domains(detail::ObjectText& object, std::string_view name, const std::vector<std::string>& domains) {
  if (domains.empty()) return;
  detail::ArrayText list;
  for (const auto& domain : domains)
    list.item(detail::json_string(domain));
  object.member(name, list.text());
}

void add_permission(detail::ObjectText& object, std::string_view name, bool is_needed) {
  if (is_needed) object.member(name, "{}");
}

std::string text_unless_empty(const detail::ObjectText& object) {
  return object.empty() ? std::string() : object.text();
}

}  // namespace

std::string detail::app_needs_text(const AppNeeds& needs) {
  ObjectText csp;
  add_domains(csp, "connectDomains", needs.connect_domains);
  add_domains(csp, "resourceDomains", needs.resource_domains);
  add_domains(csp, "frameDomains", needs.frame_domains);
  add_domains(csp, "baseUriDomains", needs.base_uri_domains);

  ObjectText permissions;
  add_permission(permissions, "camera", needs.camera);
  add_permission(permissions, "microphone", needs.microphone);
  add_permission(permissions, "geolocation", needs.geolocation);
  add_permission(permissions, "clipboardWrite", needs.clipboard_write);

  ObjectText ui;
  ui.member_if("csp", text_unless_empty(csp)).member_if("permissions", text_unless_empty(permissions));
  ui.string_if("domain", needs.domain);
  if (needs.prefers_border) ui.member("prefersBorder", *needs.prefers_border ? "true" : "false");
  return text_unless_empty(ui);
}

void detail::require_app_uri(std::string_view uri, const std::string& what) {
  if (uri.starts_with("ui://") && uri.size() > std::string_view("ui://").size()) return;
  throw std::invalid_argument(what + ": the URI of an app begins with ui://, unlike \"" + std::string(uri) + '"');
}

Resource Plugin::app(std::string_view uri, std::string_view name, std::string_view description, std::string_view html,
                     const AppNeeds& needs) {
  detail::require_app_uri(uri, "app \"" + std::string(name) + '"');
  const std::string ui = detail::app_needs_text(needs);
  const Json meta = ui.empty() ? Json() : Json{{"ui", parse_json(ui)}};
  // Said with the page as well, because a client that shows it has read it and need not have listed it.
  ResourceContent page = text_resource(html, app_mime_type);
  if (!ui.empty()) page.meta(meta);
  Resource app = resource(uri, name, description, [page] { return page; });
  app.mime_type(app_mime_type);
  if (!ui.empty()) app.meta(meta);
  return app;
}

}  // namespace mcp
