#include "auth/token_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "base/time_text.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_file_size = std::size_t{64} << 20;
constexpr ::mode_t owner_only = S_IRUSR | S_IWUSR;
constexpr ::mode_t readable_by_others = S_IRGRP | S_IROTH;
constexpr ::mode_t writable_by_others = S_IWGRP | S_IWOTH;

OrderedJson to_json(const TokenRecord& token) {
  OrderedJson json = {{"id", token.id},
                      {"subject", token.subject},
                      {"roles", token.roles},
                      {"sha256", token.digest},
                      {"created", time_text(token.created)}};
  if (token.expiry) json["expires"] = time_text(*token.expiry);
  if (token.revoked) json["revoked"] = time_text(*token.revoked);
  return json;
}

std::optional<TokenRecord::Time> time_member(const Json& json, const char* key) {
  const auto text = json.find(key);
  return text == json.end() || !text->is_string() ? std::nullopt : read_time(text->get_ref<const std::string&>());
}

// What is there must be understood: a token whose end cannot be read would otherwise be good for ever.
Result<TokenRecord> from_json(const Json& json) {
  static constexpr auto texts = {"id", "subject", "sha256", "created"};
  if (!json.is_object()) return fail("is no object");
  for (const auto* key : texts) {
    if (!json.contains(key) || !json[key].is_string()) return fail(std::string("lacks the text \"") + key + "\"");
  }
  TokenRecord token{.id = json["id"], .subject = json["subject"], .roles = {}, .digest = json["sha256"], .created = {}};
  const auto roles = json.value("roles", Json::array());
  const auto is_text = [](const Json& role) { return role.is_string(); };
  if (!roles.is_array() || !std::ranges::all_of(roles, is_text)) return fail("has roles that are no array of texts");
  token.roles = roles.get<std::vector<std::string>>();
  const auto created = time_member(json, "created");
  token.expiry = time_member(json, "expires");
  token.revoked = time_member(json, "revoked");
  if (!created || token.expiry.has_value() != json.contains("expires") ||
      token.revoked.has_value() != json.contains("revoked")) {
    return fail("has a time that is none, such as 2026-07-28T12:00:00Z");
  }
  token.created = *created;
  return token;
}

