#include "schema/pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <new>
#include <pcre2.h>
#include <string>

#include "schema/ecma_pattern.hpp"

namespace mcph::schema {
namespace {

constexpr std::size_t bytes_a_step = 16;

std::string message_of(int code) {
  std::array<unsigned char, 256> text{};
  const int size = pcre2_get_error_message(code, text.data(), text.size());
  return size < 0 ? "PCRE2 error " + std::to_string(code) : std::string(text.begin(), text.begin() + size);
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// The largest n of `{n}` and `{n,m}` in an expression of to_pcre.
std::size_t largest_minimum(std::string_view pcre) {
  constexpr std::string_view escapes_with_braces = "xpPg";
  std::size_t largest = 0;
  for (std::size_t at = 0; at < pcre.size(); ++at) {
    if (pcre[at] == '\\') {
      ++at;
      const bool has_braces = pcre.substr(at + 1).starts_with('{') && escapes_with_braces.find(pcre[at]) != pcre.npos;
      if (has_braces) at = std::min(pcre.find('}', at), pcre.size());
    } else if (pcre[at] == '{') {
      std::size_t minimum = 0;
      std::from_chars(pcre.data() + at + 1, pcre.data() + pcre.size(), minimum);
      largest = std::max(largest, minimum);
    }
  }
  return largest;
}

// The most single characters, ranges and properties that a class of an expression of to_pcre has. PCRE2 compares a
// character with one after the other; only those to U+00FF it finds in a bitmap.
std::size_t widest_class(std::string_view pcre) {
  constexpr std::size_t digits_in_bitmap = 2;
  std::size_t widest = 0;
  std::size_t entries = 0;
  for (std::size_t at = 0; at < pcre.size(); ++at) {
    if (pcre[at] == '[') entries = 0;
    if (pcre[at] == ']') widest = std::max(widest, entries);
    if (pcre[at] != '\\') continue;
    ++at;
    if (pcre[at] == 'p' || pcre[at] == 'P') ++entries;
    if (pcre[at] != 'x') continue;
    const auto end = pcre.find('}', at);
    const auto digits = end - at - std::string_view("x{").size();
    const bool begins_range = pcre.substr(end + 1).starts_with('-');
    if (digits > digits_in_bitmap && !begins_range) ++entries;
  }
  return widest;
}

// Of an item that runs along so many bytes with a class of this width. Sixteen comparisons are a step, too, and sixteen
// bytes are some four characters that the bitmap does not have.
std::size_t steps_along(std::size_t length, std::size_t width) {
  constexpr std::size_t bytes_a_character = 4;
  return (width + length * (1 + width / bytes_a_character)) / bytes_a_step;
}

std::uint32_t info(const pcre2_code* code, std::uint32_t what) {
  std::uint32_t value = 0;
  pcre2_pattern_info(code, what, &value);
  return value;
}

std::size_t max_capture(const pcre2_callout_block& block) {
  std::size_t longest = 0;
  for (std::size_t group = 1; group < block.capture_top; ++group) {
    const auto begin = block.offset_vector[2 * group];
    const auto end = block.offset_vector[2 * group + 1];
    if (begin != PCRE2_UNSET && end > begin) longest = std::max(longest, end - begin);
  }
  return longest;
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view ecma) {
  if (ecma.size() > max_size) return fail("it is longer than " + std::to_string(max_size) + " bytes");
  const auto pattern = to_pcre(ecma);
  if (!pattern) return pattern.error();
  // The callouts, one before each item, are what counts the work.
  constexpr auto options = PCRE2_UTF | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;
  int error = 0;
  std::size_t offset = 0;
  auto* code = pcre2_compile(bytes(*pattern), pattern->size(), options, &error, &offset, nullptr);
  if (code == nullptr) return fail(message_of(error));
  const std::size_t lookbehind = info(code, PCRE2_INFO_MAXLOOKBEHIND);
  return Pattern(code, std::max(largest_minimum(*pattern), lookbehind), widest_class(*pattern),
                 info(code, PCRE2_INFO_BACKREFMAX) > 0);
}

std::size_t Pattern::memory() const {
  std::size_t size = 0;
  pcre2_pattern_info(code_.get(), PCRE2_INFO_SIZE, &size);
  return size;
}

void Pattern::Free::operator()(pcre2_real_code_8* code) const {
  pcre2_code_free(code);
}

void PatternSearch::Free::operator()(pcre2_real_match_context_8* context) const {
  pcre2_match_context_free(context);
}

void PatternSearch::Free::operator()(pcre2_real_match_data_8* data) const {
  pcre2_match_data_free(data);
}

PatternSearch::PatternSearch()
    : context_(pcre2_match_context_create(nullptr)), data_(pcre2_match_data_create(1, nullptr)) {
  if (!context_ || !data_) throw std::bad_alloc();
  constexpr std::size_t kibibyte = 1024;
  pcre2_set_heap_limit(context_.get(), max_memory / kibibyte);
}

PatternSearch::Outcome PatternSearch::run(const Pattern& pattern, std::string_view text, std::size_t max_steps) {
  // An item may run along all of the text before anybody is asked whether that is too much.
  work_ = {steps_along(text.size(), pattern.width_), max_steps,      0,
           std::min(pattern.reach_, text.size()),    pattern.width_, pattern.has_back_references_};
  if (work_.steps > max_steps) return Outcome::too_much_work;
  const auto count = [](pcre2_callout_block* block, void* data) {
    auto& work = *static_cast<Work*>(data);
    const auto from = work.position;
    work.position = block->current_position;
    const auto distance = work.position > from ? work.position - from : from - work.position;
    work.steps += 1 + steps_along(distance + work.reach, work.width);
    if (work.has_back_references) work.steps += (block->capture_top + max_capture(*block)) / bytes_a_step;
    return work.steps > work.most ? PCRE2_ERROR_CALLOUT : 0;
  };
  pcre2_set_callout(context_.get(), count, &work_);
  const int result = pcre2_match(pattern.code_.get(), bytes(text), text.size(), 0, 0, data_.get(), context_.get());
  if (result >= 0) return Outcome::found;
  if (result == PCRE2_ERROR_NOMATCH) return Outcome::absent;
  // The codes of invalid UTF-8 are a range.
  return result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21 ? Outcome::not_utf8
                                                                             : Outcome::too_much_work;
}

}  // namespace mcph::schema
