#include "base/similar_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace mcph {
namespace {

// Levenshtein's: letters to be added, dropped or exchanged.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({exchanged, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string similar_name(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t similar = 3;
  std::string nearest;
  auto nearest_distance = std::min(similar, name.size());  // something of it is the same
  for (const auto& known : names) {
    if (const auto far = distance(name, known); far < nearest_distance) {
      nearest = known;
      nearest_distance = far;
    }
  }
  return nearest;
}

}  // namespace mcph
