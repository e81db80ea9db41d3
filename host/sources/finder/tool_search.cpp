#include "sources/finder/tool_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/json.hpp"
#include "sources/finder/search_terms.hpp"

namespace mcph {
namespace {

// What a word counts for by where it stands.
constexpr float in_name = 4;
constexpr float in_title = 2;
constexpr float in_description = 1;
constexpr float in_parameter_name = 0.5F;
constexpr float in_parameter_description = 0.25F;

// Of one text; the rest does not count.
constexpr std::size_t max_text = std::size_t{4} << 10;
constexpr std::size_t max_parameters = 128;
// Views whose rows are kept.
constexpr std::size_t max_searched = 64;

// BM25's: how little it counts that a word occurs again, how much that a tool has many words, and how many it has in
// the middle. The last is no average of what there is, because that would tell of tools that are hidden.
constexpr float k1 = 1.2F;
constexpr float b = 0.4F;
constexpr float middle_length = 40;

std::string_view text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  return std::string_view(found->get_ref<const std::string&>()).substr(0, max_text);
}

// Those of one tool, by their numbers, with what they count for.
class ToolWords {
 public:
  explicit ToolWords(const Tool& tool) {
    add(tool.name, in_name);
    const auto json = Json::parse(tool.json, nullptr, false);
    if (!json.is_object()) return;
    add(text_in(json, "title"), in_title);
    add(text_in(json, "description"), in_description);
    const auto schema = json.find("inputSchema");
    if (schema == json.end() || !schema->is_object()) return;
    const auto properties = schema->find("properties");
    if (properties == schema->end() || !properties->is_object()) return;
    std::size_t left = max_parameters;
    for (const auto& [name, property] : properties->items()) {
      if (left-- == 0) break;
      add(name, in_parameter_name);
      if (property.is_object()) add(text_in(property, "description"), in_parameter_description);
    }
  }

  const std::map<std::uint32_t, float>& all() const { return weights_; }

 private:
  void add(std::string_view text, float weight) {
    for (const auto& term : search_terms(text)) {
      const auto number = term_number(term);
      if (weights_.size() >= ToolSearch::max_tool_terms && !weights_.contains(number)) continue;
      weights_[number] += weight;
    }
  }

  std::map<std::uint32_t, float> weights_;
};

}  // namespace

// The words of all tools that are served, in one piece of memory because a search goes through all of it.
class ToolSearch::Words {
 public:
  // `previous` has those of the plugins that have stayed; null: of none.
  Words(const Catalog& catalog, const Words* previous) : generation_(catalog.generation()) {
    for (const auto& [plugin, components] : catalog.plugins()) {
      plugins_.emplace(components.get(), components);
      const bool stays = previous != nullptr && previous->has(components);
      for (const auto& tool : components->tools)
        add(tool, stays ? previous->find(tool) : nullptr, previous);
    }
  }

  std::uint64_t generation() const { return generation_; }
  // Null: it is of another generation.
  const WordRange* find(const Tool& tool) const {
    const auto found = by_tool_.find(&tool);
    return found == by_tool_.end() ? nullptr : &found->second;
  }
  const Word* words() const { return words_.data(); }

 private:
  bool has(const std::shared_ptr<const Components>& components) const {
    const auto found = plugins_.find(components.get());
    return found != plugins_.end() && found->second.lock() == components;
  }

  void add(const Tool& tool, const WordRange* known, const Words* previous) {
    WordRange range{.begin = words_.size()};
    if (known != nullptr) {
      const auto* const first = previous->words() + known->begin;
      words_.insert(words_.end(), first, first + known->count);
    } else {
      const ToolWords of_tool(tool);
      for (const auto& [number, weight] : of_tool.all())
        words_.push_back({number, weight});
    }
    range.count = words_.size() - range.begin;
    for (auto i = range.begin; i < words_.size(); ++i)
      range.length += words_[i].weight;
    by_tool_.emplace(&tool, range);
  }

  const std::uint64_t generation_;
  std::map<const Components*, std::weak_ptr<const Components>> plugins_;
  std::vector<Word> words_;
  std::unordered_map<const Tool*, WordRange> by_tool_;
};

// The tools of a view.
struct ToolSearch::Rows {
  struct Row {
    const Tool* tool;
    WordRange range;
  };

  // 0: it does not have it.
  float weight_in(const Row& row, std::uint32_t number) const {
    const auto* const first = words->words() + row.range.begin;
    const auto* const last = first + row.range.count;
    const auto* const found = std::lower_bound(
        first, last, number, [](const Word& word, std::uint32_t wanted) { return word.number < wanted; });
    return found != last && found->number == number ? found->weight : 0;
  }

  std::shared_ptr<const Words> words;
  std::vector<Row> all = {};
};

std::shared_ptr<const ToolSearch::Rows> ToolSearch::rows_of(const std::shared_ptr<const Catalog>& view) {
  const MutexLock lock(mutex_);
  std::erase_if(searched_, [](const SearchedView& each) { return each.view.expired(); });
  for (const auto& each : searched_) {
    if (each.view.lock() == view) return each.rows;
  }
  // A request that began before the last change may still see what was there.
  if (words_ == nullptr || words_->generation() < view->generation())
    words_ = std::make_shared<const Words>(*view, words_.get());
  const auto words =
      words_->generation() == view->generation() ? words_ : std::make_shared<const Words>(*view, nullptr);
  auto rows = std::make_shared<Rows>(Rows{words});
  for (const auto& [name, served] : view->served_tools()) {
    const auto* const range = words->find(*served.component);
    if (range != nullptr && name != find_tools_name) rows->all.push_back({served.component, *range});
  }
  if (searched_.size() >= max_searched) searched_.erase(searched_.begin());
  searched_.push_back({view, rows});
  return rows;
}

std::vector<const Tool*> ToolSearch::search(const std::shared_ptr<const Catalog>& view, std::string_view query,
                                            std::size_t limit) {
  std::vector<std::uint32_t> wanted;
  for (const auto& term : search_terms(query.substr(0, max_text))) {
    const auto number = term_number(term);
    if (std::ranges::find(wanted, number) == wanted.end()) wanted.push_back(number);
    if (wanted.size() == max_query_terms) break;
  }
  const auto rows = rows_of(view);

  std::vector<float> scores(rows->all.size(), 0);
  std::vector<std::pair<std::size_t, float>> having;
  for (const auto number : wanted) {
    having.clear();
    for (std::size_t i = 0; i < rows->all.size(); ++i) {
      if (const auto weight = rows->weight_in(rows->all[i], number); weight > 0) having.emplace_back(i, weight);
    }
    const auto all = static_cast<float>(rows->all.size());
    const auto with = static_cast<float>(having.size());
    const auto rarity = std::log(1 + (all - with + 0.5F) / (with + 0.5F));
    for (const auto& [i, weight] : having) {
      const auto saturation = weight + k1 * (1 - b + b * rows->all[i].range.length / middle_length);
      scores[i] += rarity * weight * (k1 + 1) / saturation;
    }
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > 0) found.push_back(i);
  }
  const auto count = std::min(limit, found.size());
  // Of equal ones the first by name, as they stand in the view.
  const auto is_better = [&scores](std::size_t one, std::size_t other) {
    return scores[one] != scores[other] ? scores[one] > scores[other] : one < other;
  };
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(), is_better);
  std::vector<const Tool*> best;
  for (std::size_t i = 0; i < count; ++i)
    best.push_back(rows->all[found[i]].tool);
  return best;
}

}  // namespace mcph
