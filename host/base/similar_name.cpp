#include "base/similar_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace mcph {
namespace {

// Damerau's and Levenshtein's: letters to be added, dropped or exchanged, and neighbours that have changed places.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto exchanged = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({exchanged, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(above, std::move(row));
  }
  return above.back();
}

}  // namespace

std::string similar_name(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t short_name = 4;
  const std::size_t too_far = name.size() > short_name ? 3 : 2;
  std::string nearest;
  auto nearest_distance = std::min(too_far, name.size());  // something of it is the same
  for (const auto& known : names) {
    if (const auto far = distance(name, known); far < nearest_distance) {
      nearest = known;
      nearest_distance = far;
    }
  }
  return nearest;
}

}  // namespace mcph
