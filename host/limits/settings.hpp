// What an operator says of limits. Values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "limits/rate.hpp"

namespace mcph {

// At least one of rate and concurrent is there, or the limit is none.
struct LimitSetting {
  static constexpr std::uint64_t max_number = 1'000'000;

  std::optional<Rate> rate = {};
  std::uint64_t burst = 0;       // at once, to max_number; 0: as many as the rate's count
  std::uint64_t concurrent = 0;  // requests in flight, to max_number; 0: any number
};

// Whose requests count together: those of a principal, or of an address of those who have proven nothing; those of an
// address; all.
enum class LimitScope { principal, address, all };

struct ComponentLimitSetting {
  std::string match = {};  // ComponentPattern
  LimitScope per = LimitScope::principal;
  LimitSetting limit = {};              // without concurrent
  std::vector<std::string> roles = {};  // of the callers that it is for; empty: of all
};

struct LimitSettings {
  static constexpr std::size_t max_components = 32;

  LimitSetting per_principal = {};
  LimitSetting per_address = {};
  LimitSetting all = {};
  LimitSetting failures = {};  // requests of an address whose credential is refused; without concurrent
  std::map<std::string, ComponentLimitSetting> components = {};
};

}  // namespace mcph
