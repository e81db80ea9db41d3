// Each setting: its name in the configuration file, where its value goes, what it may be, and what it is for.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/ascii.hpp"
#include "base/component_pattern.hpp"
#include "base/json_text.hpp"
#include "base/state_folder.hpp"
#include "config/config.hpp"
#include "config/connection_settings.hpp"
#include "config/limit_settings.hpp"
#include "http/client/http_url.hpp"
#include "http/rules.hpp"
#include "plugin/isolated/worker_frame.hpp"

namespace mcph {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Bytes of one message that a client sends. A longer one could not be given to a plugin.
Form<std::size_t> message_bytes() {
  return number<std::size_t>(1024, max_frame_bytes);
}

// Of all.
Form<double> share() {
  return leaf<double>({{"type", "number"}, {"minimum", 0}, {"maximum", 1}});
}

// "127.0.0.1:8080" or "[::1]:8080". A port alone means all addresses to some programs and this machine to others, so
// it has to be said which.
Result<HttpAddress> read_address(const std::string& text) {
  const auto explanation =
      "must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080, or none, but is \"" + text + "\"";
  if (text == "none") return HttpAddress{.address = "", .port = 0};
  const auto colon = text.rfind(':');
  if (colon == 0)
    return fail(explanation + "; write 127.0.0.1" + text + " for this machine alone, or 0.0.0.0" + text + " for all");
  if (colon == std::string::npos) return fail(explanation);
  HttpAddress address{.address = text.substr(0, colon)};
  auto& name = address.address;
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  if (name == "localhost") name = "127.0.0.1";
  const auto port = std::string_view(text).substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc{} || end != port.data() + port.size()) return fail(explanation);
  boost::system::error_code not_an_address;
  boost::asio::ip::make_address(name, not_an_address);
  if (not_an_address) return fail(explanation);
  return address;
}

Form<HttpAddress> address() {
  return converted<HttpAddress, std::string>(text(), read_address, &HttpAddress::authority);
}

Form<std::vector<std::string>> host_names() {
  return list(converted<std::string, std::string>(
      text(),
      [](const std::string& name) -> Result<std::string> {
        if (is_host_name(name)) return lower_case(name);
        return fail("must be a host name without a port, but is \"" + name + "\"");
      },
      [](const std::string& name) { return name; }));
}

Form<std::vector<std::string>> origins() {
  return list(converted<std::string, std::string>(
      text(),
      [](const std::string& origin) -> Result<std::string> {
        if (origin == "*" || is_origin(origin)) return lower_case(origin);
        return fail("must be an origin, such as https://app.example.com, or *, but is \"" + origin + "\"");
      },
      [](const std::string& origin) { return origin; }));
}

Result<> check_url(const std::string& url) {
  const auto read = read_http_url(url);
  return read.has_error() ? Result<>(fail("cannot be used: " + read.error().message)) : Result<>();
}

// In the one form that a URL without a path has, because others compare it byte by byte.
Result<> check_public_url(const std::string& url) {
  const bool has_default_port = url.ends_with(':') || url.ends_with(url.starts_with("https:") ? ":443" : ":80");
  if (!is_origin(url) || lower_case(url) != url || has_default_port)
    return fail("must be https:// and a host in lower case, without a path and the default port, but is \"" + url +
                "\"");
  return check_url(url);
}

Form<std::string> claim() {
  return text([](const std::string& name) -> Result<> {
    // RFC 6901 section 3.
    for (auto at = name.find('~'); name.starts_with('/') && at != std::string::npos; at = name.find('~', at + 1)) {
      const auto next = name.substr(at + 1, 1);
      if (next != "0" && next != "1") return fail("must be a name or a JSON Pointer, but is \"" + name + "\"");
    }
    return {};
  });
}

// RFC 8414 section 2.
Result<> check_issuer(const std::string& url) {
  if (url.find('?') != std::string::npos) return fail("must have no query, but is \"" + url + "\"");
  return check_url(url);
}

