// SHA-256 (FIPS 180-4) of bytes that come in pieces. A value; one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace mcph {

class Sha256 {
 public:
  Sha256();

  void add(const void* bytes, std::size_t count);

  // Of all that was added, in lower-case hexadecimal. Once.
  std::string hex();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

// The digest of all of them, 32 bytes.
std::string sha256(std::string_view bytes);

}  // namespace mcph
