#include "random_bytes.hpp"

#include <openssl/rand.h>
#include <stdexcept>

namespace mcph {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  // Without randomness nothing that is made of it keeps its promise.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
    throw std::runtime_error("the system gives no random bytes");
  }
  return bytes;
}

}  // namespace mcph
