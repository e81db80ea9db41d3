// A regular expression of a schema (ECMA-262), compiled, and the room that searching takes. Pattern is immutable: any
// number of threads may search with one at once, each with a PatternSearch of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.hpp"

// PCRE2's own types, whose header few files need.
struct pcre2_real_code_8;
struct pcre2_real_match_context_8;
struct pcre2_real_match_data_8;

namespace mcph::schema {

class Pattern {
 public:
  // Bytes. Compiling takes time and memory in proportion.
  static constexpr std::size_t max_size = 8192;

  // The error says why `ecma` is not an expression that can be used. Refused although valid: a lookbehind whose
  // alternatives have no fixed length, and what PCRE2 finds too large.
  static Result<Pattern> compile(std::string_view ecma);

  // In bytes, which may be far more than the expression has: a group that is repeated is there as often.
  std::size_t memory() const;

 private:
  friend class PatternSearch;
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  Pattern(pcre2_real_code_8* code, std::size_t reach, std::size_t width, bool has_back_references)
      : code_(code), reach_(reach), width_(width), has_back_references_(has_back_references) {}

  std::unique_ptr<pcre2_real_code_8, Free> code_;
  std::size_t reach_;  // characters that one item may run along and then fail
  std::size_t width_;  // of its widest class: what a character may have to be compared with
  bool has_back_references_;
};

// Searches with patterns, one after the other, and counts the work. Belongs to one thread.
class PatternSearch {
 public:
  // Memory for places to go back to, beyond which a search gives up.
  static constexpr std::size_t max_memory = std::size_t{32} << 20;

  PatternSearch();

  enum class Outcome { found, absent, too_much_work, not_utf8 };
  // Whether the pattern matches anywhere in `text`. Every step of the matcher counts one, and every 16 bytes that it
  // runs along count another; where a class has many characters, both count for more. It stops when there have been
  // more than `max_steps`. An item that fails does not say how far it came: `a{9000}`, a back reference and a
  // lookbehind count each time as if they had come as far as they can.
  Outcome run(const Pattern& pattern, std::string_view text, std::size_t max_steps);

  // What the last run took.
  std::size_t steps() const { return work_.steps; }

 private:
  struct Work {
    std::size_t steps = 0;
    std::size_t most = 0;
    std::size_t position = 0;
    std::size_t reach = 0;
    std::size_t width = 0;
    bool has_back_references = false;
  };
  struct Free {
    void operator()(pcre2_real_match_context_8* context) const;
    void operator()(pcre2_real_match_data_8* data) const;
  };

  // Counted on the heap, because the match context keeps its address.
  Work work_;
  std::unique_ptr<pcre2_real_match_context_8, Free> context_;
  std::unique_ptr<pcre2_real_match_data_8, Free> data_;
};

}  // namespace mcph::schema
