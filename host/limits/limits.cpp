#include "limits/limits.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace mcph {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// Nobody knows when a request in flight ends; most do within that time.
constexpr seconds until_one_ends{1};

std::string words_for(milliseconds time) {
  if (time < seconds(1)) return std::to_string(time.count()) + " ms";
  return std::to_string(std::chrono::ceil<seconds>(time).count()) + " s";
}

}  // namespace

// What is asked of several limits at once.
class Limits::Draws {
 public:
  explicit Draws(const Limits& limits, const Keys& keys) : limits_(limits), keys_(keys) {}

  void add(const Limit& limit, RateDraw::Kind kind = RateDraw::Kind::take) {
    if (limit.buckets != nullptr) {
      draws_[count_] = {limit.buckets.get(), keys_.of(limit.scope), kind};
      asked_[count_++] = &limit;
    }
    const bool counts_places = kind == RateDraw::Kind::take && limit.setting.concurrent > 0;
    if (!counts_places || verdict_.refusal) return;
    auto place = limit.places->take(keys_.of(limit.scope), limit.setting.concurrent);
    if (place == nullptr) {
      refuse_for_places(limit);
    } else {
      verdict_.places.push_back(std::move(place));
    }
  }

  LimitVerdict decide() && {
    if (verdict_.refusal) {
      verdict_.places.clear();
    } else if (count_ > 0) {
      settle(draw(std::span(draws_).first(count_), limits_.clock_));
    }
    return std::move(verdict_);
  }

 private:
  void refuse_for_places(const Limit& limit) {
    const auto quota = limit.setting.concurrent;
    verdict_.refusal = {"Too many requests at once: " + limit.name + " allows " + std::to_string(quota) +
                            " in flight; try again when one has been answered",
                        {limit.name, true, quota, seconds(0), 0, until_one_ends}};
  }

  void settle(const RateDecision& decision) {
    if (decision.decisive == RateDecision::none) return;
    const auto& limit = *asked_[decision.decisive];
    const auto& size = limit.buckets->size();
    const auto wait = decision.is_admitted ? decision.full_after : decision.retry_after;
    LimitStanding standing{limit.name,         false,
                           size.burst(),       std::chrono::ceil<seconds>(nanoseconds(size.depth)),
                           decision.remaining, std::chrono::ceil<milliseconds>(wait)};
    if (decision.is_admitted) {
      verdict_.tightest = std::move(standing);
      return;
    }
    verdict_.places.clear();
    const auto* const what = &limit == &limits_.failures_ ? "refused credentials" : "requests";
    auto message = std::string("Too many ") + what + ": " + limit.name + " allows " + rate_text(*limit.setting.rate) +
                   "; try again in " + words_for(standing.reset);
    verdict_.refusal = {std::move(message), std::move(standing)};
  }

  const Limits& limits_;
  const Keys keys_;
  std::array<RateDraw, max_rate_draws> draws_;
  std::array<const Limit*, max_rate_draws> asked_;
  std::size_t count_ = 0;
  LimitVerdict verdict_;
};

std::uint64_t Limits::Keys::of(LimitScope scope) const {
  if (scope == LimitScope::all) return 0;
  return scope == LimitScope::principal ? principal : address;
}

Result<std::shared_ptr<const Limits>> Limits::create(const LimitSettings& settings, LimitClock clock,
                                                     const Limits* previous) {
  std::shared_ptr<Limits> limits(new Limits(settings, std::move(clock), previous));
  for (const auto& [name, component] : settings.components) {
    auto pattern = ComponentPattern::read(component.match);
    if (pattern.has_error()) return fail("the pattern of limits.component." + name + " " + pattern.error().message);
    auto limit = limits->make("limits.component." + name, component.per, component.limit, previous);
    limits->components_.push_back({std::move(limit), *std::move(pattern), component.roles});
    limits->any_ = true;
  }
  limits->share_keys();
  return std::shared_ptr<const Limits>(std::move(limits));
}

Limits::Limits(const LimitSettings& settings, LimitClock clock, const Limits* previous)
    : clock_(std::move(clock)), hash_(previous == nullptr ? KeyedHash::random() : previous->hash_) {
  const auto places = [&](const Limit Limits::*limit) {
    return previous == nullptr ? std::make_shared<Places>() : (previous->*limit).places;
  };
  const auto make_with_places = [&](const char* name, LimitScope scope, const LimitSetting& setting,
                                    const Limit Limits::*limit) {
    auto made = make(name, scope, setting, previous);
    made.places = places(limit);
    any_ = any_ || made.buckets != nullptr || setting.concurrent > 0;
    return made;
  };
  per_principal_ =
      make_with_places("limits.per_principal", LimitScope::principal, settings.per_principal, &Limits::per_principal_);
  per_address_ =
      make_with_places("limits.per_address", LimitScope::address, settings.per_address, &Limits::per_address_);
  all_ = make_with_places("limits.all", LimitScope::all, settings.all, &Limits::all_);
  failures_ = make("limits.failures", LimitScope::address, settings.failures, previous);
  any_ = any_ || failures_.buckets != nullptr;
}

