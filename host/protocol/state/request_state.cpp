#include "protocol/state/request_state.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <openssl/evp.h>
#include <optional>

#include "base/base64.hpp"
#include "base/c_owner.hpp"
#include "base/json_text.hpp"
#include "base/random_bytes.hpp"
#include "base/regular_file.hpp"
#include "base/sha256.hpp"

namespace mcph {
namespace {

constexpr std::size_t nonce_size = 12;
constexpr std::size_t tag_size = 16;
// So that a later form can be told from this one.
constexpr char form = 1;

using CipherContext = COwner<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free>;

CipherContext make_context() {
  CipherContext context(EVP_CIPHER_CTX_new());
  if (!context) throw std::bad_alloc();
  return context;
}

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
std::uint8_t* bytes_of(std::string& text) {
  return reinterpret_cast<std::uint8_t*>(text.data());
}

// form, nonce, ciphertext, tag.
std::string encrypt(const StateKey& key, std::string_view plain, std::string_view purpose) {
  auto sealed = form + random_bytes(nonce_size);
  sealed.resize(1 + nonce_size + plain.size() + tag_size);
  auto* const nonce = bytes_of(sealed) + 1;
  auto* const text = nonce + nonce_size;
  const auto context = make_context();
  int size = 0;
  const bool done =
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(), nonce) == 1 &&
      EVP_EncryptUpdate(context.get(), nullptr, &size, bytes_of(purpose), static_cast<int>(purpose.size())) == 1 &&
      EVP_EncryptUpdate(context.get(), text, &size, bytes_of(plain), static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), text + size, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, tag_size, text + plain.size()) == 1;
  if (!done) throw std::bad_alloc();  // there is no other reason
  return sealed;
}

std::optional<std::string> decrypt(const StateKey& key, std::string sealed, std::string_view purpose) {
  if (sealed.size() < 1 + nonce_size + tag_size || sealed.front() != form) return std::nullopt;
  auto* const nonce = bytes_of(sealed) + 1;
  auto* const text = nonce + nonce_size;
  std::string plain(sealed.size() - 1 - nonce_size - tag_size, '\0');
  const auto context = make_context();
  int size = 0;
  const bool authentic =
      EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(), nonce) == 1 &&
      EVP_DecryptUpdate(context.get(), nullptr, &size, bytes_of(purpose), static_cast<int>(purpose.size())) == 1 &&
      EVP_DecryptUpdate(context.get(), bytes_of(plain), &size, text, static_cast<int>(plain.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, tag_size, text + plain.size()) == 1 &&
      EVP_DecryptFinal_ex(context.get(), bytes_of(plain) + size, &size) == 1;
  if (!authentic) return std::nullopt;
  return plain;
}

std::int64_t seconds_since_epoch(std::chrono::system_clock::time_point when) {
  return std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count();
}

}  // namespace

StateKey random_state_key() {
  StateKey key{};
  const auto bytes = random_bytes(key.size());
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

Result<StateKey> read_state_key(const std::filesystem::path& file) {
  constexpr std::size_t max_file_bytes = 4096;
  const auto opened = open_to_read(file);
  if (!opened) return fail("cannot read the key " + file.string() + ": " + last_error());
  if (const auto protection = check_owner_only(opened); protection.has_error())
    return fail("the key " + file.string() + ": " + protection.error().message);
  const auto content = read_regular_file(opened, max_file_bytes);
  if (content.has_error()) return fail("cannot read the key " + file.string() + ": " + content.error().message);
  StateKey key{};
  if (content->size() < key.size()) {
    return fail("the key " + file.string() + " has " + std::to_string(content->size()) + " bytes, and must have " +
                std::to_string(key.size()) +
                " or more; make one with: (umask 077; head -c 48 /dev/urandom | base64 > " + file.string() + ")");
  }
  unsigned size = 0;
  if (EVP_Digest(content->data(), content->size(), key.data(), &size, EVP_sha256(), nullptr) != 1) {
    return fail("SHA-256 failed");
  }
  return key;
}

StateKey state_key_of(std::string_view server, const StateKey& key) {
  std::string input(key.begin(), key.end());
  const auto digest = sha256(input.append(server));
  StateKey own{};
  std::ranges::copy(digest, own.begin());
  return own;
}

std::string RequestState::seal(Json content, std::string_view purpose) const {
  const Json sealed = {{"expires", seconds_since_epoch(clock_() + lifetime_)}, {"content", std::move(content)}};
  return base64url_encode(encrypt(key_, dump(sealed), purpose));
}

Result<Json> RequestState::open(std::string_view state, std::string_view purpose) const {
  auto bytes = base64url_decode(state);
  const auto plain = bytes ? decrypt(key_, *std::move(bytes), purpose) : std::nullopt;
  if (!plain) {
    return fail("it is not what this server gave out for this very request; send the request anew without it");
  }
  auto sealed = read_json(*plain);
  if (sealed["expires"].get<std::int64_t>() < seconds_since_epoch(clock_())) {
    return fail("it has expired; send the request anew without it");
  }
  return std::move(sealed["content"]);
}

}  // namespace mcph
