// MCP Apps (SEP-1865): pages of HTML that a client shows in a frame of their own and that talk with it by postMessage.
// Plugin::app registers the page, Tool::app says that its results are shown by one. Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

/// What makes a resource such a page.
inline constexpr std::string_view app_mime_type = "text/html;profile=mcp-app";

/// What a page needs besides itself. A client gives it nothing that is not asked for here, and perhaps not even that.
/// Origins are such as "https://api.example.org".
struct AppNeeds {
  std::vector<std::string> connect_domains = {};   ///< to send requests to
  std::vector<std::string> resource_domains = {};  ///< to load scripts, styles, images, fonts and media from
  std::vector<std::string> frame_domains = {};     ///< to show in frames inside the page
  std::vector<std::string> base_uri_domains = {};  ///< to resolve relative URIs by

  bool camera = false;
  bool microphone = false;
  bool geolocation = false;
  bool clipboard_write = false;

  std::string domain = {};                            ///< an origin of its own, in words that the client prescribes
  std::optional<bool> prefers_border = std::nullopt;  ///< if not set, the client decides
};

namespace detail {

/// The "ui" member of the page's _meta, as JSON text; empty if there is nothing to say.
std::string app_needs_text(const AppNeeds& needs);

/// Throws std::invalid_argument unless it is a "ui://" URI. `what` is what the message is about.
void require_app_uri(std::string_view uri, const std::string& what);

}  // namespace detail
}  // namespace mcp
