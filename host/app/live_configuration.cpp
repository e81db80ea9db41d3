#include "app/live_configuration.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "app/upstream_paths.hpp"
#include "base/private_memory.hpp"
#include "protocol/state/request_state.hpp"

namespace mcph {
namespace {

// The tables, and in tables the settings, whose changes count at once.
constexpr std::string_view live_settings[] = {"roles",
                                              "tokens",
                                              "issuers",
                                              "oauth.scopes",
                                              "oauth.implied",
                                              "limits",
                                              "proxy",
                                              "tls.client_subject",
                                              "oauth.proof_nonces"};
// Those of each virtual server.
constexpr std::string_view live_of_servers[] = {".allow", ".deny", ".scopes"};

// `depth` says how many names the key has: that of a server may end as a setting does.
bool counts_at_once(std::string_view key, unsigned depth) {
  constexpr unsigned depth_of_server_settings = 3;
  const auto ends = [&](std::string_view setting) { return key.ends_with(setting); };
  return std::ranges::find(live_settings, key) != std::end(live_settings) ||
         (key.starts_with("servers.") && depth == depth_of_server_settings &&
          std::ranges::any_of(live_of_servers, ends));
}

// "http.listen"; and of a table that is new or gone as a whole only its name: "servers.ops (new)".
void collect_differences(const OrderedJson& before, const OrderedJson& after, const std::string& key, unsigned depth,
                         std::set<std::string>& differences) {
  if (before == after || counts_at_once(key, depth)) return;
  const bool is_new = before.is_null() && after.is_object();
  const bool is_gone = before.is_object() && after.is_null();
  if (!is_new && !is_gone && (!before.is_object() || !after.is_object())) {
    differences.insert(key);
    return;
  }
  std::set<std::string> of_members;
  for (const auto* some : {&before, &after}) {
    for (const auto& member : some->items()) {
      const auto& name = member.key();
      const auto in = [&name](const OrderedJson& table) {
        return table.is_object() ? table.value(name, OrderedJson()) : OrderedJson();
      };
      collect_differences(in(before), in(after), key.empty() ? name : key + "." + name, depth + 1, of_members);
    }
  }
  if (!is_new && !is_gone) {
    differences.merge(of_members);
  } else if (!of_members.empty() || key.starts_with("servers.")) {
    // Of a table of which all counts at once nothing is to be said; but a virtual server has a path, too.
    differences.insert(key + (is_new ? " (new)" : " (gone)"));
  }
}

// What differs between two configurations that have been taken, as a file has it: "limits, roles".
std::string changed_tables(const OrderedJson& before, const OrderedJson& after) {
  std::set<std::string> names;
  for (const auto* some : {&before, &after}) {
    for (const auto& table : some->items()) {
      if (before.value(table.key(), OrderedJson()) != after.value(table.key(), OrderedJson()))
        names.insert(table.key());
    }
  }
  std::string words;
  for (const auto& name : names)
    words.append(words.empty() ? "" : ", ").append(name);
  return words.empty() ? "no setting, but a file that is watched" : words;
}

// Of all servers and hosts that share the key of states, so that a client may go on at any of them. No server has such
// a name.
std::string nonce_key(const Config& config) {
  const auto key = state_key_of("nonces of proofs", config.host.serving.state_key);
  return {key.begin(), key.end()};
}

// A file that somebody is still writing may look like one without any protection, which nobody changes on the way. Nor
// does anybody change what the listener has been made by. What protects only those that are not served here may change.
Result<> check_protection(const Config& before, const Config& after, LiveConfiguration::Serves serves) {
  const auto check = [](bool was, bool is, const char* what) -> Result<> {
    if (!was || is) return {};
    return fail("it has no " + std::string(what) + " any more; start the host anew if it is to serve without");
  };
  const bool is_http = serves == LiveConfiguration::Serves::http;
  const bool had_credentials = is_http && before.knows_credentials();
  if (auto checked = check(had_credentials, after.knows_credentials(), "[tokens], [issuers] or other credentials");
      !checked)
    return checked;
  if (auto checked = check(!before.roles.empty(), !after.roles.empty(), "roles"); !checked) return checked;
  if (!is_http) return check(!before.stdio_roles.empty(), !after.stdio_roles.empty(), "roles for stdio");
  // Connections that are open have been taken by the one rule or the other.
  const auto has_subject = [](const Config& config) { return config.client_subject != CertificateSubject::none; };
  if (has_subject(before) == has_subject(after)) return {};
  return fail(
      "[tls] client_subject cannot become none, or be none no longer, while the host runs; start the host anew");
}

}  // namespace

Result<std::unique_ptr<LiveConfiguration>> LiveConfiguration::create(ConfigSource source, Config config, Serves serves,
                                                                     const Catalogs& catalogs, HttpCaller& caller,
                                                                     Log& log) {
  std::unique_ptr<LiveConfiguration> live(
      new LiveConfiguration(std::move(source), std::move(config), serves, catalogs, caller, log));
  // Anew, because what changes from now on is seen, and what has changed since it was read would not be.
  auto loaded = live->source_.load();
  if (loaded.has_error()) return loaded.error();
  if (const auto checked = check_protection(live->config_, *loaded, serves); checked.has_error())
    return checked.error();
  live->config_ = *std::move(loaded);
  live->settings_ = config_form().show(live->config_);
  live->set_limits();
  live->watched_.watch(live->files_of(live->config_));
  auto access = live->access_of(live->config_);
  if (access.has_error()) return access.error();
  live->take(*std::move(access));
  live->govern();
  return live;
}

LiveConfiguration::LiveConfiguration(ConfigSource source, Config config, Serves serves, const Catalogs& catalogs,
                                     HttpCaller& caller, Log& log)
    : source_(std::move(source)),
      serves_(serves),
      config_(std::move(config)),
      started_with_(config_),
      proofs_(std::make_shared<Proofs>(nonce_key(config_))),
      limits_(*Limits::create({}, Limits::steady_clock())),
      caller_(caller),
      log_(log) {
  for (const auto& [name, catalog] : catalogs) {
    auto& server = servers_.emplace(name, *catalog).first->second;
    server.title = name.empty() ? config_.host.identity.title : config_.servers.at(name).identity.title;
  }
  watched_.watch(files_of(config_));
}

void LiveConfiguration::take(Access access) {
  // Clients send their tokens from now on.
  if (config_.knows_credentials()) keep_memory_private();
  if (!config_.tokens.empty() && !access.has_tokens) {
    log_.warning("no tokens", {{"file", config_.tokens.string()},
                               {"consequence", "whoever has a token of this server is refused"},
                               {"next", "see that this is the file; mcp-plugin-host token create makes one"}});
  }
  for (const auto& [name, state] : access.states)
    servers_.at(name).access.set(state);
  policies_ = std::move(access.policies);
}

void LiveConfiguration::govern() {
  for (auto& [name, policy] : policies_)
    servers_.at(name).catalog.govern(policy);
}

void LiveConfiguration::run(Ending ending) {
  ending_ = std::move(ending);
  if (!files_of(config_).empty()) watched_.run([this](bool changed) { attend(changed); });
}

void LiveConfiguration::attend(bool changed) {
  // What could not be read may be readable now, though no file has changed since.
  static constexpr std::chrono::seconds interval{1};
  const bool again = !reloads().refusal.empty() && std::chrono::steady_clock::now() - refused_at_ >= interval;
  const auto anew = changed || again ? take_changes(changed) : ReadAnew::nothing;
  const bool replaced = anew != ReadAnew::nothing;
  end_what_is_good_no_longer(replaced);
  // After that, so that nobody whose streams end is told that his lists are empty now.
  if (replaced) govern();
  // And this last, so that it is true of every request that comes after it.
  if (anew != ReadAnew::configuration) return;
  auto settings = config_form().show(config_);
  log_.info("configuration taken",
            {{"file", source_.file().string()}, {"changed", changed_tables(settings_, settings)}});
  settings_ = std::move(settings);
}

void LiveConfiguration::end_what_is_good_no_longer(bool replaced) {
  // For clients to read how their streams have ended. Further changes put the rest off, so that those whose streams
  // they end have that time, too; but not for ever.
  static constexpr std::chrono::milliseconds farewell{300};
  static constexpr std::chrono::milliseconds max_farewell{900};
  const auto now = std::chrono::system_clock::now();
  // Who is good is so for all servers.
  const auto access = servers_.begin()->second.access.get();
  const IsGood is_good = [access, now](const Principal& principal) { return access->is_good(principal, now); };
  const auto moment = std::chrono::steady_clock::now();
  if (replaced || access->has_expiry_between(looked_at_, now)) {
    // Of those about whom the last look has asked.
    if (access->issuers() != nullptr) access->issuers()->refresh_old_keys();
    ending_.close_streams(is_good);
    if (!farewell_) farewell_ = Farewell{moment, moment};
    farewell_->expel_at = std::min(moment + farewell, farewell_->since + max_farewell);
  }
  if (farewell_ && moment >= farewell_->expel_at) {
    ending_.expel(is_good);
    farewell_.reset();
  }
  looked_at_ = now;
}

std::vector<std::filesystem::path> LiveConfiguration::files_of(const Config& config) const {
  std::vector<std::filesystem::path> files;
  const auto add = [&](const std::filesystem::path& file) {
    if (!file.empty()) files.push_back(file);
  };
  add(source_.file());
  add(config.tokens);
  for (const auto& [name, issuer] : config.issuers) {
    add(issuer.jwks_file);
    add(issuer.client_secret);
  }
  return files;
}

Result<LiveConfiguration::Access> LiveConfiguration::access_of(const Config& config) {
  auto roles = config.roles.empty() ? Result<std::shared_ptr<const RolePolicy>>(nullptr)
                                    : RolePolicy::compile(settled_roles(config));
  if (roles.has_error()) return roles.error();
  // By its URL tokens say that they are for this server.
  if (!config.issuers.empty() && started_with_.origin.empty())
    return fail("[issuers] needs [server] url, with which the host has to be started anew");
  const auto tokens = config.tokens.empty() ? Result<TokenRecords>(TokenRecords()) : read_tokens(config.tokens);
  if (tokens.has_error()) return tokens.error();
  Access access;
  access.has_tokens = !tokens->empty();
  for (auto& [name, server] : servers_) {
    auto state = access_of(name, config, *roles, *tokens);
    if (state.has_error()) return state.error();
    std::shared_ptr<const Policy> policy = *roles == nullptr ? nullptr : *state;
    if (!name.empty()) {
      // One that is gone from the file is served until the host starts anew.
      if (const auto found = config.servers.find(name); found != config.servers.end())
        server.components = found->second.components;
      auto components = RolePolicy::compile({{name, server.components}});
      if (components.has_error()) return components.error();
      policy = policy_within((*components)->rights_of({name}), std::move(policy));
    }
    access.states.emplace(name, *std::move(state));
    access.policies.emplace(name, std::move(policy));
  }
  return access;
}

Result<std::shared_ptr<const AccessState>> LiveConfiguration::access_of(const std::string& name, const Config& config,
                                                                        std::shared_ptr<const RolePolicy> roles,
                                                                        const TokenRecords& tokens) {
  ConnectionCredentials connections(config.client_subject, config.proxy);
  if (!config.knows_credentials()) return AccessState::open(std::move(roles), std::move(connections));
  auto& server = servers_.at(name);
  const auto found = config.servers.find(name);
  Credentials credentials{.tokens = tokens,
                          .resource = {.origin = started_with_.origin,
                                       .title = server.title,
                                       .scopes = found == config.servers.end() ? config.scopes : found->second.scopes},
                          .connections = std::move(connections),
                          .log = &log_};
  credentials.resource.takes_tokens = !config.tokens.empty() || !config.issuers.empty();
  credentials.resource.needs_nonces = config.proof_nonces;
  credentials.resource.knows_certificates =
      started_with_.tls.client_certificates != TlsOptions::ClientCertificates::none;
  for (const auto& [role_name, role] : config.roles)
    credentials.resource.known_scopes.insert(role.scopes.begin(), role.scopes.end());
  Issuers::Settings settings{
      .issuers = {}, .audiences = urls_of(name), .implied = config.implied_scopes, .roles = roles, .proofs = proofs_};
  for (const auto& [issuer_name, each] : config.issuers) {
    settings.issuers.push_back(each);
    credentials.resource.issuers.push_back(each.issuer);
  }
  if (!settings.issuers.empty()) {
    auto issuers = Issuers::create(std::move(settings), caller_, log_, issuers_.get());
    if (issuers.has_error()) return issuers.error();
    credentials.issuers = *std::move(issuers);
  }
  // The whole has no name, and comes first.
  if (name.empty()) issuers_ = credentials.issuers;
  return AccessState::with_credentials(std::move(roles), std::move(credentials));
}

std::vector<std::string> LiveConfiguration::urls_of(const std::string& name) const {
  std::vector<std::string> urls;
  for (const auto& path :
       name.empty() ? std::vector<std::string>{"", std::string(upstream_path)} : VirtualServer::paths(name))
    urls.push_back(started_with_.origin + path + std::string(mcp_path));
  return urls;
}

void LiveConfiguration::set_limits() {
  limits_.set(*Limits::create(config_.limits, Limits::steady_clock(), limits_.get().get()));
}

LiveConfiguration::Reloads LiveConfiguration::reloads() const {
  const MutexLock lock(mutex_);
  return reloads_;
}

ConfigurationReport LiveConfiguration::report() const {
  auto now = reloads();
  return {std::move(now.refusal), std::move(now.need_restart)};
}

void LiveConfiguration::count_taken(std::vector<std::string> need_restart) {
  const MutexLock lock(mutex_);
  ++reloads_.taken;
  reloads_.refusal.clear();
  reloads_.need_restart = std::move(need_restart);
  reloads_.last_taken = std::chrono::system_clock::now();
}

void LiveConfiguration::count_refused(const std::string& reason) {
  const MutexLock lock(mutex_);
  ++reloads_.refused;
  reloads_.refusal = reason;
}

LiveConfiguration::ReadAnew LiveConfiguration::take_changes(bool changed) {
  auto next = source_.load();
  if (next.has_value()) {
    if (const auto checked = check_protection(config_, *next, serves_); checked.has_error()) {
      next = fail(source_.file().string() + ": " + checked.error().message);
    }
  }
  if (next.has_value()) {
    // Before they are read, so that no change between is missed.
    auto files = files_of(config_);
    std::ranges::move(files_of(*next), std::back_inserter(files));
    watched_.watch(std::move(files));
  }
  auto access = next.has_value() ? access_of(*next) : Result<Access>(next.error());
  const bool taken = access.has_value();
  if (taken) {
    auto need_restart = what_needs_a_restart(*next);
    std::string settings;
    for (const auto& each : need_restart)
      settings.append(settings.empty() ? "" : ", ").append(each);
    count_taken(std::move(need_restart));
    if (!settings.empty()) log_.warning("configuration needs a restart", {{"settings", settings}});
    config_ = *std::move(next);
    access_is_old_ = false;
    set_limits();
    watched_.watch(files_of(config_));
  } else {
    const auto& reason = access.error().message;
    refused_at_ = std::chrono::steady_clock::now();
    if (changed || reason != reloads().refusal) {
      count_refused(reason);
      log_.error("configuration not taken", {{"reason", reason}, {"serving", "what was there before"}});
    }
    if (!changed && !access_is_old_) return ReadAnew::nothing;
    // Of the tokens, which are in a file of their own, one may have been revoked.
    access = access_of(config_);
    access_is_old_ = access.has_error();
    if (access_is_old_) return ReadAnew::nothing;
  }
  take(*std::move(access));
  return taken ? ReadAnew::configuration : ReadAnew::tokens;
}

std::vector<std::string> LiveConfiguration::what_needs_a_restart(const Config& next) const {
  std::set<std::string> differences;
  auto before = config_form().show(started_with_);
  auto after = config_form().show(next);
  // Virtual servers come and go one by one.
  before.emplace("servers", OrderedJson::object());
  after.emplace("servers", OrderedJson::object());
  collect_differences(before, after, {}, 0, differences);
  return {differences.begin(), differences.end()};
}

}  // namespace mcph
