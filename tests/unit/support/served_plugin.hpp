// A catalog entry made of a file's name and a components document.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "support/fake_plugin.hpp"

namespace mcph::test {

inline std::shared_ptr<const Components> components_of(std::string_view document) {
  auto components = parse_components(document);
  if (components.has_error()) throw std::runtime_error(components.error().message);
  return std::make_shared<const Components>(*std::move(components));
}

inline ServedPlugin served_plugin(const std::string& file, std::string_view document) {
  return {std::make_shared<FakePlugin>("/components/tools/" + file), components_of(document)};
}

// Components of which only the name matters.
inline std::string tool(const std::string& name, const std::string& more = {}) {
  return R"({"name":")" + name + R"(","inputSchema":{"type":"object"})" + more + "}";
}
inline std::string tools(const std::string& list) {
  return R"({"tools":[)" + list + "]}";
}

}  // namespace mcph::test
