// Who a client has proven to be: whose sessions, streams, tasks and states are nobody else's; and what it wants to see
// of what it may. A value; copies share what is known of them, which never changes. Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace mcph {

class Narrowing;  // catalog/narrowing.hpp

// What is known of a principal. A credential is never among it, neither whole nor in part.
struct Identity {
  std::string issuer;           // who vouches for the subject; "host" is this program
  std::string vouched_by = {};  // of several who can speak for that issuer the one that has; empty: there is one
  std::string subject;          // unique for the issuer
  std::string client = {};      // the program that acts for the subject, where its issuer says so
  std::string name = {};        // for people
  std::string email = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> claimed_roles = {};  // by what proves it, whether or not there are such roles
  std::vector<std::string> roles = {};          // that counted when it was proven, for plugins
  std::vector<std::string> scopes = {};
  std::string bound_to = {};  // the thumbprint of the key that the credential is of use with; empty: with none
  std::string bound_to_certificate = {};  // likewise of a client's certificate
  std::string signing_key = {};  // the thumbprint of the issuer's key that has signed the credential; empty: none has
  std::string terms = {};        // on which the issuer's word was taken, to be compared alone
  std::string credential = {};   // by which it has been proven, as its issuer names it; empty: it has no name
  std::string login = {};        // of the dashboard, through which somebody has come, to be compared alone; empty: none
  std::chrono::system_clock::time_point expiry = std::chrono::system_clock::time_point::max();
};

class Principal {
 public:
  Principal() = default;  // nobody has proven anything
  explicit Principal(Identity identity) : identity_(std::make_shared<const Identity>(std::move(identity))) {}

  bool is_anonymous() const { return identity_ == nullptr; }
  // Of one that is not anonymous.
  const Identity& identity() const { return *identity_; }

  // The same for the same principal, whatever proves who they are. Empty: anonymous.
  std::string id() const { return is_anonymous() ? std::string() : identity_->issuer + "#" + identity_->subject; }

  // What distinguishes it from every other one: issuer, subject and client. Nothing of an anonymous one.
  std::vector<std::string> key() const {
    if (is_anonymous()) return {};
    return {identity_->issuer, identity_->subject, identity_->client};
  }

  // Whether the same is known of both, because both are copies of one.
  bool is_copy_of(const Principal& other) const {
    return identity_ == other.identity_ && narrowing_ == other.narrowing_;
  }

  // The same one, who wants to see less. Null: all.
  Principal narrowed(std::shared_ptr<const Narrowing> narrowing) const {
    auto copy = *this;
    copy.narrowing_ = std::move(narrowing);
    return copy;
  }
  const std::shared_ptr<const Narrowing>& narrowing() const { return narrowing_; }

  // Whether what belongs to one is the other's, too. Another program that acts for the same subject is another
  // principal.
  friend bool operator==(const Principal& a, const Principal& b) {
    if (a.is_anonymous() || b.is_anonymous()) return a.is_anonymous() == b.is_anonymous();
    const auto parts = [](const Identity& of) { return std::tie(of.issuer, of.subject, of.client); };
    return parts(*a.identity_) == parts(*b.identity_);
  }

 private:
  std::shared_ptr<const Identity> identity_;
  std::shared_ptr<const Narrowing> narrowing_;
};

inline const Principal anonymous;
// The role of those who prove nothing.
inline constexpr std::string_view anonymous_role = "anonymous";

// Whether what has proven a principal to be who they are still does.
using IsGood = std::function<bool(const Principal& principal)>;

}  // namespace mcph
