#include "mock/pattern.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <new>
#include <stdexcept>

#include <mcp/plugin/error.hpp>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace plugins::mock {
namespace {

constexpr std::size_t max_expression = 4096;
// From one place of the text: some hundredths of a second. There are as many places as the text has characters, so that
// the time for all of them has a limit, too.
constexpr std::uint32_t max_steps = 1'000'000;
constexpr std::uint32_t max_kibibytes = 4096;
constexpr std::chrono::seconds max_time{1};

class TimeLimit {
 public:
  // Called before each item of the expression.
  static int look(pcre2_callout_block* /*where*/, void* limit) {
    auto& self = *static_cast<TimeLimit*>(limit);
    constexpr unsigned steps_between_looks = 4096;
    if (++self.steps_ % steps_between_looks != 0) return 0;
    return std::chrono::steady_clock::now() < self.end_ ? 0 : PCRE2_ERROR_MATCHLIMIT;
  }

 private:
  unsigned steps_ = 0;
  const std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + max_time;
};

struct FreeContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct FreeData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

std::string words(int error) {
  std::array<unsigned char, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

void Pattern::Free::operator()(pcre2_real_code_8* code) const {
  pcre2_code_free(code);
}

Pattern::Pattern(const std::string& expression) : expression_(expression) {
  if (expression.size() > max_expression) {
    throw std::invalid_argument("must be an expression of at most " + std::to_string(max_expression) + " bytes");
  }
  int error = 0;
  PCRE2_SIZE place = 0;
  code_.reset(pcre2_compile(units(expression), expression.size(),
                            PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT, &error, &place, nullptr));
  if (code_ == nullptr) {
    throw std::invalid_argument("must be a regular expression: " + words(error) + " at byte " +
                                std::to_string(place + 1) + " of \"" + expression + '"');
  }
}

bool Pattern::is_found_in(std::string_view text) const {
  const std::unique_ptr<pcre2_match_context, FreeContext> context(pcre2_match_context_create(nullptr));
  const std::unique_ptr<pcre2_match_data, FreeData> data(pcre2_match_data_create(1, nullptr));
  if (!context || !data) throw std::bad_alloc();
  pcre2_set_match_limit(context.get(), max_steps);
  pcre2_set_depth_limit(context.get(), max_steps);
  pcre2_set_heap_limit(context.get(), max_kibibytes);
  TimeLimit limit;
  pcre2_set_callout(context.get(), &TimeLimit::look, &limit);
  const int found = pcre2_match(code_.get(), units(text), text.size(), 0, 0, data.get(), context.get());
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  throw mcp::ToolError("The expression \"" + expression_ + "\" cannot be looked for in this text: " + words(found) +
                       '.');
}

}  // namespace plugins::mock
