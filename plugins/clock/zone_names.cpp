#include "clock/zone_names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "shared/text.hpp"

namespace plugins::clock {
namespace {

constexpr std::size_t max_name = 64;
constexpr std::size_t max_suggestions = 5;
constexpr std::size_t unlike = 100;

// As the database would write it, in lower case: "New York" is new_york.
std::string normal(std::string_view text) {
  std::string name = lower_case(text.substr(0, max_name));
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string_view last_word(std::string_view name) {
  return name.substr(name.rfind('/') + 1);  // npos + 1 is 0
}

// How many characters must be inserted, removed or replaced (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The smaller, the more alike.
std::size_t difference(std::string_view meant, std::string_view name) {
  if (meant == name) return 0;
  const std::string_view meant_word = last_word(meant);
  const std::string_view word = last_word(name);
  if (meant_word == word) return 1;
  const std::size_t distance = std::min(edit_distance(meant, name), edit_distance(meant_word, word));
  if (distance <= std::max<std::size_t>(1, meant_word.size() / 3)) return 1 + distance;
  const bool is_part = meant_word.size() >= 3 && name.find(meant_word) != std::string_view::npos;
  return is_part ? 10 : unlike;
}

}  // namespace

bool is_zone_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+' ||
           c == '-' || c == '/';
  };
  return !text.empty() && text.size() <= max_name && std::all_of(text.begin(), text.end(), allowed) &&
         !text.starts_with('/') && !text.ends_with('/') && text.find("//") == std::string_view::npos;
}

std::vector<std::string> similar_names(std::string_view meant, const std::vector<std::string>& names) {
  const std::string wanted = normal(meant);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : names) {
    const std::size_t how_unlike = difference(wanted, normal(name));
    if (how_unlike < unlike) ranked.emplace_back(how_unlike, name);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > max_suggestions) ranked.resize(max_suggestions);
  std::vector<std::string> similar;
  similar.reserve(ranked.size());
  for (auto& [how_unlike, name] : ranked)
    similar.push_back(std::move(name));
  return similar;
}

}  // namespace plugins::clock