// RFC 6749 section 3.3.
Form<std::string> scope() {
  return text([](const std::string& scope) -> Result<> {
    const bool fits = std::ranges::all_of(scope, [](char c) { return '!' <= c && c <= '~' && c != '"' && c != '\\'; });
    if (scope.empty() || !fits) return fail("must be a scope, without spaces and quotes, but is \"" + scope + "\"");
    // It is a matter between clients and issuers (2026-07-28, basic/authorization, "Refresh Tokens").
    if (scope == "offline_access") return fail("must not be offline_access, which no server needs");
    return {};
  });
}

// Some of the settings are in another value than most of their table.
template <class... Members>
auto host(Members... members) {
  return through(&Config::host, members...);
}

Form<std::string> web_address(bool may_be_data) {
  return text([may_be_data](const std::string& url) -> Result<> {
    const bool fits = url.starts_with("https://") || url.starts_with("http://");
    if (fits || (may_be_data && url.starts_with("data:"))) return {};
    return fail("must be a URL that begins with https://" + std::string(may_be_data ? " or data:" : "") +
                ", but is \"" + url + "\"");
  });
}

Form<ServerIcon> icon_form() {
  return Table<ServerIcon>()
      .add("src", &ServerIcon::source, web_address(true), "Its URL")
      .add("mime_type", &ServerIcon::mime_type, text(), "Such as image/png, where the URL does not say it")
      .add("sizes", &ServerIcon::sizes, list(text()), "Such as 48x48, or any")
      .add("theme", &ServerIcon::theme, choice<std::string>({{"light", "light"}, {"dark", "dark"}}),
           "The background that it is made for")
      .require({"src"})
      .form();
}

// What a server says of itself. `identity` leads to the members of a ServerIdentity.
template <class T, class Identity>
Table<T> identity_table(Identity identity) {
  return Table<T>()
      .add("name", identity(&ServerIdentity::name), text(), "What programs call this server")
      .add("title", identity(&ServerIdentity::title), text(), "What people call it")
      .add("version", identity(&ServerIdentity::version), text(), "Its version; that of this program by default")
      .add("description", identity(&ServerIdentity::description), text(), "What it is for, in a sentence")
      .add("website", identity(&ServerIdentity::website), web_address(false), "Where people read more")
      .add("icons", identity(&ServerIdentity::icons), list(icon_form()), "Pictures for it");
}

Form<Config> server_table() {
  return identity_table<Config>([](auto member) { return host(&HostOptions::identity, member); })
      .add("url", &Config::origin, text(check_public_url),
           "Where clients reach this server, such as https://mcp.example.com, without a path")
      .add("instructions", host(&HostOptions::instructions), text(), "What the model is told about this server")
      .form();
}

Form<Config> plugins_table() {
  const auto trust = [](auto member) { return host(&HostOptions::trust, member); };
  return Table<Config>()
      .add("components", host(&HostOptions::components), path(), "Folder with tools/, resources/ and prompts/")
      .add("data", host(&HostOptions::data_root), path(), "Folder below which each plugin may keep data")
      .add("isolation", host(&HostOptions::isolation), choice<Isolation>({isolations.begin(), isolations.end()}),
           "Where a plugin runs whose NAME.json does not say: worker, a process of its own; in-process; or "
           "in-process-resident, also if it can never be unloaded")
      .add("errors", host(&HostOptions::errors), choice<ErrorTexts>({error_texts.begin(), error_texts.end()}),
           "What clients are told of failures that a plugin has not meant for them, where its NAME.json does not say: "
           "shown, what went wrong, or masked, that something did")
      .add("sandbox", host(&HostOptions::sandbox),
           choice<SandboxProfile>({sandbox_profiles.begin(), sandbox_profiles.end()}),
           "What holds a plugin whose NAME.json does not say: none, permissive or strict")
      .add("allow_outside_links", trust(&FileTrust::Options::outside_links), truth(),
           "Load plugins also where a link leads out of the components folder")
      .add("allow_writable_components", trust(&FileTrust::Options::writable_by_others), truth(),
           "Load plugins also where the file or its folder is another user's than this one's or root's, or can be "
           "written by everybody; a group may write in any case")
      .add("allowed_digests", &Config::allowed_digests, path(),
           "File as sha256sum writes it; only libraries with these digests are loaded")
      .add("tell_crash_places", host(&HostOptions::tell_crash_places), truth(),
           "Tell clients the file, the line and the function in which a plugin has crashed, not the log alone")
      .form();
}

