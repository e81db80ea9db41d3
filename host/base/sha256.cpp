#include "base/sha256.hpp"

#include <array>
#include <new>
#include <openssl/evp.h>
#include <string_view>

#include "base/hexadecimal.hpp"

namespace mcph {
namespace {

// OpenSSL fails here for want of memory only.
void expect(int outcome) {
  if (outcome != 1) throw std::bad_alloc();
}

// What EVP_sha256() stands for is looked for anew each time that it is used. Of the process, as OpenSSL is.
const EVP_MD* algorithm() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched;
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  expect(context_ == nullptr ? 0 : EVP_DigestInit_ex(context_.get(), algorithm(), nullptr));
}

void Sha256::add(const void* bytes, std::size_t count) {
  expect(EVP_DigestUpdate(context_.get(), bytes, count));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  expect(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
  return hexadecimal(digest.data(), size);
}

std::string sha256(std::string_view bytes) {
  constexpr std::size_t size = 32;
  std::string digest(size, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(digest.data());
  expect(EVP_Digest(bytes.data(), bytes.size(), out, nullptr, algorithm(), nullptr));
  return digest;
}

}  // namespace mcph
