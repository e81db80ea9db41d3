// A URI template and, after the first line break, a URI; the same two as a base and a reference.
#include "catalog/uri_template.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/uri.hpp"
#include "expect.hpp"
#include "schema/uri.hpp"

using mcph::fuzz::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(input.find('\n'), input.size());
  const auto first = input.substr(0, end);
  const auto second = input.substr(std::min(end + 1, input.size()));

  mcph::is_absolute_uri(second);
  mcph::schema::resolve_uri(mcph::schema::split_fragment(first).uri, second);

  const auto uri_template = mcph::UriTemplate::parse(first);
  if (!uri_template) {
    expect(!uri_template.error().message.empty());
    return 0;
  }
  expect(uri_template->original() == first);
  // Encoding makes it longer, which may be too long.
  if (const auto encoded = mcph::UriTemplate::parse(uri_template->text()))
    expect(encoded->text() == uri_template->text());
  if (const auto encoded = mcph::encoded_uri(second)) expect(!mcph::encoded_uri(*encoded));
  expect(!uri_template->more_specific_than(*uri_template));
  const auto match = uri_template->match(second);
  if (match) expect(match->size() == uri_template->variables().size());
  return 0;
}