// The same members as in NAME.mcp.json, which are checked when all has been read.
Form<std::string> upstream_form() {
  return {.schema = {{"type", "object"}},
          .read =
              [](const OrderedJson& value, const std::string& pointer, std::string& target, Mistakes& mistakes) {
                if (is_object(value, pointer, mistakes)) target = dump(value);
              },
          .show = [](const std::string& text) { return read_ordered_json(text.empty() ? "{}" : text); }};
}

Form<Config> log_table() {
  return Table<Config>()
      .add("level", host(&HostOptions::log_level),
           choice<Log::Level>({{"trace", Log::Level::trace},
                               {"debug", Log::Level::debug},
                               {"info", Log::Level::info},
                               {"warning", Log::Level::warning},
                               {"error", Log::Level::error},
                               {"off", Log::Level::off}}),
           "trace, debug, info, warning, error or off")
      .add("format", host(&HostOptions::log_format),
           choice<StderrLog::Format>({{"text", StderrLog::Format::text}, {"json", StderrLog::Format::json}}),
           "text, or json for one JSON object a line")
      .form();
}

Form<Config> serving_table() {
  const auto serving = [](auto... members) { return host(&HostOptions::serving, members...); };
  const auto tasks = [serving](auto member) { return serving(&ServingOptions::tasks, member); };
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return Table<Config>()
      .add("page_size", serving(&ServingOptions::page_size), number<std::size_t>(1, 10'000),
           "Items of a list in one answer")
      .add("list_freshness_ms", serving(&ServingOptions::list_freshness), duration<milliseconds>(),
           "How long clients may keep a list")
      .add("answer_time_s", serving(&ServingOptions::answer_time), duration<seconds>(),
           "How long a client and its user may take to answer what a plugin asks")
      .add("task_after_ms", tasks(&TaskOptions::after), duration<milliseconds>(),
           "A call that takes longer becomes a task, for clients that know tasks")
      .add("task_lifetime_s", tasks(&TaskOptions::lifetime), duration<seconds>(),
           "From a task's beginning until it is forgotten")
      .add("max_tasks", tasks(&TaskOptions::count), number<std::size_t>(0, most),
           "At once; with more, long calls stay calls")
      .add("state_key", &Config::state_key, path(),
           "File with at least 32 random bytes; replicas that share it go on with each other's calls")
      .add("threads", host(&HostOptions::threads), number<unsigned>(0, 64),
           "Threads that do I/O; 0 for as many as there are processors, at most 4")
      .add(
          "control", host(&HostOptions::control), path_or_none(),
          "Socket at which the operator's commands, such as status, reach this host, or none; by default a private one")
      .add("shutdown_grace_s", host(&HostOptions::shutdown_grace), duration<seconds>(),
           "How long calls in flight may take when the host ends")
      .form();
}

Form<Config> catalog_table() {
  const auto catalog = [](auto member) { return host(&HostOptions::catalog, member); };
  const auto pattern = text([](const std::string& written) -> Result<> {
    const auto read = ComponentPattern::read(written);
    return read.has_error() ? Result<>(read.error()) : Result<>();
  });
  return Table<Config>()
      .add("find_tools", catalog(&CatalogOptions::find_tools), truth(),
           "Serve the tool find_tools, by which clients search the tools that they may use")
      .add("list_at_most", catalog(&CatalogOptions::list_at_most), number<std::size_t>(0, 1'000'000),
           "Tools that are listed at once, find_tools among them, for clients that cannot take more; the others can be "
           "found and called all the same; 0: all")
      .add("pinned", catalog(&CatalogOptions::pinned), list(pattern),
           "Tools that are listed before others, such as tool:deploy*")
      .form();
}

Form<Config> http_table() {
  const auto access = [](auto member) { return through(&Config::access, member); };
  const auto limit = [](auto member) { return through(&Config::http, &HttpOptions::limits, member); };
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return Table<Config>()
      .add("listen", through(&Config::http, &HttpOptions::listen), address(),
           "ADDRESS:PORT; port 0 takes a free one; or none")
      .add("unix_socket", through(&Config::http, &HttpOptions::unix_socket), path(),
           "Unix socket to listen at, too, for clients and proxies of this user or its group")
      .add("allow_remote_without_authentication", &Config::allow_remote_without_authentication, truth(),
           "Listen on an address that others reach, although this server does not ask who they are")
      .add("allow_hosts", access(&HttpAccess::allowed_hosts), host_names(),
           "Host names under which clients may address this server")
      .add("allow_origins", access(&HttpAccess::allowed_origins), origins(),
           "Origins whose web pages may use this server, or *")
      .add("max_body_bytes", limit(&HttpLimits::body_bytes), message_bytes(), "Of one message that a client sends")
      .add("max_header_bytes", limit(&HttpLimits::header_bytes), number<std::uint32_t>(1024, most), "Of one request")
      .add("max_buffered_bytes", limit(&HttpLimits::buffered_bytes), number<std::size_t>(1 << 20, most),
           "Of the requests and answers of all clients together, small ones aside")
      .add("max_connections", limit(&HttpLimits::connections), number<std::size_t>(1, most), "Open at once")
      .add("header_time_ms", limit(&HttpLimits::header_time), duration<milliseconds>(),
           "From a request's first byte to the end of its headers")
      .add("body_time_ms", limit(&HttpLimits::body_time), duration<milliseconds>(), "From there to the end of its body")
      .add("idle_time_ms", limit(&HttpLimits::idle_time), duration<milliseconds>(), "Of a connection between requests")
      .add("heartbeat_ms", limit(&HttpLimits::heartbeat), duration<milliseconds>(),
           "Between signs of life on a quiet stream")
      .add("close_streams_after_ms", through(&Config::mcp, &StreamableHttpOptions::stream_time),
           duration<milliseconds>(0), "After which a legacy client polls for the rest of an event stream; 0: never")
      .add("websocket", through(&Config::mcp, &StreamableHttpOptions::websocket),
           choice<bool>({{"on", true}, {"off", false}}), "Whether clients may change to WebSocket at the endpoint")
      .add("http_sse", through(&Config::mcp, &StreamableHttpOptions::http_sse), truth(),
           "Serve the deprecated HTTP+SSE transport, too, at /sse")
      .add("sessions", through(&Config::mcp, &StreamableHttpOptions::sessions_optional),
           choice<bool>({{"required", false}, {"optional", true}}),
           "Whether a legacy request must name its session; optional lets one without a session be served by itself")
      .add("max_sessions", through(&Config::sessions, &Sessions::Limits::count), number<std::size_t>(1, most),
           "Legacy sessions open at once")
      .add("session_idle_s", through(&Config::sessions, &Sessions::Limits::idle_time), duration<seconds>(),
           "After which a legacy session ends")
      .form();
}

Form<Config> stdio_table() {
  return Table<Config>()
      .add("max_message_bytes", through(&Config::stdio, &StdioOptions::max_message_bytes), message_bytes(),
           "Of one message that the client sends")
      .add("roles", &Config::stdio_roles, list(text()),
           "Roles of the client that started this program; without any it may use everything")
      .form();
}

Form<Config> admin_table() {
  return Table<Config>()
      .add("listen", through(&Config::admin, &AdminSettings::listen), optional(address()),
           "ADDRESS:PORT where serve also listens for the operator's programs: /metrics, /status, /livez and /readyz")
      .add("allow_remote", through(&Config::admin, &AdminSettings::allow_remote), truth(),
           "Listen there on an address that others reach, although nobody is asked who they are")
      .form();
}

Form<Config> dashboard_table() {
  const auto dashboard = [](auto member) { return through(&Config::dashboard, member); };
  return Table<Config>()
      .add("listen", dashboard(&DashboardSettings::listen), optional(address()),
           "ADDRESS:PORT where serve also shows a page for people who look after it; mcp-plugin-host dashboard lets in")
      .add("url", dashboard(&DashboardSettings::url), text(check_public_url),
           "Where people reach that page, if something stands before it, or it listens on all addresses")
      .add("allow_remote", dashboard(&DashboardSettings::allow_remote), truth(),
           "Listen there on an address that others reach, although there is no TLS: something before it has to encrypt")
      .add("viewers", dashboard(&DashboardSettings::viewers), list(text()),
           "Roles whose holders may look, besides those who have come by the control socket")
      .add("operators", dashboard(&DashboardSettings::operators), list(text()),
           "Roles whose holders may also reload, disable and enable plugins")
      .add("calls", dashboard(&DashboardSettings::calls), number<std::size_t>(1, 100'000),
           "How many of the last calls are remembered")
      .add("bodies", dashboard(&DashboardSettings::bodies), truth(),
           "Remember what calls ask and answer, 4000 bytes of each, for operators to look at")
      .form();
}

Form<Config> traces_table() {
  return Table<Config>()
      .add("endpoint", through(&Config::traces, &TraceSettings::endpoint), text(check_url),
           "Where a collector takes traces by OTLP over HTTP in JSON, such as http://127.0.0.1:4318/v1/traces")
      .add("sample_ratio", through(&Config::traces, &TraceSettings::sample_ratio), share(),
           "How many of the traces that begin here are recorded, 0 to 1; of others their clients decide")
      .add("headers_file", through(&Config::traces, &TraceSettings::headers), path(),
           "File with header fields for the collector, \"Name: value\" a line, that only its owner and its group may "
           "read")
      .form();
}

Form<Config> tokens_table() {
  return Table<Config>()
      .add("file", &Config::tokens, path(),
           "File of the tokens that mcp-plugin-host token makes; clients must have one, or the role anonymous must be "
           "there")
      .require({"file"})
      .form();
}

Form<IssuerSettings> issuer_form() {
  return Table<IssuerSettings>()
      .add("issuer", &IssuerSettings::issuer, text(check_issuer), "Its URL, exactly as its tokens have it as \"iss\"")
      .add("audiences", &IssuerSettings::audiences, list(text()),
           "What its tokens may have as \"aud\"; by default the URL of this server's endpoint")
      .add("jwks_url", &IssuerSettings::jwks_url, text(check_url),
           "Where its keys are, unless its metadata is to say so")
      .add("jwks_file", &IssuerSettings::jwks_file, path(), "File with its keys, instead")
      .add("introspection_url", &IssuerSettings::introspection_url, text(check_url),
           "Where it is asked about each token (RFC 7662), instead of looking at signatures")
      .add("client_id", &IssuerSettings::client_id, text(), "Of this server, to ask")
      .add("client_secret_file", &IssuerSettings::client_secret, path(), "File with this server's secret, to ask")
      .add("trust_without_audience", &IssuerSettings::trust_without_audience, truth(),
           "Take a token, too, of which its issuer does not say for whom it is; only where it issues tokens for nobody "
           "else")
      .add("subject_claim", &IssuerSettings::subject_claim, claim(), "What of a token says whose it is")
      .add("name_claim", &IssuerSettings::name_claim, claim(), "What says how people call them")
      .add("email_claim", &IssuerSettings::email_claim, claim(), "What has their email address")
      .add("groups_claim", &IssuerSettings::groups_claim, claim(),
           "What says in which groups they are: a name, or a JSON Pointer such as /realm_access/roles")
      .add("roles_claim", &IssuerSettings::roles_claim, claim(),
           "What says which of the roles here they have; without it a token has none by itself")
      .add("roles", &IssuerSettings::roles, optional(list(text())),
           "The only roles that its users can have, whatever its tokens and [roles] say; by default all")
      .add("leeway_s", &IssuerSettings::leeway, duration<seconds>(0, 600), "By which clocks may differ")
      .require({"issuer"})
      .form();
}

Form<Config> oauth_table() {
  return Table<Config>()
      .add("scopes", &Config::scopes, list(scope()),
           "Scopes that clients ask for at first; by default those of all roles")
      .add("implied", &Config::implied_scopes, names(list(scope())),
           "By a scope those that whoever has it has, too: { \"mcp:admin\" = [\"mcp:use\"] }")
      .add("proof_nonces", &Config::proof_nonces, truth(),
           "A proof (DPoP) must have a nonce that this server gives, so that it cannot have been made long before")
      .add("extensions", host(&HostOptions::serving, &ServingOptions::extensions),
           list(choice<std::string>({{"enterprise-managed-authorization", "enterprise-managed-authorization"},
                                     {"oauth-client-credentials", "oauth-client-credentials"}})),
           "Ways to get a token that the issuers offer, of which clients are told")
      .form();
}

Form<RuleText> rule_form() {
  auto table = Table<RuleText>()
                   .add("match", &RuleText::match, text(),
                        "tool:NAME, resource:URI or prompt:NAME, where * stands for "
                        "any characters; or * alone, for everything")
                   .add("read_only", &RuleText::read_only, optional(truth()),
                        "Only tools that say of themselves that they change nothing, or only others")
                   .add("tag", &RuleText::tag, text(), "Only tools that have this tag")
                   .add("arguments", &RuleText::arguments, optional(any_schema()),
                        "Only calls with arguments that this JSON Schema allows")
                   .require({"match"})
                   .form();
  const auto short_form = text();
  return {.schema = {{"anyOf", {short_form.schema, table.schema}}},
          .read =
              [table, short_form](const OrderedJson& value, const std::string& pointer, RuleText& rule,
                                  Mistakes& mistakes) {
                const auto before = mistakes.size();
                if (value.is_object()) {
                  table.read(value, pointer, rule, mistakes);
                } else {
                  short_form.read(value, pointer, rule.match, mistakes);
                }
                if (mistakes.size() > before) return;
                if (const auto compiled = Rule::compile(rule); compiled.has_error())
                  mistakes.push_back({pointer, compiled.error().message});
              },
          .show =
              [table](const RuleText& rule) {
                const bool is_short = !rule.read_only && rule.tag.empty() && !rule.arguments;
                return is_short ? OrderedJson(rule.match) : table.show(rule);
              }};
}

Form<RoleText> role_form() {
  return Table<RoleText>()
      .add("allow", &RoleText::allow, list(rule_form()), "What those who have the role may use")
      .add("deny", &RoleText::deny, list(rule_form()), "What they may not use, whatever else allows it")
      .add("groups", &RoleText::groups, list(text()), "Who has it: everybody in one of these groups")
      .add("scopes", &RoleText::scopes, list(scope()), "Who has it: everybody whose token has one of these scopes")
      .add("issuers", &RoleText::issuers, list(text()),
           "Who has it: everybody with a token of these [issuers.NAME], or with a certificate (mtls), or whom a proxy "
           "names (proxy)")
      .add("principals", &RoleText::principals, list(text()),
           "Who has it: each one as ISSUER#SUBJECT, such as host#ada")
      .form();
}

Form<VirtualServer> virtual_server_form() {
  const auto components = [](auto member) { return through(&VirtualServer::components, member); };
  return identity_table<VirtualServer>([](auto member) { return through(&VirtualServer::identity, member); })
      .add("instructions", &VirtualServer::instructions, text(), "What the model is told about it")
      .add("allow", components(&RoleText::allow), list(rule_form()), "What it has of all that is served")
      .add("deny", components(&RoleText::deny), list(rule_form()), "What it does not have, whatever else allows it")
      .add("scopes", &VirtualServer::scopes, list(scope()),
           "Scopes that its clients ask for at first; by default those of [oauth]")
      .require({"allow"})
      .form();
}

Form<Config> audit_table() {
  const auto audit = [](auto member) { return through(&Config::audit, member); };
  constexpr std::int64_t most = std::int64_t{1} << 40;
  auto form =
      Table<Config>()
          .add("file", audit(&AuditOptions::file), path(),
               "File to which a line is written for each request that does something, and for what changes this server")
          .add("mode", audit(&AuditOptions::mode),
               choice<AuditOptions::Mode>(
                   {{"strict", AuditOptions::Mode::strict}, {"async", AuditOptions::Mode::async}}),
               "strict: an answer leaves when its line is on the disk; async: when its line is waiting to be written")
          .add("key", audit(&AuditOptions::key), path(),
               "File with the private key that signs checkpoints, as mcp-plugin-host audit key makes it; without one "
               "there "
               "are none")
          .add("rotate_bytes", audit(&AuditOptions::rotate_bytes), number<std::uint64_t>(std::int64_t{64} << 10, most),
               "Size from which on a file is put aside for a new one")
          .add("rotate_s", audit(&AuditOptions::rotate_time), duration<seconds>(0),
               "Age from which on it is, with the next line; 0: whatever its age")
          .add("keep", audit(&AuditOptions::keep), number<unsigned>(0),
               "Files that are kept besides the one that is written, the oldest being removed; 0: all")
          .add("arguments", audit(&AuditOptions::arguments),
               names(choice<AuditedArguments>({{"off", AuditedArguments::off},
                                               {"hash", AuditedArguments::hash},
                                               {"redacted", AuditedArguments::redacted},
                                               {"full", AuditedArguments::full}})),
               "What is written of the arguments of calls, by patterns such as tool:deploy*, of which the longest that "
               "matches counts")
          .require({"file"})
          .form();
  // Without a file there is no audit log, whatever else it would have.
  form.show = [show = form.show](const Config& config) {
    return config.audit.file.empty() ? OrderedJson() : show(config);
  };
  return form;
}

// A table of the file whose settings go into the whole configuration.
constexpr auto whole = [](auto& config) -> auto& {
  return config;
};

Form<Config> make_form() {
  return Table<Config>()
      .add("server", whole, server_table(), "Who this server says it is")
      .add("plugins", whole, plugins_table(), "Which plugins are served, and how they are held")
      .add("log", whole, log_table(), "What is logged")
      .add("serving", whole, serving_table(), "What is served, over any transport")
      .add("catalog", whole, catalog_table(), "How clients find their way among many tools")
      .add("http", whole, http_table(), "Serving over HTTP")
      .add("tls", whole, tls_table(), "Encrypting it, and certificates by which clients prove who they are")
      .add("proxy", whole, proxy_table(), "Proxies that are trusted to say who and where a client is")
      .add("stdio", whole, stdio_table(), "Serving over standard input and output")
      .add("traces", whole, traces_table(), "Traces of calls, for OpenTelemetry")
      .add("admin", whole, admin_table(), "What serve shows the operator's programs over HTTP")
      .add("dashboard", whole, dashboard_table(), "The page that serve shows people who look after it")
      .add("tokens", whole, tokens_table(), "Tokens of this host, by which clients over HTTP prove who they are")
      .add("issuers", &Config::issuers, names(issuer_form()),
           "Authorization servers whose tokens prove who a client is, by names of your choice")
      .add("oauth", whole, oauth_table(), "What clients are told to ask issuers for")
      .add("audit", whole, audit_table(), "What is recorded of clients and operators")
      .add("roles", &Config::roles, names(role_form()),
           "Who may use what, by the name of the role; whoever has proven nothing has the role anonymous")
      .add("upstreams", host(&HostOptions::upstreams), names(upstream_form()),
           "Servers elsewhere whose components are served, too, by names of your choice; each as NAME.mcp.json has it")
      .add("servers", &Config::servers, names(virtual_server_form()),
           "Servers of their own at /NAME/mcp and /s/NAME/mcp, each with some of what is served")
      .add("limits", &Config::limits, limits_form(), "How often and how many at once requests over HTTP are answered")
      .form();
}

}  // namespace

std::vector<std::string> VirtualServer::paths(const std::string& name) {
  return {"/" + name, "/s/" + name};
}

Config::Config() {
  host.data_root = state_folder();
}

const Form<Config>& config_form() {
  static const auto form = make_form();
  return form;
}

}  // namespace mcph
