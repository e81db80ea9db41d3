#include "sources/upstream/upstream_settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/ascii.hpp"
#include "base/http_token.hpp"
#include "base/is_program.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "plugin/names.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_secret_bytes = std::size_t{64} << 10;

// Without what may be a secret. The host's own are not an upstream's. TMPDIR is the worker's to say, which may have
// been given a folder of its own.
constexpr std::array<const char*, 12> passed_on_variables{"HOME",     "LANG",    "LANGUAGE", "LC_ALL",
                                                          "LC_CTYPE", "LOGNAME", "PATH",     "SHELL",
                                                          "TERM",     "TZ",      "USER",     "XDG_CACHE_HOME"};

std::string in_quotes(std::string_view text) {
  return '"' + std::string(text) + '"';
}

Result<std::string> read_text(const Json& json, const std::string& where) {
  if (json.is_string() && !json.get_ref<const std::string&>().empty()) return json.get<std::string>();
  return fail(where + " must be a text that is not empty");
}

Result<std::vector<std::string>> read_texts(const Json& json, const std::string& where) {
  const auto is_text = [](const Json& each) { return each.is_string(); };
  if (!json.is_array() || !std::ranges::all_of(json, is_text)) return fail(where + " must be a list of texts");
  return json.get<std::vector<std::string>>();
}

std::filesystem::path in_folder(const std::filesystem::path& folder, const std::string& path) {
  return (folder / path).lexically_normal();
}

Result<ConfiguredText> read_configured_text(const Json& json, const std::string& where,
                                            const std::filesystem::path& folder) {
  if (json.is_string()) return ConfiguredText{ConfiguredText::Kind::text, json.get<std::string>()};
  const auto words = where + R"( must be a text, {"file": PATH} or {"env": NAME})";
  if (!json.is_object() || json.size() != 1 || !json.begin()->is_string()) return fail(words);
  const auto member = json.begin();
  const auto text = member->get<std::string>();
  if (text.empty()) return fail(words);
  if (member.key() == "file") return ConfiguredText{ConfiguredText::Kind::file, in_folder(folder, text).string()};
  if (member.key() == "env") return ConfiguredText{ConfiguredText::Kind::environment, text};
  return fail(words);
}

Result<std::vector<WrittenPattern>> read_patterns(const Json& json, const std::string& where) {
  const auto texts = read_texts(json, where);
  if (texts.has_error()) return texts.error();
  std::vector<WrittenPattern> patterns;
  for (const auto& text : *texts) {
    auto pattern = WrittenPattern::read(text);
    if (pattern.has_error()) return fail(where + ": " + in_quotes(text) + " " + pattern.error().message);
    patterns.push_back(*std::move(pattern));
  }
  return patterns;
}

// The members of one object, taken out of it one after another, so that what is left is a mistake.
class Members {
 public:
  // `others` are those that have been taken out before.
  Members(Json json, std::string where, std::string others = "")
      : json_(std::move(json)), where_(std::move(where)), others_(std::move(others)) {}

  // What `read` makes of the member, if it is there. The first mistake is kept.
  template <class T, class Read>
  void take(const char* name, T& target, const Read& read) {
    known_.append(known_.empty() ? "" : ", ").append(name);
    const auto found = json_.find(name);
    if (found == json_.end()) return;
    auto value = read(*found, place_of(name));
    json_.erase(found);
    if (value.has_value()) {
      target = *std::move(value);
    } else if (mistake_.empty()) {
      mistake_ = value.error().message;
    }
  }
  bool has(const char* name) const { return json_.contains(name); }

  Result<> end() const {
    if (!mistake_.empty()) return fail(mistake_);
    if (json_.empty()) return {};
    return fail(place_of(json_.begin().key()) + " is not known; the members are " + known_ + others_);
  }

 private:
  std::string place_of(std::string_view name) const { return where_ + in_quotes(name); }

  Json json_;
  const std::string where_;
  const std::string others_;
  std::string known_;
  std::string mistake_;
};

Result<bool> read_flag(const Json& json, const std::string& where) {
  if (!json.is_boolean()) return fail(where + " must be true or false");
  return json.get<bool>();
}

Result<std::chrono::milliseconds> read_ms(const Json& json, const std::string& where) {
  constexpr std::uint64_t most = 24ULL * 3600 * 1000;
  if (json.is_number_unsigned() && json >= 1U && json <= most)
    return std::chrono::milliseconds(json.get<std::int64_t>());
  return fail(where + " must be a whole number from 1 to " + std::to_string(most));
}

