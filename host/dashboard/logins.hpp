// Who has come into the dashboard. A token lets in once, within a minute; whoever has come in has a session, which a
// cookie names. What is given out is random, and kept as its digest, so that the time of a look-up tells nothing. All
// of it is bounded, and ends with the host. Owned by the dashboard; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "base/principal.hpp"

namespace mcph {

// Somebody who has come in.
struct DashboardLogin {
  Principal principal;
  bool may_operate = false;  // reload, disable and enable plugins, and not only look
  bool by_link = false;      // as the one principal that all are who come so
};

class Logins {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Clock = std::function<Time()>;

  static constexpr std::chrono::seconds token_time{60};
  static constexpr std::chrono::hours session_time{12};
  // Of each kind; the oldest goes for the next.
  static constexpr std::size_t max_tokens = 16;
  static constexpr std::size_t max_sessions = 256;
  static constexpr std::size_t max_sessions_each = 32;  // of one principal who shows a credential

  explicit Logins(Clock clock = &std::chrono::steady_clock::now) : clock_(std::move(clock)) {}

  // A new token.
  std::string issue();
  // Whether it is one; then it is none any more.
  bool redeem(std::string_view token);

  // The name of a new session. By Identity::login its principal is told from that of any other.
  std::string begin(DashboardLogin login);
  // Nothing: there is no session of that name.
  std::optional<DashboardLogin> find(std::string_view session) const;
  // Its login; nothing: there was no such session.
  std::optional<DashboardLogin> end(std::string_view session);

 private:
  struct Token {
    Time expiry;
  };
  struct Session {
    DashboardLogin login;
    Time expiry;
  };

  const Clock clock_;
  mutable Mutex mutex_;
  std::map<std::string, Token> tokens_ GUARDED_BY(mutex_);  // by digest, as the sessions
  std::map<std::string, Session> sessions_ GUARDED_BY(mutex_);
};

}  // namespace mcph
