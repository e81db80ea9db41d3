#include "dashboard/logins.hpp"

#include <cstddef>
#include <utility>

#include "base/base64.hpp"
#include "base/random_bytes.hpp"
#include "base/sha256.hpp"

namespace mcph {
namespace {

constexpr std::size_t secret_bytes = 32;

std::string random_secret() {
  return base64url_encode(random_bytes(secret_bytes));
}

// Forgets, of those that count, what expires first where there is no room for one more.
template <class All, class Counts>
void make_room(All& all, std::size_t most, Counts counts) {
  std::size_t count = 0;
  auto first = all.end();
  for (auto each = all.begin(); each != all.end(); ++each) {
    if (!counts(each->second)) continue;
    ++count;
    if (first == all.end() || each->second.expiry < first->second.expiry) first = each;
  }
  if (count >= most) all.erase(first);
}

template <class All>
void forget_expired(All& all, Logins::Time now) {
  std::erase_if(all, [now](const auto& each) { return each.second.expiry <= now; });
}

}  // namespace

std::string Logins::issue() {
  auto token = random_secret();
  const auto now = clock_();
  const MutexLock lock(mutex_);
  forget_expired(tokens_, now);
  make_room(tokens_, max_tokens, [](const Token&) { return true; });
  tokens_.emplace(sha256(token), Token{now + token_time});
  return token;
}

bool Logins::redeem(std::string_view token) {
  const auto now = clock_();
  const MutexLock lock(mutex_);
  const auto found = tokens_.extract(sha256(token));
  return !found.empty() && now < found.mapped().expiry;
}

std::string Logins::begin(DashboardLogin login) {
  auto session = random_secret();
  const auto digest = sha256(session);
  auto identity = login.principal.identity();
  identity.login = digest;
  login.principal = Principal(std::move(identity));
  const auto now = clock_();
  const MutexLock lock(mutex_);
  forget_expired(sessions_, now);
  // First of his own, so that nobody takes the places of others.
  if (!login.by_link) {
    const auto is_his = [&](const Session& each) { return each.login.principal.id() == login.principal.id(); };
    make_room(sessions_, max_sessions_each, is_his);
  }
  make_room(sessions_, max_sessions, [](const Session&) { return true; });
  sessions_.emplace(digest, Session{std::move(login), now + session_time});
  return session;
}

std::optional<DashboardLogin> Logins::find(std::string_view session) const {
  const auto now = clock_();
  const MutexLock lock(mutex_);
  const auto found = sessions_.find(sha256(session));
  if (found == sessions_.end() || found->second.expiry <= now) return std::nullopt;
  return found->second.login;
}

std::optional<DashboardLogin> Logins::end(std::string_view session) {
  const MutexLock lock(mutex_);
  auto found = sessions_.extract(sha256(session));
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped().login);
}

}  // namespace mcph
