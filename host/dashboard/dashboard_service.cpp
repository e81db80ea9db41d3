#include "dashboard/dashboard_service.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "dashboard/assets.hpp"
#include "http/connection.hpp"
#include "http/fields.hpp"

namespace mcph {
namespace {

// With a challenge, as each 401 has one (RFC 9110 section 15.5.2), of a scheme at which no browser asks for a password.
HttpRefusal unauthorized(std::string message) {
  return {.status = 401, .message = std::move(message), .fields = {{"WWW-Authenticate", "DashboardLogin"}}};
}

using boost::beast::http::verb;

constexpr std::size_t max_command_bytes = 4096;
// Between two looks at what is new.
constexpr std::chrono::milliseconds between_news{100};

// Nothing from elsewhere, nothing that is written into the page becomes a script, and nobody shows the page in theirs.
constexpr std::string_view page_fields =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; media-src data: blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

// An app runs what it has brought, in an origin of its own that has nothing, and requests nothing. WebRTC is no
// request: no browser knows the directive `webrtc` (CSP 3) yet, and each complains of one that it does not know. Nor is
// a connection that is only opened (`preconnect`, or a `location` that is refused then), for which a name is looked up.
constexpr std::string_view frame_fields =
    "Content-Security-Policy: sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; font-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cache-Control: no-store\r\n";

std::string_view only_line_of(const HttpRequest& request, std::string_view name) {
  const auto lines = lines_of(request.all_fields, name);
  return lines.size() == 1 ? lines.front() : std::string_view();
}

// "127.0.0.1:8081" of "http://127.0.0.1:8081".
std::string_view authority_in(std::string_view origin) {
  const auto at = origin.find("://");
  return at == std::string_view::npos ? std::string_view() : origin.substr(at + 3);
}

// Whether a page of somebody else sends it; `own_origin` is that of this page as people know it, if they do. A browser
// says so; what is no browser has nobody's cookie. A link to the page may stand anywhere.
bool is_of_other_page(const HttpRequest& request, std::string_view own_origin) {
  if (const auto origin = request.fields.origin; origin && *origin != own_origin) {
    if (!request.host || lower_case(std::string(authority_in(*origin))) != lower_case(std::string(*request.host)))
      return true;
  }
  const auto site = only_line_of(request, "Sec-Fetch-Site");
  if (site.empty() || site == "same-origin" || site == "none") return false;
  return request.method != verb::get || request.path != "/" || only_line_of(request, "Sec-Fetch-Mode") != "navigate" ||
         only_line_of(request, "Sec-Fetch-Dest") != "document";
}

// Cookies do not know ports: two hosts of a machine must not take each other's.
std::string cookie_name(const HttpRequest& request) {
  const auto host = request.host.value_or("");
  const auto colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  return "mcp-dashboard-" + std::string(has_port ? host.substr(colon + 1) : "");
}

std::string_view cookie_in(const HttpRequest& request) {
  const auto start = cookie_name(request) + "=";
  for (auto line : lines_of(request.all_fields, "Cookie")) {
    while (!line.empty()) {
      const auto end = std::min(line.find(';'), line.size());
      auto each = line.substr(0, end);
      line.remove_prefix(std::min(end + 1, line.size()));
      each.remove_prefix(std::min(each.find_first_not_of(' '), each.size()));
      if (each.starts_with(start)) return each.substr(start.size());
    }
  }
  return {};
}

std::string set_cookie(const HttpRequest& request, std::string_view value, std::chrono::seconds time, bool is_secure) {
  return cookie_name(request) + "=" + std::string(value) +
         "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + std::to_string(time.count()) + (is_secure ? "; Secure" : "");
}

bool is_login(std::string_view path) {
  return path == "/api/login" || path == "/api/login/credential";
}

bool is_command(std::string_view path) {
  return path == "/api/reload" || path == "/api/disable" || path == "/api/enable";
}

// What anybody may have is no secret, and does nothing.
bool is_open(std::string_view path) {
  return path == "/" || is_login(path) ||
         std::ranges::find(dashboard_assets, path, &DashboardAsset::path) != dashboard_assets.end();
}

Coroutine<> refuse_any_body(HttpRequest& /*request*/, HttpConnection& connection) {
  return connection.refuse({413, "No request here is as long as that"});
}

HttpResource command_resource(std::string path, HttpHandler post) {
  return {.path = std::move(path), .methods = {{verb::post, std::move(post)}}, .refuse_long = &refuse_any_body};
}

}  // namespace

DashboardService::DashboardService(HttpAccess access, Sources sources, bool is_secure)
    : sources_(std::move(sources)),
      is_secure_(is_secure),
      router_(std::move(access), {.status = 404, .body = "{\"error\":\"There is nothing here\"}\n"}) {
  router_.use([this](HttpRequest& request) { return admit(request); });
  router_.when_refused(sources_.refused);
  add_page();
  add_login();
  HttpResource events;
  events.path = "/api/events";
  events.methods = {
      {verb::get, [this](HttpRequest& request, HttpConnection& connection) { return tell_news(request, connection); }}};
  events.refuse_long = &refuse_any_body;
  router_.add(std::move(events));
  router_.add(document("/api/plugin", [this](HttpRequest& request, HttpConnection& connection) {
    return tell_details(request, connection);
  }));
  if (sources_.bodies)
    router_.add(document("/api/call", [this](HttpRequest& request, HttpConnection& connection) {
      return tell_bodies(request, connection);
    }));
  for (const auto* const name : {"reload", "disable", "enable"})
    add_command(name);
}

void DashboardService::add_page() {
  for (const auto& asset : dashboard_assets) {
    router_.add(document(std::string(asset.path), [&asset](HttpRequest&, HttpConnection& connection) {
      if (asset.path == dashboard_frame_path) connection.add_to_head(frame_fields);
      return connection.respond({.body = std::string(asset.bytes),
                                 .content_type = asset.content_type,
                                 .fields = {{"Content-Encoding", "gzip"}}});
    }));
  }
}

void DashboardService::add_login() {
  router_.add(command_resource("/api/login", [this](HttpRequest& request, HttpConnection& connection) {
    return log_in_by_token(request, connection);
  }));
  router_.add(command_resource("/api/logout", [this](HttpRequest& request, HttpConnection& connection) {
    return log_out(request, connection);
  }));
  if (!sources_.authenticate) return;
  auto by_credential = command_resource(
      "/api/login/credential",
      [this](HttpRequest& request, HttpConnection& connection) { return log_in_by_credential(request, connection); });
  by_credential.middleware = {sources_.authenticate};
  router_.add(std::move(by_credential));
}

void DashboardService::add_command(const std::string& name) {
  router_.add(command_resource("/api/" + name, [this, name](HttpRequest& request, HttpConnection& connection) {
    return carry_out(name, request, connection);
  }));
}

HttpVerdict DashboardService::admit(HttpRequest& request) const {
  if (is_of_other_page(request, sources_.origin))
    return {.refusal = HttpRefusal{403, "A page of another origin may not ask for this"}};
  // What is said here is short, and read on the event loop; MCP has a limit of its own.
  if (request.path.starts_with("/api/") && request.body.text().size() > max_command_bytes)
    return {.refusal = HttpRefusal{413, "The body is longer than " + std::to_string(max_command_bytes) + " bytes"}};
  if (is_open(request.path)) return {};
  const auto login = login_of(cookie_in(request));
  if (!login) return {.refusal = unauthorized("Log in: mcp-plugin-host dashboard prints a link that does")};
  if (is_command(request.path) && !login->may_operate)
    return {.refusal = HttpRefusal{403, "Who has logged in may look, and change nothing"}};
  request.principal = login->principal;
  return {};
}

std::optional<DashboardLogin> DashboardService::login_of(std::string_view session) const {
  auto login = sources_.logins.find(session);
  if (!login || !sources_.is_good(login->principal)) return std::nullopt;
  if (login->principal.id() == sources_.operator_itself.id()) return login;
  // Their roles may have changed since they logged in.
  return sources_.admit(login->principal);
}

Coroutine<> DashboardService::log_in_by_token(HttpRequest& request, HttpConnection& connection) {
  const auto json = is_json(request.fields.content_type)
                        ? parse_json(request.body.text())
                        : Result<Json>(fail("the Content-Type must be application/json"));
  const bool has_token =
      json.has_value() && json->is_object() && json->contains("token") && json->at("token").is_string();
  if (!has_token) return refuse_login(request, connection, {400, R"(The body must be {"token": "..."})"});
  if (!sources_.logins.redeem(json->at("token").get_ref<const std::string&>()))
    return refuse_login(
        request, connection,
        unauthorized(
            "This link has been used, or is older than a minute; mcp-plugin-host dashboard prints another one"));
  return begin_session(request, connection, {sources_.operator_itself, true, true});
}

Coroutine<> DashboardService::log_in_by_credential(HttpRequest& request, HttpConnection& connection) {
  if (request.principal.is_anonymous())
    return refuse_login(
        request, connection,
        unauthorized("Nothing has been shown that says who you are; write a token, or use the link that "
                     "mcp-plugin-host dashboard prints"));
  auto login = sources_.admit(request.principal);
  if (!login)
    return refuse_login(request, connection,
                        {403, "None of your roles is in [dashboard] viewers or operators of the configuration"});
  return begin_session(request, connection, *std::move(login));
}

Coroutine<> DashboardService::refuse_login(const HttpRequest& request, HttpConnection& connection,
                                           HttpRefusal refusal) {
  if (sources_.refused) sources_.refused(request, refusal.status);
  return connection.refuse(std::move(refusal));
}

OrderedJson DashboardService::login_json(const DashboardLogin& login) const {
  const auto& identity = login.principal.identity();
  OrderedJson json{{"name", identity.name.empty() ? identity.subject : identity.name},
                   {"mayOperate", login.may_operate}};
  if (login.may_operate && sources_.bodies) json["seesBodies"] = true;
  return json;
}

Coroutine<> DashboardService::begin_session(const HttpRequest& request, HttpConnection& connection,
                                            DashboardLogin login) {
  auto body = dump(login_json(login));
  sources_.logged_in(login.principal);
  // The cookie of the one before is replaced, so that nobody could end that session.
  const auto before = sources_.logins.end(cookie_in(request));
  const auto session = sources_.logins.begin(std::move(login));
  HttpResponse response{.body = std::move(body),
                        .fields = {{"Set-Cookie", set_cookie(request, session, Logins::session_time, is_secure_)}}};
  co_await connection.respond(std::move(response));
  end_work_of(before);
}

// What goes on here, also on this connection; what the same person does elsewhere is another matter.
void DashboardService::end_work_of(const std::optional<DashboardLogin>& login) {
  if (!login) return;
  sources_.expel([ended = login->principal.identity().login](const Principal& each) {
    return each.is_anonymous() || each.identity().login != ended;
  });
}

Coroutine<> DashboardService::log_out(HttpRequest& request, HttpConnection& connection) {
  const auto login = sources_.logins.end(cookie_in(request));
  HttpResponse response{.body = "{}",
                        .fields = {{"Set-Cookie", set_cookie(request, {}, std::chrono::seconds(0), is_secure_)}}};
  co_await connection.respond(std::move(response));
  end_work_of(login);
}

Coroutine<> DashboardService::tell_news(HttpRequest& request, HttpConnection& connection) {
  const std::string session(cookie_in(request));
  const auto login = login_of(session);
  if (!login) {
    auto refusal = unauthorized("The login has just ended");
    co_await connection.refuse(std::move(refusal));
    co_return;
  }
  PageNews news(sources_.news, login_json(*login), login->may_operate);
  std::string text = connection.begin_event_stream();
  std::string events = "retry: 1000\n\n";
  for (;;) {
    std::string next;
    const std::function<void()> gather = [&] { next = news.next(); };
    co_await connection.work_on(0, gather);
    if (!next.empty()) events.append("data: ").append(next).append("\n\n");
    // Who may see more or less than before begins anew.
    const auto now = login_of(session);
    const bool is_over = stopping_ || connection.is_disconnected() || connection.is_expelled() || !now ||
                         now->may_operate != login->may_operate;
    if (!events.empty()) append_piece(text, connection.client(), std::exchange(events, {}));
    if (is_over && connection.client().version >= 11) text += event_stream_end;
    const bool written = co_await connection.write(text);
    if (is_over || !written || connection.is_cut_off()) break;
    text.clear();
    connection.begin_waiting(between_news);
    while (!connection.is_time_up() && !connection.is_disconnected())
      co_await connection.wake_up();
  }
  connection.close_then();
}

Coroutine<> DashboardService::tell_details(HttpRequest& request, HttpConnection& connection) {
  constexpr std::string_view name = "file=";
  const auto file = request.query.starts_with(name) ? percent_decode(request.query.substr(name.size())) : std::nullopt;
  std::optional<std::string> details;
  const std::function<void()> gather = [&] {
    const auto login = login_of(cookie_in(request));
    if (file && login) details = sources_.details(*file, login->may_operate);
  };
  co_await connection.work_on(0, gather);
  HttpResponse response =
      details ? HttpResponse{.body = *std::move(details)} : refuse({404, "There is no plugin in that file"});
  co_await connection.respond(std::move(response));
}

Coroutine<> DashboardService::tell_bodies(HttpRequest& request, HttpConnection& connection) {
  constexpr std::string_view name = "number=";
  const auto login = login_of(cookie_in(request));
  if (!login || !login->may_operate) return connection.refuse({403, "Who has logged in may look, and not at bodies"});
  std::uint64_t number = 0;
  const auto text = request.query.starts_with(name) ? request.query.substr(name.size()) : std::string_view();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  auto bodies = error == std::errc{} && end == text.data() + text.size() ? sources_.bodies(number, login->principal)
                                                                         : std::nullopt;
  return connection.respond(bodies ? HttpResponse{.body = *std::move(bodies)}
                                   : refuse({404, "That call has been forgotten"}));
}

Coroutine<> DashboardService::carry_out(std::string name, HttpRequest& request, HttpConnection& connection) {
  const auto json = is_json(request.fields.content_type) ? parse_ordered_json(request.body.text())
                                                         : Result<OrderedJson>(fail("no JSON"));
  if (json.has_error() || !json->is_object()) {
    HttpRefusal refusal{400, R"(The body must be a JSON object, such as {"plugin": "clock"})"};
    co_await connection.refuse(std::move(refusal));
    co_return;
  }
  OrderedJson command{{"command", std::move(name)}};
  for (const auto* const member : {"plugin", "component"}) {
    if (const auto found = json->find(member); found != json->end()) command[member] = *found;
  }
  std::string answer;
  const std::function<void()> obey = [&] { answer = sources_.command(command, request.principal); };
  co_await connection.wait_for_work(obey);
  HttpResponse response{.status = answer.starts_with(R"({"error")") ? 409U : 200U, .body = std::move(answer)};
  co_await connection.respond(std::move(response));
}

HttpResponse DashboardService::refuse(HttpRefusal refusal) const {
  return {.status = refusal.status,
          .body = dump(OrderedJson{{"error", std::move(refusal.message)}}),
          .fields = std::move(refusal.fields)};
}

std::string_view DashboardService::fields() const {
  return page_fields;
}

void DashboardService::shut_down() {
  stopping_ = true;
  sources_.shut_down();
}

}  // namespace mcph
