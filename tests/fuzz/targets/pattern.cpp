// A regular expression and, after the first line break, a text to search, which may be a time.
#include "schema/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/date_time.hpp"
#include "expect.hpp"

using mcph::fuzz::expect;
using mcph::schema::Pattern;
using mcph::schema::PatternSearch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t max_steps = 200'000;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(input.find('\n'), input.size());
  const auto text = input.substr(std::min(end + 1, input.size()));

  const auto pattern = Pattern::compile(input.substr(0, end));
  if (pattern) {
    PatternSearch search;
    const auto outcome = search.run(*pattern, text, max_steps);
    expect(search.run(*pattern, text, max_steps) == outcome);
    expect(outcome == PatternSearch::Outcome::too_much_work || search.steps() <= max_steps);
  } else {
    expect(!pattern.error().message.empty());
  }

  mcph::is_date_time(std::string(text));
  return 0;
}
