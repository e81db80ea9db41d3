#include "limits/keyed_hash.hpp"

#include <cstddef>

#include "base/random_bytes.hpp"

namespace mcph {

KeyedHash KeyedHash::random() {
  std::uint64_t keys[2] = {};
  const auto bytes = random_bytes(sizeof keys);
  std::memcpy(keys, bytes.data(), sizeof keys);
  return {keys[0], keys[1]};
}

}  // namespace mcph
