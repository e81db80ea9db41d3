// Says whether somebody may use something, and which rule of the configuration decides.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/host.hpp"
#include "auth/own_issuers.hpp"
#include "auth/token_file.hpp"
#include "base/json_document.hpp"
#include "base/json_text.hpp"
#include "cli/command_log.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/own_output.hpp"
#include "plugin/method.hpp"

namespace mcph {
namespace {

constexpr int not_permitted = 1;

struct AskedUse {
  Use use;
  std::string words;               // "call the tool deploy"
  const Prompt* prompt = nullptr;  // that is served, if it is one
};

// The arguments outlive it.
std::optional<AskedUse> read_use(const ExplainCommand& command, const Json& arguments) {
  const auto method = find_method(command.method);
  if (method == Method::tools_call)
    return AskedUse{{Rule::Kind::tool, command.name, nullptr, arguments}, "call the tool " + command.name};
  if (method == Method::prompts_get)
    return AskedUse{{Rule::Kind::prompt, command.name, nullptr, arguments}, "get the prompt " + command.name};
  if (method == Method::resources_read)
    return AskedUse{{Rule::Kind::resource, command.name, nullptr, arguments}, "read the resource " + command.name};
  return std::nullopt;
}

bool is_served(const Catalog& catalog, AskedUse& asked) {
  const auto& name = asked.use.name;
  switch (asked.use.kind) {
    case Rule::Kind::prompt: {
      const auto* const prompt = catalog.find_prompt(name);
      if (prompt != nullptr) asked.prompt = prompt->component;
      return prompt != nullptr;
    }
    case Rule::Kind::resource:
      return catalog.find_resource(name) != nullptr || catalog.match_template(name).has_value();
    default:
      break;
  }
  const auto* const tool = catalog.find_tool(name);
  if (tool != nullptr) asked.use.tool = tool->component;
  return tool != nullptr;
}

// Somebody of an issuer of the configuration, by its name there or its URL.
Result<Principal> principal_of_issuer(const ExplainCommand& command) {
  if (!names_principal(command.config, command.who))
    return fail("--as must be ISSUER#SUBJECT of an issuer that there is, as [issuers.NAME], but is \"" + command.who +
                '"');
  // No URL of an issuer has one, but subjects may.
  const auto hash = command.who.find('#');
  auto issuer = command.who.substr(0, hash);
  if (const auto found = command.config.issuers.find(issuer); found != command.config.issuers.end())
    issuer = found->second.issuer;
  return Principal({.issuer = issuer,
                    .subject = command.who.substr(hash + 1),
                    .groups = command.groups,
                    .claimed_roles = command.roles,
                    .scopes = with_implied(command.scopes, command.config.implied_scopes)});
}

// One for each token that the name has.
Result<std::vector<Principal>> principals_of(const ExplainCommand& command) {
  const auto own = std::string(this_host) + "#";
  const bool is_own = command.who.starts_with(own);
  if (!is_own && command.who.find('#') != std::string::npos) {
    auto principal = principal_of_issuer(command);
    if (principal.has_error()) return principal.error();
    return std::vector{*std::move(principal)};
  }
  if (!command.roles.empty() || !command.groups.empty() || !command.scopes.empty())
    return fail("--role, --group and --scope are of ISSUER#SUBJECT, but --as is " + command.who +
                "; a token has the roles that it was made with");
  if (command.who == anonymous_role) return std::vector{anonymous};
  const auto subject = is_own ? command.who.substr(own.size()) : command.who;
  const auto tokens =
      command.config.tokens.empty() ? Result<TokenRecords>(TokenRecords()) : look_at_tokens(command.config.tokens);
  if (tokens.has_error()) return tokens.error();
  std::vector<Principal> principals;
  for (const auto& token : *tokens) {
    if (token.subject != subject || !token.is_good(std::chrono::system_clock::now())) continue;
    principals.push_back(Principal({.issuer = std::string(this_host),
                                    .subject = token.subject,
                                    .claimed_roles = token.roles,
                                    .credential = token.id}));
  }
  if (principals.empty())
    return fail(command.who + " has no good token; write ISSUER#SUBJECT for somebody of an issuer, or anonymous");
  return principals;
}

std::string listed(const std::set<std::string>& roles) {
  std::string list;
  for (const auto& role : roles)
    list.append(list.empty() ? "" : ", ").append(role);
  return list.empty() ? "no role" : "the roles " + list;
}

// `table` is where the roles are in the configuration, "roles" or "servers".
std::string reason_of(const Decision& decision, const ExplainCommand& command, const std::string& table) {
  if (decision.role.empty()) return "no rule allows it";
  const std::string list = decision.by_denial ? "deny" : "allow";
  const auto place =
      command.source.place_of("/" + table + "/" + decision.role + "/" + list + "/" + std::to_string(decision.rule));
  auto words = (place.empty() ? std::string() : place + ": ") + "[" + table + "." + decision.role + "] " + list + " " +
               decision.pattern;
  if (!decision.mismatch.empty()) words += " does not allow " + decision.mismatch;
  return words;
}

void print(const std::string& who, bool permitted, const AskedUse& asked, const std::string& reason) {
  own_output() << who << (permitted ? " may " : " may not ") << asked.words << "\n  " << reason << "\n";
}

// What the virtual server's own rules say, in words that name it.
std::string reason_of_server(const Decision& decision, const ExplainCommand& command) {
  const auto words = decision.role.empty() ? "no rule of [servers." + command.server + "] allows it"
                                           : reason_of(decision, command, "servers");
  return "the server " + command.server + (decision.permitted ? " has it: " : " does not have it: ") + words;
}

// With which scope its issuer could give the principal what it may not; empty: with none.
std::string scope_for(const Principal& principal, const RolePolicy& policy, const AskedUse& asked,
                      const ExplainCommand& command) {
  const auto is_its = [&](const auto& each) { return each.second.issuer == principal.identity().issuer; };
  if (principal.is_anonymous() || std::ranges::none_of(command.config.issuers, is_its)) return {};
  const auto rights = policy.rights_of(policy.roles_of(principal), true, principal.identity().issuer);
  Access access;
  if (asked.use.tool != nullptr) access = rights->to(*asked.use.tool, {});
  if (asked.prompt != nullptr) access = rights->to(*asked.prompt);
  if (access.rule == nullptr) return {};
  const auto document = JsonDocument::of(asked.use.arguments);
  const auto refusal = access.rule->check(document.root());
  return refusal && !refusal->scopes.empty() ? refusal->scopes.front() : std::string();
}

// Whether it is permitted.
bool explain(const Principal& principal, const RolePolicy& policy, const RolePolicy* server, const AskedUse& asked,
             const ExplainCommand& command) {
  const auto roles = policy.roles_of(principal);
  auto who = command.who;
  if (!principal.is_anonymous() && !principal.identity().credential.empty())
    who += " (token " + principal.identity().credential + ")";
  who += ", with " + listed(roles) + ",";
  std::string by_server;
  if (server != nullptr) {
    const auto within = server->decide({command.server}, asked.use);
    by_server = reason_of_server(within, command);
    if (!within.permitted) {
      print(who, false, asked, by_server);
      return false;
    }
    by_server += "\n  ";
  }
  if (command.config.roles.empty()) {
    print(who, true, asked, by_server + "there are no roles: everybody may use all that it has");
    return true;
  }
  const auto decision = policy.decide(roles, asked.use);
  auto reason = by_server + reason_of(decision, command, "roles");
  const auto scope = decision.permitted ? std::string() : scope_for(principal, policy, asked, command);
  if (!scope.empty()) reason += "\n  with the scope " + scope + " it would be permitted; its client is told so";
  print(who, decision.permitted, asked, reason);
  return decision.permitted;
}

// As those of a call are when it is asked whether it is permitted.
void complete(const Tool& tool, Json& arguments) {
  auto violation = tool.input_schema.validate(arguments);
  if (!violation) violation = tool.input_schema.apply_defaults(arguments);
  if (violation)
    std::cerr << "the tool " << tool.name << " does not take these arguments: " << violation->message << "\n";
}

int explain_all(Host& host, const ExplainCommand& command, AskedUse asked, Json& arguments) {
  const auto policy = RolePolicy::compile(settled_roles(command.config));
  if (policy.has_error()) return complain(policy.error().message);
  const auto principals = principals_of(command);
  if (principals.has_error()) return complain(principals.error().message);
  std::shared_ptr<const RolePolicy> server;
  if (!command.server.empty()) {
    const auto found = command.config.servers.find(command.server);
    if (found == command.config.servers.end()) return complain("there is no [servers." + command.server + "]");
    auto components = RolePolicy::compile({{command.server, found->second.components}});
    if (components.has_error()) return complain(components.error().message);
    server = *std::move(components);
  }
  host.folder().load_all(std::chrono::hours(24));
  const auto catalog = host.catalog().current();
  if (!is_served(*catalog, asked)) {
    own_output() << "nobody can " << asked.words << ": it is not served\n";
    return not_permitted;
  }
  if (asked.use.tool != nullptr) complete(*asked.use.tool, arguments);
  bool all = true;
  for (const auto& principal : *principals)
    all = explain(principal, **policy, server.get(), asked, command) && all;
  return all ? 0 : not_permitted;
}

}  // namespace

int run(const ExplainCommand& command) {
  CommandLog log(command.config.host);
  auto arguments = parse_json(command.arguments);
  if (arguments.has_error()) return complain("the arguments are " + arguments.error().message);
  if (!arguments->is_object()) return complain("the arguments must be a JSON object");
  auto asked = read_use(command, *arguments);
  if (!asked) return complain("METHOD must be tools/call, resources/read or prompts/get, but is " + command.method);
  if (command.config.roles.empty() && command.server.empty())
    return complain("there are no roles, and everybody may use everything; is --config to name another configuration?");
  if (const auto found = find_components(command.config.host); found.has_error())
    return complain(found.error().message);
  keep_output_from_plugins();
  auto host = Host::create(command.config.host, log);
  if (host.has_error()) return complain(host.error().message);
  return (*host)->finish(explain_all(**host, command, *std::move(asked), *arguments));
}

}  // namespace mcph
