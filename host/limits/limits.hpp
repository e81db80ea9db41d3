// How often and how many at once requests are admitted, by the limits of one configuration. Made when that is read;
// shared by the requests that it is asked about, for it may be replaced meanwhile. The next one goes on with the
// buckets of those limits that have not changed, and with all places. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/component_pattern.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "limits/keyed_hash.hpp"
#include "limits/places.hpp"
#include "limits/rate_buckets.hpp"
#include "limits/settings.hpp"
#include "limits/standing.hpp"

namespace mcph {

// A request that is not admitted. Once `standing.reset` is over it is so by this limit, unless somebody else has taken
// what it needs; of requests in flight nobody knows when one ends, and it is a second.
struct LimitRefusal {
  std::string message;
  LimitStanding standing;
};

struct LimitVerdict {
  std::optional<LimitRefusal> refusal = {};
  std::optional<LimitStanding> tightest = {};  // of an admission
  std::vector<Place> places = {};              // to be held until the request has been answered
};

class Limits {
 public:
  // Of all limits together.
  static constexpr std::size_t max_keys = 1'000'000;

  // `previous` is null at first. Fails where a pattern of components is none.
  static Result<std::shared_ptr<const Limits>> create(const LimitSettings& settings, LimitClock clock,
                                                      const Limits* previous = nullptr);

  // The process's own clock.
  static LimitClock steady_clock();

  // There are any.
  bool any() const { return any_; }

  // A request from there, before anybody knows whose it is. `address` is what its kind counts by.
  LimitVerdict admit_from(std::string_view address) const;
  // The credential of such a request has been refused.
  void note_failure(std::string_view address) const;

 private:
  friend class SenderLimits;

  struct Limit {
    std::string name;
    LimitScope scope = LimitScope::all;
    LimitSetting setting = {};
    std::shared_ptr<RateBuckets> buckets = nullptr;  // null: any rate
    std::shared_ptr<Places> places = nullptr;        // null: it never counts those in flight
  };
  struct ComponentLimit {
    Limit limit;
    ComponentPattern pattern;
    std::vector<std::string> roles;
  };
  // By which its requests are counted.
  struct Keys {
    std::uint64_t of(LimitScope scope) const;
    std::uint64_t principal = 0;
    std::uint64_t address = 0;
  };
  class Draws;

  Limits(const LimitSettings& settings, LimitClock clock, const Limits* previous);
  Limit make(std::string name, LimitScope scope, const LimitSetting& setting, const Limits* previous) const;
  const Limit* find(std::string_view name) const;
  void share_keys() const;
  std::uint64_t key_of(std::string_view address) const;
  std::uint64_t key_of(const Principal& principal, std::uint64_t address) const;

  const LimitClock clock_;
  const KeyedHash hash_;
  Limit per_principal_;
  Limit per_address_;
  Limit all_;
  Limit failures_;
  std::vector<ComponentLimit> components_;
  bool any_ = false;
};

// The limits as they are for the requests of one sender. A value; any thread.
class SenderLimits {
 public:
  SenderLimits(std::shared_ptr<const Limits> limits, const Principal& principal, std::string_view address);

  // A request that has been admitted by its address.
  LimitVerdict admit_request() const;
  // Another message that such a request brings.
  LimitVerdict admit_further() const;
  // A call of a component, which a request that has been admitted asks for. `name` as ComponentPattern has it.
  LimitVerdict admit_call(ComponentPattern::Kind kind, std::string_view name) const;

 private:
  bool has_role(const std::vector<std::string>& roles) const;

  std::shared_ptr<const Limits> limits_;
  Principal principal_;
  Limits::Keys keys_;
};

}  // namespace mcph
