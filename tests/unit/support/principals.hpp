// Somebody, for tests in which it matters who somebody is.
#pragma once

#include <string>
#include <string_view>

#include "base/principal.hpp"

namespace mcph::test {

// "test#ada"; for no name anonymous.
inline Principal principal(std::string_view name) {
  return name.empty() ? Principal() : Principal({.issuer = "test", .subject = std::string(name)});
}

}  // namespace mcph::test
