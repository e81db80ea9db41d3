#include "base/random_bytes.hpp"

#include <algorithm>
#include <stdexcept>
#include <unistd.h>

namespace mcph {

std::string random_bytes(std::size_t count) {
  constexpr std::size_t max_at_once = 256;  // getentropy's own limit
  std::string bytes(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const auto piece = std::min(count - done, max_at_once);
    // Without randomness nothing that is made of it keeps its promise.
    if (::getentropy(bytes.data() + done, piece) != 0) throw std::runtime_error("the system gives no random bytes");
    done += piece;
  }
  return bytes;
}

}  // namespace mcph
