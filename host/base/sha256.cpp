#include "base/sha256.hpp"

#include <array>
#include <openssl/evp.h>
#include <stdexcept>
#include <string_view>

namespace mcph {
namespace {

// OpenSSL fails here for want of memory only, or where it has been told not to have SHA-256.
void expect(int outcome) {
  if (outcome != 1) throw std::runtime_error("SHA-256 failed");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  expect(context_ == nullptr ? 0 : EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::add(const void* bytes, std::size_t count) {
  expect(EVP_DigestUpdate(context_.get(), bytes, count));
}

std::string Sha256::hex() {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr unsigned bits_of_digit = 4;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  expect(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += digits[digest.at(i) >> bits_of_digit];
    text += digits[digest.at(i) & 0xf];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  std::string digest(static_cast<std::size_t>(EVP_MD_get_size(EVP_sha256())), '\0');
  auto* const out = reinterpret_cast<unsigned char*>(digest.data());
  expect(EVP_Digest(bytes.data(), bytes.size(), out, nullptr, EVP_sha256(), nullptr));
  return digest;
}

}  // namespace mcph