using ReadText = std::function<Result<ConfiguredText>(const Json&, const std::string&)>;

Result<std::map<std::string, ConfiguredText>> read_variables(const Json& json, const std::string& where,
                                                             const ReadText& read) {
  if (!json.is_object()) return fail(where + " must be an object");
  std::map<std::string, ConfiguredText> variables;
  for (const auto& [name, value] : json.items()) {
    if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
      return fail(where + " has " + in_quotes(name) + ", which is no name of a variable");
    auto text = read(value, where + "." + in_quotes(name));
    if (text.has_error()) return text.error();
    variables.emplace(name, *std::move(text));
  }
  return variables;
}

Result<std::vector<std::pair<std::string, ConfiguredText>>> read_headers(const Json& json, const std::string& where,
                                                                         const ReadText& read) {
  if (!json.is_object()) return fail(where + " must be an object");
  std::vector<std::pair<std::string, ConfiguredText>> headers;
  for (const auto& [name, value] : json.items()) {
    if (!is_token(name)) return fail(where + " has " + in_quotes(name) + ", which is no name of a header");
    if (is_header_of_host(name))
      return fail(where + " has " + in_quotes(name) + ", which the host writes by itself; leave it out");
    auto text = read(value, where + "." + in_quotes(name));
    if (text.has_error()) return text.error();
    headers.emplace_back(name, *std::move(text));
  }
  return headers;
}

Result<UpstreamUrl::OAuth> read_oauth(const Json& json, const std::string& where, const ReadText& read,
                                      bool may_be_clear) {
  if (!json.is_object()) return fail(where + " must be an object");
  const auto read_url = [may_be_clear](const Json& member, const std::string& place) -> Result<std::string> {
    auto text = read_text(member, place);
    const auto url = text.has_value() ? read_http_url(*text, may_be_clear) : Result<HttpUrl>(text.error());
    if (text.has_value() && url.has_error()) return fail(place + " cannot be used: " + url.error().message);
    return text;
  };
  UpstreamUrl::OAuth oauth;
  Members members(json, where + ".");
  members.take("clientId", oauth.id, read_text);
  members.take("clientSecret", oauth.secret, read);
  members.take("tokenUrl", oauth.token_url, read_url);
  members.take("issuer", oauth.issuer, read_url);
  members.take("scope", oauth.scope, read_text);
  if (const auto end = members.end(); end.has_error()) return end.error();
  if (oauth.id.empty() || oauth.secret.value.empty()) return fail(where + " needs \"clientId\" and \"clientSecret\"");
  // What the server says alone would be anybody whom it likes to have the secret.
  if (oauth.token_url.empty() == oauth.issuer.empty())
    return fail(where + R"( needs either "tokenUrl" or "issuer", which say who gets the secret)");
  return oauth;
}

Result<std::map<std::string, std::string, std::less<>>> read_renames(const Json& json, const std::string& where) {
  if (!json.is_object()) return fail(where + " must be an object");
  std::map<std::string, std::string, std::less<>> renames;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string() || !is_component_name(value.get_ref<const std::string&>()))
      return fail(where + "." + in_quotes(name) + " must be 1 to 128 characters of A-Za-z0-9_.-");
    renames.emplace(name, value.get<std::string>());
  }
  return renames;
}

Result<std::string> read_prefix(const Json& json, const std::string& where) {
  if (json.is_string() &&
      (json.get_ref<const std::string&>().empty() || is_component_name(json.get_ref<const std::string&>())))
    return json.get<std::string>();
  return fail(where + " must be characters of A-Za-z0-9_.-");
}

// Clients say it besides; what it says must not be something else than what is there.
Result<std::string> read_type(const Json& json, const std::string& where) {
  for (const auto* const type : {"stdio", "http", "streamable-http", "streamableHttp", "sse"}) {
    if (json == type) return std::string(type);
  }
  return fail(where + R"( must be "stdio", "http" or "sse")");
}

