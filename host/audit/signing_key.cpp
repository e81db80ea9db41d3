#include "audit/signing_key.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/c_owner.hpp"
#include "base/regular_file.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_key_file = std::size_t{64} << 10;
constexpr std::size_t signature_size = 64;
constexpr std::string_view how_to_make = "; mcp-plugin-host audit key FILE makes one";

using Bio = COwner<BIO, BIO_free>;
using DigestContext = COwner<EVP_MD_CTX, EVP_MD_CTX_free>;

DigestContext digest_context() {
  DigestContext context(EVP_MD_CTX_new());
  if (context == nullptr) throw std::bad_alloc();
  return context;
}

const unsigned char* bytes_in(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Nobody is asked for a passphrase.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) {
  return -1;
}

Result<std::string> read_key_file(const std::filesystem::path& file, bool is_secret) {
  const auto opened = open_to_read(file);
  if (!opened) return fail("cannot read " + file.string() + ": " + last_error());
  const auto protection = check_owner_only(opened, is_secret);
  if (is_secret && protection.has_error()) return fail(file.string() + ": " + protection.error().message);
  auto text = read_regular_file(opened, max_key_file);
  if (text.has_error()) return fail(file.string() + ": " + text.error().message);
  return text;
}

// As audit key and openssl write it: a PrivateKeyInfo with the 32 bytes of the key (RFC 8410, section 7). Null: it is
// something else. OpenSSL's own reader looks through all the formats that it knows, which takes half a millisecond.
EVP_PKEY* read_private_key_info(BIO* pem) {
  using Info = COwner<PKCS8_PRIV_KEY_INFO, PKCS8_PRIV_KEY_INFO_free>;
  const Info info(PEM_read_bio_PKCS8_PRIV_KEY_INFO(pem, nullptr, no_passphrase, nullptr));
  const ASN1_OBJECT* algorithm = nullptr;
  const unsigned char* wrapped = nullptr;
  int size = 0;
  if (info == nullptr || PKCS8_pkey_get0(&algorithm, &wrapped, &size, nullptr, info.get()) != 1) return nullptr;
  if (OBJ_obj2nid(algorithm) != NID_ED25519) return nullptr;
  const COwner<ASN1_OCTET_STRING, ASN1_OCTET_STRING_free> key(d2i_ASN1_OCTET_STRING(nullptr, &wrapped, size));
  if (key == nullptr) return nullptr;
  return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, ASN1_STRING_get0_data(key.get()),
                                      static_cast<std::size_t>(ASN1_STRING_length(key.get())));
}

EVP_PKEY* read_private_key(BIO* pem) {
  if (auto* const key = read_private_key_info(pem)) return key;
  BIO_reset(pem);
  return PEM_read_bio_PrivateKey(pem, nullptr, no_passphrase, nullptr);
}

EVP_PKEY* read_public_key(BIO* pem) {
  return PEM_read_bio_PUBKEY(pem, nullptr, no_passphrase, nullptr);
}

using ReadPem = EVP_PKEY* (*)(BIO*);

Result<std::shared_ptr<EVP_PKEY>> read_key(const std::filesystem::path& file, bool is_secret, ReadPem read_pem) {
  const auto text = read_key_file(file, is_secret);
  if (text.has_error()) return text.error();
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  std::shared_ptr<EVP_PKEY> key(bio == nullptr ? nullptr : read_pem(bio.get()), EVP_PKEY_free);
  if (key != nullptr && EVP_PKEY_get_id(key.get()) == EVP_PKEY_ED25519) return key;
  if (!is_secret && text->find("PRIVATE KEY-----") != std::string::npos) {
    return fail(file.string() +
                ": is the private key, which signs; the public one is wanted, as audit key printed it, or " +
                "openssl pkey -pubout -in " + file.string());
  }
  return fail(file.string() + ": is no PEM file with " + (is_secret ? "a private" : "a public") +
              " Ed25519 key without a passphrase" + (is_secret ? std::string(how_to_make) : std::string()));
}

template <class Write>
Result<std::string> to_pem(Write write) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || write(bio.get()) != 1) return fail("OpenSSL cannot write a key");
  char* text = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<std::size_t>(size));
}

Result<> write_new(const std::filesystem::path& file, std::string_view text) {
  const auto opened = open_file(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (!opened && errno == EEXIST) return fail(file.string() + " is there already; it is not written over");
  if (!opened) return fail("cannot write " + file.string() + ": " + last_error());
  if (!write_all(opened, text) || ::fsync(opened.get()) != 0)
    return fail("cannot write " + file.string() + ": " + last_error());
  return {};
}

}  // namespace

Result<AuditSigningKey> AuditSigningKey::read(const std::filesystem::path& file) {
  auto key = read_key(file, true, read_private_key);
  if (key.has_error()) return key.error();
  return AuditSigningKey(*std::move(key));
}

std::string AuditSigningKey::sign(std::string_view text) const {
  std::string signature(signature_size, '\0');
  auto size = signature.size();
  const auto context = digest_context();
  auto* const out = reinterpret_cast<unsigned char*>(signature.data());
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), out, &size, bytes_in(text), text.size()) != 1 || size != signature.size())
    throw std::bad_alloc();  // there is no other reason: the key is one
  return signature;
}

Result<AuditPublicKey> AuditPublicKey::read(const std::filesystem::path& file) {
  auto key = read_key(file, false, read_public_key);
  if (key.has_error()) return key.error();
  return AuditPublicKey(*std::move(key));
}

bool AuditPublicKey::has_signed(std::string_view text, std::string_view signature) const {
  const auto context = digest_context();
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_in(signature), signature.size(), bytes_in(text), text.size()) == 1;
}

Result<std::string> make_audit_key(const std::filesystem::path& file) {
  const COwner<EVP_PKEY, EVP_PKEY_free> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  if (key == nullptr) return fail("OpenSSL cannot make an Ed25519 key");
  const auto secret = to_pem(
      [&](BIO* bio) { return PEM_write_bio_PKCS8PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  if (secret.has_error()) return secret.error();
  if (const auto written = write_new(file, *secret); written.has_error()) return written.error();
  return to_pem([&](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key.get()); });
}

}  // namespace mcph
