#include "sources/finder/tool_index.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>

#include "base/json.hpp"
#include "base/json_text.hpp"
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

constexpr auto gone = std::numeric_limits<std::uint32_t>::max();

std::string_view text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  return std::string_view(found->get_ref<const std::string&>()).substr(0, max_text);
}

// Those of one tool, by their numbers, with what they count for.
class ToolWords {
 public:
  struct Word {
    std::uint32_t number;
    float weight;
  };

  explicit ToolWords(const Tool& tool) {
    add(tool.name, in_name);
    const auto json = read_json(tool.json);
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

  const std::vector<Word>& all() const { return words_; }

 private:
  void add(std::string_view text, float weight) {
    for (const auto& term : search_terms(text)) {
      const auto number = term_number(term);
      const auto place = std::ranges::lower_bound(words_, number, {}, &Word::number);
      if (place != words_.end() && place->number == number) {
        place->weight += weight;
      } else if (words_.size() < ToolIndex::max_tool_terms) {
        words_.insert(place, {number, weight});
      }
    }
  }

  std::vector<Word> words_;  // in the order of their numbers
};

}  // namespace

ToolIndex::ToolIndex(const Catalog& catalog, const ToolIndex* known) : generation_(catalog.generation()) {
  std::vector<std::uint32_t> renumbered(known == nullptr ? 0 : known->tool_count(), gone);
  std::vector<const Components*> unknown;
  std::uint32_t count = 0;
  for (const auto& [plugin, components] : catalog.plugins()) {
    if (components->tools.empty()) continue;
    const Numbers numbers{count, static_cast<std::uint32_t>(components->tools.size()), components};
    if (!plugins_.emplace(components->tools.data(), numbers).second) continue;
    if (const auto* const theirs = known == nullptr ? nullptr : known->numbers_of(components)) {
      for (std::uint32_t i = 0; i < theirs->count; ++i)
        renumbered[theirs->begin + i] = count + i;
    } else {
      unknown.push_back(components.get());
    }
    count += numbers.count;
  }
  lengths_.resize(count);

  const auto before = [](const Entry& one, const Entry& other) {
    return std::tie(one.term, one.posting.tool) < std::tie(other.term, other.posting.tool);
  };
  std::vector<Entry> entries;
  if (known != nullptr) add_known(*known, renumbered, entries);
  // They are in order unless the plugins have changed theirs.
  if (!std::ranges::is_sorted(entries, before)) std::ranges::sort(entries, before);
  const auto middle = static_cast<std::ptrdiff_t>(entries.size());
  for (const auto* const components : unknown)
    add_new(*components, entries);
  std::ranges::sort(entries.begin() + middle, entries.end(), before);
  std::ranges::inplace_merge(entries, entries.begin() + middle, before);
  store(entries);
}

const ToolIndex::Numbers* ToolIndex::numbers_of(const std::shared_ptr<const Components>& components) const {
  const auto found = plugins_.find(components->tools.data());
  return found != plugins_.end() && found->second.owner.lock() == components ? &found->second : nullptr;
}

void ToolIndex::add_new(const Components& components, std::vector<Entry>& entries) {
  auto number = plugins_.find(components.tools.data())->second.begin;
  for (const auto& tool : components.tools) {
    const ToolWords words(tool);
    for (const auto& word : words.all()) {
      entries.push_back({word.number, {number, word.weight}});
      lengths_[number] += word.weight;
    }
    ++number;
  }
}

void ToolIndex::add_known(const ToolIndex& known, const std::vector<std::uint32_t>& renumbered,
                          std::vector<Entry>& entries) {
  entries.reserve(known.postings_.size());
  for (std::size_t i = 0; i + 1 < known.terms_.size(); ++i) {
    for (auto each = known.terms_[i].begin; each < known.terms_[i + 1].begin; ++each) {
      const auto [tool, weight] = known.postings_[each];
      if (renumbered[tool] != gone) entries.push_back({known.terms_[i].number, {renumbered[tool], weight}});
    }
  }
  for (std::size_t tool = 0; tool < renumbered.size(); ++tool) {
    if (renumbered[tool] != gone) lengths_[renumbered[tool]] = known.lengths_[tool];
  }
}

void ToolIndex::store(const std::vector<Entry>& sorted) {
  postings_.reserve(sorted.size());
  for (const auto& [term, posting] : sorted) {
    const auto begin = static_cast<std::uint32_t>(postings_.size());
    if (terms_.empty() || terms_.back().number != term) terms_.push_back({term, begin});
    postings_.push_back(posting);
  }
  terms_.push_back({0, static_cast<std::uint32_t>(postings_.size())});
  terms_.shrink_to_fit();
}

std::optional<std::uint32_t> ToolIndex::number_of(const Tool& tool) const {
  const auto after = plugins_.upper_bound(&tool);
  if (after == plugins_.begin()) return {};
  const auto& [first, numbers] = *std::prev(after);
  const auto place = static_cast<std::size_t>(&tool - first);
  if (place >= numbers.count) return {};
  return numbers.begin + static_cast<std::uint32_t>(place);
}

std::span<const ToolIndex::Posting> ToolIndex::having(std::uint32_t term) const {
  const std::span terms(terms_.data(), terms_.size() - 1);
  const auto found = std::ranges::lower_bound(terms, term, {}, &Term::number);
  if (found == terms.end() || found->number != term) return {};
  const auto begin = found->begin;
  const auto end = terms_[static_cast<std::size_t>(found - terms.begin()) + 1].begin;
  return std::span(postings_).subspan(begin, end - begin);
}

}  // namespace mcph
