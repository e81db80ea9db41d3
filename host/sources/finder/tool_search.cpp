#include "sources/finder/tool_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sources/finder/search_terms.hpp"

namespace mcph {
namespace {

// Of a question; the rest does not count.
constexpr std::size_t max_question = std::size_t{4} << 10;
// Views whose rows are kept.
constexpr std::size_t max_searched = 64;

// BM25's: how little it counts that a word occurs again, how much that a tool has many words, and how many it has in
// the middle. The last is no average of what there is, because that would tell of tools that are hidden.
constexpr float k1 = 1.2F;
constexpr float b = 0.4F;
constexpr float middle_length = 40;

constexpr auto hidden = std::numeric_limits<std::uint32_t>::max();

std::vector<std::uint32_t> terms_of_question(std::string_view query) {
  std::vector<std::uint32_t> wanted;
  for (const auto& term : search_terms(query.substr(0, max_question))) {
    const auto number = term_number(term);
    if (std::ranges::find(wanted, number) == wanted.end()) wanted.push_back(number);
    if (wanted.size() == ToolSearch::max_query_terms) break;
  }
  return wanted;
}

// The rows with the most, at most so many.
std::vector<std::size_t> best_of(const std::vector<float>& scores, std::size_t limit) {
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (scores[row] > 0) found.push_back(row);
  }
  const auto count = std::min(limit, found.size());
  // Of equal ones the first by name, as they stand in the view.
  const auto is_better = [&scores](std::size_t one, std::size_t other) {
    return scores[one] != scores[other] ? scores[one] > scores[other] : one < other;
  };
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(), is_better);
  found.resize(count);
  return found;
}

}  // namespace

struct ToolSearch::Rows {
  Rows(const Catalog& view, std::shared_ptr<const ToolIndex> words)
      : index(std::move(words)), row_of(index->tool_count(), hidden) {
    for (const auto& [name, served] : view.served_tools()) {
      const auto number = index->number_of(*served.component);
      if (!number || name == find_tools_name) continue;
      row_of[*number] = static_cast<std::uint32_t>(tools.size());
      tools.push_back(served.component);
    }
  }

  void add_scores(std::uint32_t term, std::vector<float>& scores) const {
    const auto postings = index->having(term);
    const auto having =
        std::ranges::count_if(postings, [this](const auto& posting) { return row_of[posting.tool] != hidden; });
    const auto all = static_cast<float>(tools.size());
    const auto with = static_cast<float>(having);
    const auto rarity = std::log(1 + (all - with + 0.5F) / (with + 0.5F));
    for (const auto& [tool, weight] : postings) {
      const auto row = row_of[tool];
      if (row == hidden) continue;
      const auto saturation = weight + k1 * (1 - b + b * index->length(tool) / middle_length);
      scores[row] += rarity * weight * (k1 + 1) / saturation;
    }
  }

  std::shared_ptr<const ToolIndex> index;
  std::vector<std::uint32_t> row_of;  // by the tool's number in the index
  std::vector<const Tool*> tools;     // by their names
};

std::shared_ptr<const ToolSearch::Rows> ToolSearch::rows_of(const std::shared_ptr<const Catalog>& view) {
  const MutexLock lock(mutex_);
  std::erase_if(searched_, [](const SearchedView& each) { return each.view.expired(); });
  for (const auto& each : searched_) {
    if (each.view.lock() == view) return each.rows;
  }
  auto index = index_;
  if (index == nullptr || index->generation() != view->generation())
    index = std::make_shared<const ToolIndex>(*view, index_.get());
  // A request that began before the last change may still see what was there.
  if (index_ == nullptr || index_->generation() < index->generation()) index_ = index;
  auto rows = std::make_shared<const Rows>(*view, std::move(index));
  if (searched_.size() >= max_searched) searched_.erase(searched_.begin());
  searched_.push_back({view, rows});
  return rows;
}

std::vector<const Tool*> ToolSearch::search(const std::shared_ptr<const Catalog>& view, std::string_view query,
                                            std::size_t limit) {
  const auto rows = rows_of(view);
  std::vector<float> scores(rows->tools.size(), 0);
  for (const auto term : terms_of_question(query))
    rows->add_scores(term, scores);
  std::vector<const Tool*> best;
  for (const auto row : best_of(scores, limit))
    best.push_back(rows->tools[row]);
  return best;
}

}  // namespace mcph
