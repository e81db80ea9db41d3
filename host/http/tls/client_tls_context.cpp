#include "http/tls/client_tls_context.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/c_owner.hpp"
#include "http/tls/tls_error.hpp"

namespace mcph {

ClientTlsContext::ClientTlsContext() : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {}

Result<std::shared_ptr<const ClientTlsContext>> ClientTlsContext::load(const std::filesystem::path& ca_file) {
  const std::shared_ptr<ClientTlsContext> made(new ClientTlsContext());
  auto* const context = made->context_.get();
  static constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  const bool ready = context != nullptr && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
                     SSL_CTX_set_alpn_protos(context, http_1_1, sizeof http_1_1) == 0;
  if (!ready) return fail("TLS cannot be set up: " + tls_error_words());
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const bool trusts = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                      : SSL_CTX_load_verify_file(context, ca_file.c_str()) == 1;
  if (!trusts) {
    return fail(ca_file.empty() ? "the authorities that this machine trusts cannot be read: " + tls_error_words()
                                : ca_file.string() +
                                      ": there is no certificate in PEM in it that can be read: " + tls_error_words());
  }
  return std::shared_ptr<const ClientTlsContext>(made);
}

ssl_st* ClientTlsContext::expect(const std::string& host) const {
  COwner<SSL, SSL_free> tls(SSL_new(context_.get()));
  if (tls == nullptr) return nullptr;
  // An address has no name to be asked for (RFC 6066 section 3).
  const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls.get()), host.c_str()) == 1;
  ERR_clear_error();
  if (!is_address) {
    SSL_set_hostflags(tls.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (SSL_set1_host(tls.get(), host.c_str()) != 1 || SSL_set_tlsext_host_name(tls.get(), host.c_str()) != 1)
      return nullptr;
  }
  return tls.release();
}

}  // namespace mcph