Result<std::variant<UpstreamCommand, UpstreamUrl>> read_way(Members& members, const std::filesystem::path& folder) {
  const ReadText read = [&folder](const Json& json, const std::string& where) {
    return read_configured_text(json, where, folder);
  };
  const bool is_command = members.has("command");
  const bool is_url = members.has("url");
  UpstreamCommand command{.command = {}, .folder = folder};
  UpstreamUrl url;
  std::string program;
  std::string type;
  std::vector<std::string> arguments;
  members.take("type", type, read_type);
  if (is_command == is_url) return fail(R"(must have either a "command" or a "url")");
  if (is_command) {
    members.take("command", program, read_text);
    members.take("args", arguments, read_texts);
    members.take("env", command.environment,
                 [&](const Json& json, const std::string& where) { return read_variables(json, where, read); });
    members.take("cwd", command.folder,
                 [&](const Json& json, const std::string& where) -> Result<std::filesystem::path> {
                   const auto path = read_text(json, where);
                   if (path.has_error()) return path.error();
                   return in_folder(folder, *path);
                 });
    // A path is one from where the file lies; a name is looked for as a shell does.
    command.command.push_back(program.find('/') == std::string::npos ? program : in_folder(folder, program).string());
    std::ranges::move(arguments, std::back_inserter(command.command));
    return std::variant<UpstreamCommand, UpstreamUrl>(std::move(command));
  }
  members.take("url", url.url, read_text);
  members.take("caFile", url.ca_file, [&](const Json& json, const std::string& where) -> Result<std::filesystem::path> {
    const auto path = read_text(json, where);
    if (path.has_error()) return path.error();
    return in_folder(folder, *path);
  });
  members.take("insecure", url.insecure, read_flag);
  members.take("headers", url.headers,
               [&](const Json& json, const std::string& where) { return read_headers(json, where, read); });
  members.take("oauth", url.oauth,
               [&](const Json& json, const std::string& where) { return read_oauth(json, where, read, url.insecure); });
  const auto gives_access = [](const auto& header) { return lower_case(header.first) == "authorization"; };
  if (url.oauth && std::ranges::any_of(url.headers, gives_access))
    return fail(R"("headers" has "Authorization", which "oauth" gives, too; leave one of the two out)");
  url.sse = type == "sse";
  return std::variant<UpstreamCommand, UpstreamUrl>(std::move(url));
}

// Of what belongs to a process alone.
Result<> check_process_members(const UpstreamSettings& settings) {
  const auto& limits = settings.limits;
  if (limits.starts_nothing) {
    return fail("has limits.processes, which no upstream can be held to, because it is a program that is started");
  }
  if (settings.is_process()) return {};
  if (limits.memory_bytes != 0 || limits.open_files != 0 || limits.cpu_percent != 0)
    return fail("limits memory, files or processor time, which only a \"command\" has");
  if (settings.sandbox.required || !settings.sandbox.read.empty() || !settings.sandbox.write.empty())
    return fail("has a \"sandbox\", which only a \"command\" has");
  return {};
}

Result<UpstreamSettings> read_members(Json json, const std::filesystem::path& folder,
                                      const PluginConfiguration& host_members) {
  Members members(std::move(json), "", ", limits, restarts, sandbox, errors");
  const bool says_folder = members.has("cwd");
  auto way = read_way(members, folder);
  if (way.has_error()) return way.error();
  UpstreamSettings settings{.way = *std::move(way),
                            .limits = host_members.limits,
                            .restarts = host_members.restarts,
                            .sandbox = host_members.sandbox,
                            .errors = host_members.errors};
  auto& names = settings.names;
  members.take("prefix", names.prefix, read_prefix);
  members.take("rename", names.rename, read_renames);
  members.take("include", names.include, read_patterns);
  members.take("exclude", names.exclude, read_patterns);
  members.take("legacy", settings.is_legacy, read_flag);
  members.take("connectMs", settings.connect_time, read_ms);
  members.take("graceMs", settings.grace, read_ms);
  if (const auto end = members.end(); end.has_error()) return end.error();
  if (const auto checked = check_process_members(settings); checked.has_error()) return checked.error();
  // Where "cwd" is not written, the program runs where this file lies, and so do the files of others.
  if (says_folder && settings.sandbox.profile == SandboxProfile::strict)
    settings.sandbox.read.push_back(std::get<UpstreamCommand>(settings.way).folder);
  if (const auto* const url = std::get_if<UpstreamUrl>(&settings.way)) {
    // That is of the legacy era alone, and there are servers that cannot bear anything before initialize.
    settings.is_legacy = settings.is_legacy || url->sse;
    const auto read = read_http_url(url->url, url->insecure);
    const bool is_clear = read.has_error() && read_http_url(url->url, true).has_value();
    if (is_clear) return fail("\"url\" cannot be used: " + read.error().message + R"(, or "insecure" is true)");
    if (read.has_error()) return fail("\"url\" cannot be used: " + read.error().message);
  }
  return settings;
}

std::string file_stem(const std::filesystem::path& file) {
  auto name = file.filename().string();
  if (name.ends_with(upstream_ending)) name.resize(name.size() - upstream_ending.size());
  return name;
}

}  // namespace

