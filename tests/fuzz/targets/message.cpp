// JSON text as a client sends it, and the message in it.
#include "protocol/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/json_text.hpp"
#include "expect.hpp"

using mcph::fuzz::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lenient = mcph::parse_json(text);
  const auto strict = mcph::parse_json(text, mcph::default_json_depth, mcph::DuplicateKeys::refuse);
  const auto ordered = mcph::parse_ordered_json(text);
  if (!lenient) expect(!lenient.error().message.empty());
  if (ordered) expect(strict.has_value());
  const auto document = mcph::JsonDocument::read(text);
  expect(document.has_value() == strict.has_value());
  if (!strict) return 0;
  expect(document->root().json() == *strict);
  expect(lenient.has_value() && *lenient == *strict);

  const auto again = mcph::parse_json(mcph::dump(*strict));
  expect(again.has_value() && *again == *strict);

  const auto read = mcph::read_message(document->root());
  expect(read.message.has_value() != read.error.has_value());
  const auto reply = read.error ? mcph::error_response(read.id, *read.error)
                                : mcph::result_response(read.id.empty() ? "null" : read.id, "{}");
  expect(mcph::parse_json(reply).has_value());
  return 0;
}
