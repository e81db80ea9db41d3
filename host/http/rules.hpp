// The rules of HTTP by which a request is read and admitted: Host and Origin against DNS rebinding, Accept and
// Content-Type, where a body ends, and what CORS lets a browser do. Pure functions of header values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcph {

struct HttpAccess {
  bool loopback_only = true;                 // listens on a loopback address: only loopback names may be the Host
  std::vector<std::string> allowed_hosts;    // further names, without port, lower case
  std::vector<std::string> allowed_origins;  // further origins, "https://app.example.com", lower case; "*" is any
  std::string_view origin_option = "--allow-origin";  // that allows one, for messages; empty: there is none
  std::string own_host = {};  // under which a proxy may pass requests on, too; empty: there is none
};

// What a request is for: of an absolute target the host that it names, which then counts instead of the Host header
// (RFC 9112 section 3.2.2), and the path apart from the query.
struct HttpTarget {
  std::optional<std::string_view> host;
  std::string_view path;
  std::string_view query = {};
  bool is_server = false;  // "*"
};
// Nothing where it has none of the forms that an origin server is asked with, or names a host that is none.
std::optional<HttpTarget> read_target(std::string_view target, std::optional<std::string_view> host_header);

// What a Host header may say, and a URL between "//" and its path: a host, which may be empty, with or without a port
// (RFC 9110 section 7.2).
bool is_authority(std::string_view text);

// "localhost", 127.0.0.0/8 or [::1], with or without a port.
bool is_loopback_host(std::string_view host);

// What can stand in HttpAccess: a host without a port, "scheme://host[:port]" without a path.
bool is_host_name(std::string_view text);
bool is_origin(std::string_view text);

// "mcp.example.com" of "https://mcp.example.com:8443"; an IPv6 address keeps its brackets. Empty: it is no origin.
std::string_view host_of_origin(std::string_view origin);

bool host_allowed(const HttpAccess& access, std::optional<std::string_view> host);
// A request without an Origin is not a browser's. One with a value that is no origin (RFC 6454 section 7) is refused,
// even where any origin is allowed.
bool origin_allowed(const HttpAccess& access, std::optional<std::string_view> origin);

// Whether an Accept header admits a media type: by the most specific range that covers it, unless its quality is 0. No
// header admits all (RFC 9110 section 12.5.1).
bool accepts(std::optional<std::string_view> accept, std::string_view media_type);

// Whether a Content-Type has this media type, in any case and with any parameters (RFC 9110 section 8.3.1).
bool is_media_type(std::string_view content_type, std::string_view media_type);

bool is_json(std::optional<std::string_view> content_type);

// What a Transfer-Encoding makes of a body (RFC 9112 section 6.3): one in chunks, one in chunks that are coded
// otherwise, too, or one whose end cannot be found.
enum class TransferEncoding { chunked, coded, without_end };
TransferEncoding read_transfer_encoding(std::string_view list);

// Whether the connection stays open after the answer, of a request of HTTP/1.0 (10) or later (RFC 9112 section 9.3).
bool keeps_alive(unsigned version, std::optional<std::string_view> connection);

// The headers that a page of another origin may send and read (Fetch, section 3.2).
struct HttpCors {
  std::string_view allowed = {};  // a list
  std::string_view prefix = {};   // of further ones that may be sent; empty: there are none
  std::string_view exposed = {};  // a list
};
// The value of Access-Control-Allow-Headers for what a browser asks for.
std::string cors_allowed_headers(const HttpCors& cors, std::optional<std::string_view> requested);

}  // namespace mcph
