#include "catalog/schema_pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <array>
#include <new>
#include <pcre2.h>
#include <string>

#include "catalog/ecma_pattern.hpp"

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
  return Pattern(code);
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
  work_ = {text.size() / bytes_a_step, max_steps, 0};
  const auto count = [](pcre2_callout_block* block, void* data) {
    auto& work = *static_cast<Work*>(data);
    const auto from = work.position;
    work.position = block->current_position;
    const auto distance = work.position > from ? work.position - from : from - work.position;
    work.steps += 1 + distance / bytes_a_step;
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
