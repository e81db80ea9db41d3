#include "auth/issuer.hpp"

#include <utility>

#include "auth/claims.hpp"

namespace mcph {

Issuer::Issuer(IssuerSettings settings, std::unique_ptr<KeySource> source, Log& log, Clock clock)
    : settings_(std::move(settings)), source_(std::move(source)), log_(log), clock_(std::move(clock)) {}

void Issuer::begin_with(const Issuer& other) {
  keys_.set(other.keys());
  const auto fetched = [&other] {
    const MutexLock lock(other.mutex_);
    return other.fetched_;
  }();
  const MutexLock lock(mutex_);
  fetched_ = fetched;
}

Result<Identity, CredentialError> Issuer::verify(const JsonWebSignature& token, JsonValue claims,
                                                 const std::vector<std::string>& audiences,
                                                 std::chrono::system_clock::time_point now) {
  const auto keys = keys_.get();
  const auto* const key = keys == nullptr ? nullptr : keys->find(token.header.algorithm, token.header.key_id);
  // Some issuers give another key the name of the last one.
  if (key == nullptr || !token.is_by(*key)) {
    if (auto settle = fetch_first(keys))
      return CredentialError{CredentialError::Kind::unsettled, {}, std::move(settle)};
    if (keys == nullptr || (key == nullptr && fetches().has_failed_last))
      return CredentialError{CredentialError::Kind::unavailable, "the keys of the token's issuer cannot be had now"};
    return invalid_credential(key == nullptr ? "its issuer has no such key"
                                             : "the token's signature is not its issuer's");
  }
  refresh_old_keys();
  auto identity = identity_of_token(claims, token.header.type, settings_, audiences, now);
  if (identity.has_error()) return invalid_credential(identity.error().message);
  identity->signing_key = key->thumbprint();
  return *std::move(identity);
}

CredentialError::Settle Issuer::fetch_first(const std::shared_ptr<const JsonWebKeySet>& looked_at) {
  const MutexLock lock(mutex_);
  // Others may have come in between.
  if (!fetching_ && !may_fetch(clock_()) && keys_.get() == looked_at) return nullptr;
  return [self = shared_from_this()](std::function<void()> done) { self->settle(std::move(done)); };
}

void Issuer::refresh_old_keys() {
  {
    const MutexLock lock(mutex_);
    const auto now = clock_();
    if (!may_fetch(now) || (keys_.get() != nullptr && now - fetched_ < key_lifetime)) return;
    fetching_ = true;
  }
  fetch();
}

void Issuer::refresh_keys() {
  {
    const MutexLock lock(mutex_);
    if (fetching_) again_ = true;
    if (fetching_ || keys_.get() == nullptr) return;
    fetching_ = true;
  }
  fetch();
}

void Issuer::settle(std::function<void()> done) {
  bool begin = false;
  {
    const MutexLock lock(mutex_);
    begin = may_fetch(clock_());
    if (begin || fetching_) {
      waiting_.push_back(std::exchange(done, nullptr));
      fetching_ = true;
    }
  }
  if (begin) fetch();
  // Others have asked meanwhile, and know.
  if (done) done();
}

void Issuer::fetch() {
  source_->fetch([self = shared_from_this()](Result<JsonWebKeySet> keys) { self->take(std::move(keys)); });
}

Issuer::Fetches Issuer::fetches() const {
  const MutexLock lock(mutex_);
  auto fetches = fetches_;
  fetches.issuer = settings_.name;
  return fetches;
}

void Issuer::take(Result<JsonWebKeySet> keys) {
  const bool has_come = keys.has_value();
  std::vector<std::string> remarks;
  if (!has_come) {
    const auto* const consequence = keys_.get() == nullptr
                                        ? "its tokens are refused until there are keys"
                                        : "the keys that were fetched before count, whatever else is taken";
    log_.warning("keys of an issuer not fetched",
                 {{"issuer", settings_.name}, {"reason", keys.error().message}, {"consequence", consequence}});
  }
  std::vector<std::function<void()>> waiting;
  bool again = false;
  {
    const MutexLock lock(mutex_);
    const auto now = clock_();
    ++(has_come ? fetches_.good : fetches_.failed);
    fetches_.has_failed_last = !has_come;
    if (has_come) {
      if (remarks_ != keys->remarks()) remarks = remarks_ = keys->remarks();
      keys_.set(std::make_shared<const JsonWebKeySet>(*std::move(keys)));
      fetched_ = now;
    }
    next_fetch_ = now + (keys_.get() == nullptr ? first_fetch_pause : fetch_pause);
    again = fetching_ = std::exchange(again_, false);
    waiting.swap(waiting_);
  }
  if (has_come) log_.info("keys of an issuer fetched", {{"issuer", settings_.name}});
  for (const auto& remark : remarks)
    log_.warning("key of an issuer not used", {{"issuer", settings_.name}, {"reason", remark}});
  if (again) fetch();
  for (const auto& done : waiting)
    done();
}

}  // namespace mcph