Result<TokenRecords> parse(const std::string& text) {
  const auto json = parse_json(text, default_json_depth, DuplicateKeys::refuse);
  if (json.has_error()) return json.error();
  if (!json->is_object() || !json->contains("tokens") || !(*json)["tokens"].is_array())
    return fail("is no file of tokens: it lacks the array \"tokens\"");
  TokenRecords tokens;
  for (const auto& each : (*json)["tokens"]) {
    auto token = from_json(each);
    if (token.has_error()) return fail("token " + std::to_string(tokens.size()) + " " + token.error().message);
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

Error fail_with(const std::filesystem::path& file, std::string_view what) {
  return fail("cannot " + std::string(what) + " " + file.string() + ": " + last_error());
}

// Whose the file is, or would be: of one that is not there yet, its folder's.
bool look_at_owner(const std::filesystem::path& file, struct ::stat& owner) {
  if (::stat(file.c_str(), &owner) == 0) return true;
  return ::stat(file.has_parent_path() ? file.parent_path().c_str() : ".", &owner) == 0;
}

// Owner, group and readers stay who they are: the host may be one of them.
Result<> replace(const std::filesystem::path& file, const std::string& text) {
  auto next = file;
  next += ".new";
  // One that is there is what a failure left, or somebody else's, who could still write to it afterwards.
  if (::unlink(next.c_str()) != 0 && errno != ENOENT) return fail_with(next, "remove");
  const auto opened = open_file(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, owner_only);
  if (!opened) return fail_with(next, "write");
  if (!write_all(opened, text)) return fail_with(next, "write");
  struct ::stat replaced {};
  const bool is_there = ::stat(file.c_str(), &replaced) == 0;
  const bool is_for_another = is_there || (::geteuid() == 0 && look_at_owner(file, replaced));
  // A group that may not read the file is of no use to it.
  const bool needs_owner = replaced.st_uid != ::geteuid() || (replaced.st_mode & S_IRGRP) != 0;
  if (is_for_another && !give_to_owner(opened, replaced) && needs_owner)
    return fail(fail_with(next, "give away").message + "; only root can do this for the file's owner and group");
  const auto mode = is_there ? owner_only | (replaced.st_mode & readable_by_others) : owner_only;
  if (::fchmod(opened.get(), mode) != 0 || ::fsync(opened.get()) != 0) return fail_with(next, "write");
  if (std::rename(next.c_str(), file.c_str()) != 0) return fail_with(file, "replace");
  // Otherwise a failure of the power could bring a revoked token back.
  const auto folder = open_file(file.has_parent_path() ? file.parent_path() : ".", O_RDONLY | O_DIRECTORY);
  if (!folder || ::fsync(folder.get()) != 0) return fail_with(file, "replace for good");
  return {};
}

// Of those that change it at the same time.
Result<FileDescriptor> lock(const std::filesystem::path& file) {
  auto name = file;
  name += ".lock";
  auto locked = open_file(name, O_RDWR | O_CREAT | O_NOFOLLOW, owner_only);
  // What root makes here belongs to whoever it is for.
  struct ::stat owner {};
  const bool is_usable = locked && (::geteuid() != 0 || !look_at_owner(file, owner) || give_to_owner(locked, owner));
  if (!is_usable || uninterrupted([&] { return ::flock(locked.get(), LOCK_EX); }) != 0) return fail_with(name, "lock");
  return locked;
}

Result<TokenRecords> read(const std::filesystem::path& file, bool may_be_anybodys) {
  const auto opened = open_to_read(file);
  if (!opened && errno == ENOENT) return TokenRecords();
  if (!opened) return fail_with(file, "read");
  const auto named = [&](const Error& error) { return fail(file.string() + ": " + error.message); };
  if (const auto regular = identity_of_regular_file(opened); regular.has_error()) return named(regular.error());
  struct ::stat status {};
  if (::fstat(opened.get(), &status) != 0) return fail_with(file, "look at");
  if ((status.st_mode & writable_by_others) != 0)
    return fail(file.string() + ": others than its owner may write to it, and so make tokens; chmod 600 it");
  if (status.st_uid != 0 && status.st_uid != ::geteuid() && !may_be_anybodys)
    return fail(file.string() + ": it is another user's, who may make tokens; chown it to this one");
  const auto text = read_regular_file(opened, max_file_size);
  if (text.has_error()) return named(text.error());
  auto tokens = parse(*text);
  if (tokens.has_error()) return named(tokens.error());
  return tokens;
}

}  // namespace

Result<TokenRecords> read_tokens(const std::filesystem::path& file) {
  return read(file, false);
}

Result<TokenRecords> look_at_tokens(const std::filesystem::path& file) {
  return read(file, ::geteuid() == 0);
}

Result<> change_tokens(const std::filesystem::path& file, const std::function<Result<>(TokenRecords& tokens)>& change) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(file, ignored)) {
    return fail(file.string() +
                ": it is a link, and a file that is changed would take its place; name the file that it "
                "leads to: " +
                std::filesystem::weakly_canonical(file, ignored).string());
  }
  const auto locked = lock(file);
  if (locked.has_error()) return locked.error();
  auto tokens = look_at_tokens(file);
  if (tokens.has_error()) return tokens.error();
  if (auto changed = change(*tokens); changed.has_error()) return changed;
  OrderedJson json = {{"tokens", OrderedJson::array()}};
  for (const auto& token : *tokens)
    json["tokens"].push_back(to_json(token));
  return replace(file, json.dump(2) + "\n");
}

}  // namespace mcph