Result<std::string> ConfiguredText::read() const {
  if (kind == Kind::text) return value;
  if (kind == Kind::environment) {
    const char* const variable = std::getenv(value.c_str());
    if (variable != nullptr) return std::string(variable);
    return fail_for_now("the variable " + value +
                        " is not in the environment of the host; set it and start the host anew");
  }
  const auto opened = open_to_read(value);
  if (!opened) return fail_for_now(value + " cannot be opened: " + last_error());
  if (const auto checked = check_owner_only(opened); checked.has_error())
    return fail_for_now(value + ": " + checked.error().message);
  auto text = read_regular_file(opened, max_secret_bytes);
  if (text.has_error()) return fail_for_now(value + ": " + text.error().message);
  while (text->ends_with('\n') || text->ends_with('\r'))
    text->pop_back();
  return text;
}

Result<WorkerProgram> UpstreamCommand::program() const {
  WorkerProgram program{.command = command, .folder = folder};
  for (const auto* const name : passed_on_variables) {
    const char* const value = environment.contains(name) ? nullptr : std::getenv(name);
    if (value != nullptr) program.environment.push_back(std::string(name) + "=" + value);
  }
  for (const auto& [name, text] : environment) {
    const auto value = text.read();
    if (value.has_error()) return value.error();
    program.environment.push_back(name + "=" + *value);
  }
  return program;
}

Result<HttpUpstreamSettings> UpstreamUrl::settings() const {
  auto read = read_http_url(url, insecure);
  if (read.has_error()) return read.error();
  HttpUpstreamSettings settings{.url = *std::move(read), .url_text = url, .sse = sse, .ca_file = ca_file.string()};
  for (const auto& [name, text] : headers) {
    auto value = text.read();
    if (value.has_error()) return value.error();
    if (value->find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
      return fail("the header " + name + " has a line feed in it");
    settings.fields.emplace_back(name, *std::move(value));
  }
  if (!oauth) return settings;
  auto secret = oauth->secret.read();
  if (secret.has_error()) return secret.error();
  settings.credentials =
      ClientCredentials{oauth->token_url, oauth->issuer, oauth->id, *std::move(secret), oauth->scope};
  return settings;
}

bool is_header_of_host(std::string_view name) {
  constexpr std::array<std::string_view, 11> all{
      "accept",   "connection",     "content-length",       "content-type",     "host", "last-event-id", "mcp-method",
      "mcp-name", "mcp-session-id", "mcp-protocol-version", "transfer-encoding"};
  const auto lower = lower_case(std::string(name));
  return lower.starts_with("mcp-param-") || std::ranges::find(all, std::string_view(lower)) != all.end();
}

Result<std::string> upstream_name(const std::filesystem::path& file) {
  auto name = file_stem(file);
  if (is_component_name(name)) return name;
  return fail("its name " + in_quotes(name) + " is not 1 to 128 characters of A-Za-z0-9_.-, before " +
              std::string(upstream_ending));
}

Result<> check_program(const std::string& command, const std::filesystem::path& folder, const char* path) {
  const bool is_path = command.find('/') != std::string::npos;
  if (is_program(is_path ? folder / command : std::filesystem::path(command), path)) return {};
  return fail("there is no program " + command + (is_path ? "" : " in PATH"));
}

Result<UpstreamSettings> read_upstream_settings(std::string text, const std::filesystem::path& folder,
                                                const PluginConfiguration& defaults) {
  // No delay that somebody can have written. What it is then depends on what else is said.
  constexpr std::chrono::milliseconds unsaid{-1};
  // Whoever starts a server elsewhere again does not tell, so it is looked for often; what that costs is one attempt to
  // connect.
  constexpr std::chrono::milliseconds usual_delay_at_url{500};
  auto defaults_here = defaults;
  defaults_here.restarts.last_delay = unsaid;
  auto host_members = parse_configuration(std::move(text), defaults_here);
  if (host_members.has_error()) return host_members.error();
  if (host_members->isolation != Isolation::worker) {
    return fail("has an \"isolation\" that is not \"worker\", but an upstream is never in the host's process");
  }
  if (host_members->components != nullptr) {
    return fail(R"(has "aliases" or "payment", which are for plugins; use "rename" and "prefix" for other names)");
  }
  auto settings = read_members(read_json(host_members->own), folder, *host_members);
  if (settings.has_error()) return fail(settings.error().message);
  if (auto& delay = settings->restarts.last_delay; delay == unsaid)
    delay = settings->is_process() ? defaults.restarts.last_delay : usual_delay_at_url;
  return settings;
}

}  // namespace mcph
