// Which tools of a catalog have a word, and what it counts for there: an inverted index, so that a search looks at no
// tool that has none of its words. Made at once and then only read; any thread. The tools of all plugins are in it,
// also those that some views hide: who searches leaves them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "catalog/catalog.hpp"

namespace mcph {

class ToolIndex {
 public:
  // Of a tool: further words do not count. In memory, 8 bytes each.
  static constexpr std::size_t max_tool_terms = 256;

  // Tools have numbers from 0 on.
  struct Posting {
    std::uint32_t tool;
    float weight;
  };

  // `known` is another one, which need not be older, and has the tools of the plugins that are in both; null: none.
  ToolIndex(const Catalog& catalog, const ToolIndex* known);

  std::uint64_t generation() const { return generation_; }
  std::size_t tool_count() const { return lengths_.size(); }
  // Nothing: it is of another generation.
  std::optional<std::uint32_t> number_of(const Tool& tool) const;
  // The weights of all its words.
  float length(std::uint32_t tool) const { return lengths_[tool]; }
  // By the term's number; in the order of the tools' numbers.
  std::span<const Posting> having(std::uint32_t term) const;

 private:
  struct Entry {
    std::uint32_t term;
    Posting posting;
  };
  // The postings of a term end where those of the next begin.
  struct Term {
    std::uint32_t number;
    std::uint32_t begin;
  };
  struct Numbers {
    std::uint32_t begin;
    std::uint32_t count;
    std::weak_ptr<const Components> owner;
  };

  // Null: it has none of these.
  const Numbers* numbers_of(const std::shared_ptr<const Components>& components) const;
  void add_new(const Components& components, std::vector<Entry>& entries);
  // By the numbers that the other one has given.
  void add_known(const ToolIndex& known, const std::vector<std::uint32_t>& renumbered, std::vector<Entry>& entries);
  void store(const std::vector<Entry>& sorted);

  const std::uint64_t generation_;
  std::map<const Tool*, Numbers, std::less<>> plugins_;  // by the first tool of each
  std::vector<float> lengths_;
  std::vector<Term> terms_;  // in the order of their numbers, and one that ends them
  std::vector<Posting> postings_;
};

}  // namespace mcph
