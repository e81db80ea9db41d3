#include "http/tls/tls_context.hpp"

#include <algorithm>
#include <cstring>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/c_owner.hpp"
#include "base/regular_file.hpp"
#include "base/sha256.hpp"
#include "base/time_text.hpp"
#include "http/tls/client_certificate.hpp"
#include "http/tls/tls_error.hpp"

namespace mcph {
namespace {

using Bio = COwner<BIO, BIO_free>;
using Certificate = COwner<X509, X509_free>;

constexpr std::size_t max_pem_bytes = std::size_t{1} << 20;

// Of Mozilla's "intermediate" recommendation, version 5.7, without those of finite-field Diffie-Hellman; the ones of
// TLS 1.3 are OpenSSL's own.
constexpr auto ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr auto groups = "X25519:P-256:P-384";

Error named(const std::filesystem::path& file, const std::string& message) {
  return fail(file.string() + ": " + message);
}

// Whoever may write to it can pose as this server, or let clients in; whoever may read a key, too.
Result<std::string> read_pem(const std::filesystem::path& file, bool is_secret) {
  const auto opened = open_to_read(file);
  if (!opened) return named(file, "it cannot be opened: " + last_error());
  if (const auto checked = check_owner_only(opened, is_secret); checked.has_error())
    return named(file, checked.error().message);
  auto text = read_regular_file(opened, max_pem_bytes);
  if (text.has_error()) return named(file, text.error().message);
  return text;
}

Bio bio_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// All certificates of the text. An error: there is none, or one is not whole.
Result<std::vector<Certificate>> read_certificates(const std::filesystem::path& file, const std::string& text) {
  const auto bio = bio_of(text);
  std::vector<Certificate> certificates;
  ERR_clear_error();
  while (auto* const read = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    certificates.emplace_back(read);
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!at_end) return named(file, "a certificate in it is not whole: " + tls_error_words());
  ERR_clear_error();
  if (certificates.empty()) return named(file, "there is no certificate in PEM in it");
  return certificates;
}

// "http/1.1" is all there is (RFC 7301 section 3.2).
int select_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  static constexpr unsigned char own[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* found = nullptr;
  const int result = SSL_select_next_proto(&found, chosen_size, own, sizeof own, offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Nobody is there to be asked.
int no_password(char*, int, int, void*) {
  return 0;
}

void take_ticket_keys(SSL_CTX* from, SSL_CTX* to) {
  const auto size = SSL_CTX_get_tlsext_ticket_keys(from, nullptr, 0);
  std::vector<unsigned char> keys(static_cast<std::size_t>(std::max(size, 0L)));
  if (SSL_CTX_get_tlsext_ticket_keys(from, keys.data(), size) == 1)
    SSL_CTX_set_tlsext_ticket_keys(to, keys.data(), size);
  OPENSSL_cleanse(keys.data(), keys.size());
}

}  // namespace

TlsContext::TlsContext() : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {}

Result<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsOptions& options, const TlsContext* before,
                                                           Time now) {
  const std::shared_ptr<TlsContext> made(new TlsContext());
  auto* const context = made->native();
  if (context == nullptr) return fail("TLS cannot be set up: " + tls_error_words());
  const bool only_newest = options.minimum_version == TlsOptions::Version::tls_1_3;
  const bool ready = SSL_CTX_set_min_proto_version(context, only_newest ? TLS1_3_VERSION : TLS1_2_VERSION) == 1 &&
                     SSL_CTX_set_cipher_list(context, ciphers) == 1 && SSL_CTX_set1_groups_list(context, groups) == 1;
  if (!ready) return fail("TLS cannot be set up: " + tls_error_words());
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  // Sessions are kept by clients alone, in tickets. One a connection: a second would be for clients that come back with
  // two at once, and is a packet more for all.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 1);
  SSL_CTX_set_alpn_select_cb(context, select_protocol, nullptr);
  if (auto used = made->use_certificate(options.certificate, now); used.has_error()) return used.error();
  if (auto used = made->use_key(options.key); used.has_error()) return used.error();
  if (auto asked = made->ask_clients(options); asked.has_error()) return asked.error();
  if (before != nullptr) take_ticket_keys(before->native(), context);
  return std::shared_ptr<const TlsContext>(made);
}

Result<> TlsContext::use_certificate(const std::filesystem::path& file, Time now) {
  const auto text = read_pem(file, false);
  if (text.has_error()) return text.error();
  auto certificates = read_certificates(file, *text);
  if (certificates.has_error()) return certificates.error();
  digest_ = sha256(*text);
  auto* const own = certificates->front().get();
  const auto begin = certificate_time(X509_get0_notBefore(own));
  expiry_ = certificate_time(X509_get0_notAfter(own));
  if (now < begin) return named(file, "the certificate is not good before " + time_text(begin));
  if (now >= expiry_) return named(file, "the certificate has expired at " + time_text(expiry_));
  if (SSL_CTX_use_certificate(native(), own) != 1)
    return named(file, "the certificate cannot be used: " + tls_error_words());
  for (std::size_t i = 1; i < certificates->size(); ++i) {
    if (SSL_CTX_add1_chain_cert(native(), (*certificates)[i].get()) != 1)
      return named(file, "a certificate behind the first one cannot be used: " + tls_error_words());
  }
  return {};
}

Result<> TlsContext::use_key(const std::filesystem::path& file) {
  auto text = read_pem(file, true);
  if (text.has_error()) return text.error();
  using Key = COwner<EVP_PKEY, EVP_PKEY_free>;
  ERR_clear_error();
  const Key key(PEM_read_bio_PrivateKey(bio_of(*text).get(), nullptr, no_password, nullptr));
  OPENSSL_cleanse(text->data(), text->size());
  if (key == nullptr) {
    ERR_clear_error();  // which could tell something of the key
    return named(file, "there is no private key in PEM in it that can be read without a password");
  }
  if (SSL_CTX_use_PrivateKey(native(), key.get()) != 1 || SSL_CTX_check_private_key(native()) != 1) {
    ERR_clear_error();
    return named(file, "the key is not that of the certificate");
  }
  return {};
}

Result<> TlsContext::ask_clients(const TlsOptions& options) {
  using Clients = TlsOptions::ClientCertificates;
  std::string asked = "none";
  if (options.client_certificates != Clients::none) {
    const auto text = read_pem(options.client_ca, false);
    if (text.has_error()) return text.error();
    const auto authorities = read_certificates(options.client_ca, *text);
    if (authorities.has_error()) return authorities.error();
    for (const auto& authority : *authorities) {
      const bool added = X509_STORE_add_cert(SSL_CTX_get_cert_store(native()), authority.get()) == 1 &&
                         SSL_CTX_add_client_CA(native(), authority.get()) == 1;
      if (!added) return named(options.client_ca, "a certificate cannot be used: " + tls_error_words());
    }
    const bool required = options.client_certificates == Clients::required;
    SSL_CTX_set_verify(native(), SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
    asked = (required ? "required " : "optional ") + *text;
  }
  // A session that is resumed is not verified anew: none may outlive the authorities by which it was.
  const auto digest = sha256(asked);
  digest_ += digest;
  std::vector<unsigned char> name(digest.begin(), digest.end());
  name.resize(std::min<std::size_t>(name.size(), SSL_MAX_SID_CTX_LENGTH));
  SSL_CTX_set_session_id_context(native(), name.data(), static_cast<unsigned>(name.size()));
  return {};
}

}  // namespace mcph
