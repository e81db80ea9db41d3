#include "dashboard/logins.hpp"

#include <algorithm>
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

// Forgets what has expired, and what expires first where there is no room for one more.
template <class All, class ExpiryOf>
void make_room(All& all, std::size_t most, Logins::Time now, ExpiryOf expiry_of) {
  std::erase_if(all, [&](const auto& each) { return expiry_of(each.second) <= now; });
  if (all.size() < most) return;
  all.erase(std::ranges::min_element(all, {}, [&](const auto& each) { return expiry_of(each.second); }));
}

}  // namespace

std::string Logins::issue() {
  auto token = random_secret();
  const auto now = clock_();
  const MutexLock lock(mutex_);
  make_room(tokens_, max_tokens, now, [](Time expiry) { return expiry; });
  tokens_.emplace(sha256(token), now + token_time);
  return token;
}

bool Logins::redeem(std::string_view token) {
  const auto now = clock_();
  const MutexLock lock(mutex_);
  const auto found = tokens_.extract(sha256(token));
  return !found.empty() && now < found.mapped();
}

std::string Logins::begin(DashboardLogin login) {
  login.principal = Principal(login.principal.identity());
  auto session = random_secret();
  const auto now = clock_();
  const MutexLock lock(mutex_);
  make_room(sessions_, max_sessions, now, [](const Session& each) { return each.expiry; });
  sessions_.emplace(sha256(session), Session{std::move(login), now + session_time});
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