LimitClock Limits::steady_clock() {
  return [] { return std::chrono::steady_clock::now().time_since_epoch(); };
}

Limits::Limit Limits::make(std::string name, LimitScope scope, const LimitSetting& setting,
                           const Limits* previous) const {
  Limit limit{std::move(name), scope, setting};
  if (!setting.rate) return limit;
  const auto size = BucketSize::of(*setting.rate, setting.burst == 0 ? setting.rate->count : setting.burst);
  const auto* const before = previous == nullptr ? nullptr : previous->find(limit.name);
  if (before != nullptr && before->scope == scope && before->buckets != nullptr && before->buckets->size() == size) {
    limit.buckets = before->buckets;
  } else {
    limit.buckets = std::make_shared<RateBuckets>(size, max_keys);
  }
  return limit;
}

const Limits::Limit* Limits::find(std::string_view name) const {
  for (const auto* limit : {&per_principal_, &per_address_, &all_, &failures_}) {
    if (limit->name == name) return limit;
  }
  const auto found =
      std::ranges::find(components_, name, [](const auto& each) -> std::string_view { return each.limit.name; });
  return found == components_.end() ? nullptr : &found->limit;
}

void Limits::share_keys() const {
  std::vector<RateBuckets*> with_keys;
  const auto add = [&](const Limit& limit) {
    if (limit.buckets != nullptr && limit.scope != LimitScope::all) with_keys.push_back(limit.buckets.get());
  };
  for (const auto* limit : {&per_principal_, &per_address_, &failures_})
    add(*limit);
  for (const auto& component : components_)
    add(component.limit);
  for (auto* buckets : with_keys)
    buckets->keep(max_keys / with_keys.size());
}

std::uint64_t Limits::key_of(std::string_view address) const {
  return hash_.of(address);
}

std::uint64_t Limits::key_of(const Principal& principal, std::uint64_t address) const {
  if (principal.is_anonymous()) return address;
  // Whichever program acts for it: where users may register programs, each would bring an allowance of its own.
  const auto& identity = principal.identity();
  return hash_.of(identity.subject, hash_.of(identity.issuer, 1));
}

LimitVerdict Limits::admit_from(std::string_view address) const {
  Draws draws(*this, {.address = key_of(address)});
  draws.add(failures_, RateDraw::Kind::need);
  draws.add(per_address_);
  return std::move(draws).decide();
}

void Limits::note_failure(std::string_view address) const {
  Draws draws(*this, {.address = key_of(address)});
  draws.add(failures_);
  std::move(draws).decide();
}

SenderLimits::SenderLimits(std::shared_ptr<const Limits> limits, const Principal& principal, std::string_view address)
    : limits_(std::move(limits)), principal_(principal) {
  keys_.address = limits_->key_of(address);
  keys_.principal = limits_->key_of(principal, keys_.address);
}

LimitVerdict SenderLimits::admit_request() const {
  Limits::Draws draws(*limits_, keys_);
  draws.add(limits_->per_address_, RateDraw::Kind::regard);
  draws.add(limits_->per_principal_);
  draws.add(limits_->all_);
  return std::move(draws).decide();
}

LimitVerdict SenderLimits::admit_further() const {
  Limits::Draws draws(*limits_, keys_);
  draws.add(limits_->per_address_);
  draws.add(limits_->per_principal_);
  draws.add(limits_->all_);
  return std::move(draws).decide();
}

LimitVerdict SenderLimits::admit_call(ComponentPattern::Kind kind, std::string_view name) const {
  Limits::Draws draws(*limits_, keys_);
  for (const auto& component : limits_->components_) {
    if (component.pattern.matches(kind, name) && has_role(component.roles)) draws.add(component.limit);
  }
  return std::move(draws).decide();
}

bool SenderLimits::has_role(const std::vector<std::string>& roles) const {
  if (roles.empty()) return true;
  const auto has = [&](std::string_view role) { return std::ranges::find(roles, role) != roles.end(); };
  if (principal_.is_anonymous()) return has(anonymous_role);
  return std::ranges::any_of(principal_.identity().roles, has);
}

}  // namespace mcph
