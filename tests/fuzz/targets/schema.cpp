// A JSON Schema and, after the first line break, an instance.
#include "schema/schema.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "expect.hpp"

using mcph::fuzz::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(input.find('\n'), input.size());
  const auto json = mcph::parse_ordered_json(input.substr(0, end));
  if (!json) return 0;
  const auto schema = mcph::Schema::compile(*json);
  if (!schema) {
    expect(!schema.error().message.empty());
    return 0;
  }
  auto instance = mcph::parse_json(input.substr(std::min(end + 1, input.size())));
  if (!instance) return 0;
  const auto violation = schema->validate(*instance);
  if (violation) {
    expect(!violation->message.empty());
    expect(violation->path.empty() || violation->path.front() == '/');
    return 0;
  }
  const auto before = mcph::dump(*instance).size();
  const auto too_much = schema->apply_defaults(*instance);
  expect(too_much || mcph::dump(*instance).size() <= before + mcph::Schema::max_defaults_size);
  return 0;
}
