// The commands that make, list and revoke tokens.
#include "auth/token.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <iomanip>
#include <iostream>
#include <optional>

#include "auth/token_file.hpp"
#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "base/time_text.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "cli/own_output.hpp"
#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

using Time = TokenRecord::Time;

constexpr int nothing_revoked = 1;

// "90d", "12h", "30m", or a point of time.
std::optional<Time> read_expiry(const std::string& text, Time now) {
  if (const auto when = read_time(text)) return when;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  constexpr int most = 100'000;
  if (error != std::errc{} || count <= 0 || count > most || end + 1 != text.data() + text.size()) return std::nullopt;
  switch (*end) {
    case 'd':
      return now + std::chrono::hours(24) * count;
    case 'h':
      return now + std::chrono::hours(count);
    case 'm':
      return now + std::chrono::minutes(count);
    default:
      return std::nullopt;
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words)
    text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

std::string state_of(const TokenRecord& token, Time now) {
  if (token.revoked) return "revoked " + time_text(*token.revoked);
  if (!token.expiry) return "good";
  return (token.is_good(now) ? "good until " : "expired ") + time_text(*token.expiry);
}

Result<> check_roles(const TokenCommand& command) {
  std::vector<std::string> known;
  for (const auto& [name, role] : command.config.roles)
    known.push_back(name);
  for (const auto& role : command.roles) {
    if (std::ranges::find(known, role) == known.end()) {
      return fail("there is no role \"" + role + "\"; the configuration has " +
                  (known.empty() ? "none: add [roles." + role + "]" : joined(known)));
    }
  }
  return {};
}

// Of a token that nobody has seen.
int take_back(const TokenCommand& command, const std::string& id, int error) {
  const auto changed = change_tokens(command.config.tokens, [&id](TokenRecords& tokens) -> Result<> {
    std::erase_if(tokens, [&id](const TokenRecord& token) { return token.id == id; });
    return {};
  });
  const auto why = "the output cannot be written: " + error_words(error);
  if (!changed.has_error()) return complain(why + "; no token was made");
  return complain(why + "; revoke " + id + ", which is in the file still: " + changed.error().message);
}

int create(const TokenCommand& command, Time now) {
  if (const auto checked = check_roles(command); checked.has_error()) return complain(checked.error().message);
  const auto expiry = command.expiry.empty() ? std::nullopt : read_expiry(command.expiry, now);
  if (!command.expiry.empty() && (!expiry || *expiry <= now)) {
    return complain("--expires must be a time to come, such as 90d, 12h or 2027-01-31, but is \"" + command.expiry +
                    "\"");
  }
  const auto token = make_token();
  TokenRecord record{.id = std::string(*token_id(token)),
                     .subject = command.name,
                     .roles = command.roles,
                     .digest = token_digest(token),
                     .created = now,
                     .expiry = expiry};
  const auto changed = change_tokens(command.config.tokens, [&](TokenRecords& tokens) -> Result<> {
    tokens.push_back(record);
    return {};
  });
  if (changed.has_error()) return complain(changed.error().message);
  // A reader that has gone must not end this before the token is taken back.
  std::signal(SIGPIPE, SIG_IGN);
  // The output is the token alone, so that it can be put into a file or a variable.
  std::cout << token << "\n";
  if (const int error = write_printed(); error != 0) return take_back(command, record.id, error);
  std::cerr << "Token " << record.id << " of " << printable(record.subject) << " (" << joined(record.roles) << "), "
            << state_of(record, now) << ". It is shown this once; clients send it as Authorization: Bearer TOKEN\n";
  return 0;
}

int list(const TokenCommand& command, Time now) {
  const auto tokens = look_at_tokens(command.config.tokens);
  if (tokens.has_error()) return complain(tokens.error().message);
  if (command.json) {
    OrderedJson json = {{"tokens", OrderedJson::array()}};
    for (const auto& token : *tokens) {
      OrderedJson each = {{"id", token.id},
                          {"subject", token.subject},
                          {"roles", token.roles},
                          {"created", time_text(token.created)},
                          {"good", token.is_good(now)}};
      if (token.expiry) each["expires"] = time_text(*token.expiry);
      if (token.revoked) each["revoked"] = time_text(*token.revoked);
      json["tokens"].push_back(std::move(each));
    }
    std::cout << json.dump() << "\n";
    return 0;
  }
  if (tokens->empty()) {
    std::cout << "There are none; make one with mcp-plugin-host token create NAME --role ROLE\n";
    return 0;
  }
  std::vector<TableRow> rows{{"ID", "NAME", "ROLES", "CREATED", "STATE"}};
  for (const auto& token : *tokens) {
    rows.push_back({printable(token.id), printable(token.subject), printable(joined(token.roles)),
                    time_text(token.created), state_of(token, now)});
  }
  print_table(std::cout, rows);
  return 0;
}

int revoke(const TokenCommand& command, Time now) {
  std::vector<std::string> revoked;
  const auto changed = change_tokens(command.config.tokens, [&](TokenRecords& tokens) -> Result<> {
    for (auto& token : tokens) {
      if (token.revoked || (token.id != command.name && token.subject != command.name)) continue;
      token.revoked = now;
      revoked.push_back(token.id);
    }
    return {};
  });
  if (changed.has_error()) return complain(changed.error().message);
  if (revoked.empty()) {
    std::cerr << "mcp-plugin-host: no token that is good is called \"" << command.name
              << "\", by its ID or by who has it; see mcp-plugin-host token list, with the same configuration\n";
    return nothing_revoked;
  }
  std::cout << "Revoked: " << joined(revoked) << "\n";
  return 0;
}

}  // namespace

int run(const TokenCommand& command) {
  if (command.config.tokens.empty()) {
    return complain(
        "the configuration names no file for tokens; name one with --config FILE that has [tokens] and "
        "file = \"tokens.json\"");
  }
  // To the second, as it is kept.
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  switch (command.what) {
    case TokenCommand::What::create:
      return create(command, now);
    case TokenCommand::What::list:
      return list(command, now);
    case TokenCommand::What::revoke:
      break;
  }
  return revoke(command, now);
}

}  // namespace mcph
