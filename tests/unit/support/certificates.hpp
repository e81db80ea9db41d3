// Certificates that a test makes for itself, of keys of P-256, as PEM.
#pragma once

#include <chrono>
#include <memory>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string>

namespace mcph::test {

struct CertificateWishes {
  std::string common_name = "localhost";
  std::string alternative_names = "DNS:localhost,IP:127.0.0.1";  // empty: none
  std::chrono::seconds begin{-60};                               // from now on
  std::chrono::seconds end{3600};
};

class TestCertificate {
 public:
  using Wishes = CertificateWishes;

  // By itself where there is no issuer.
  explicit TestCertificate(const Wishes& wishes = {}, const TestCertificate* issuer = nullptr)
      : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
    auto* const x509 = certificate_.get();
    X509_set_version(x509, X509_VERSION_3);
    static int serial = 0;
    ASN1_INTEGER_set(X509_get_serialNumber(x509), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(x509), static_cast<long>(wishes.begin.count()));
    X509_gmtime_adj(X509_getm_notAfter(x509), static_cast<long>(wishes.end.count()));
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(wishes.common_name.c_str()), -1, -1, 0);
    const auto* const by = issuer == nullptr ? this : issuer;
    X509_set_issuer_name(x509, X509_get_subject_name(by->certificate_.get()));
    X509_set_pubkey(x509, key_.get());
    if (issuer == nullptr) add(NID_basic_constraints, "critical,CA:TRUE");
    if (!wishes.alternative_names.empty()) add(NID_subject_alt_name, wishes.alternative_names);
    X509_sign(x509, by->key_.get(), EVP_sha256());
  }

  std::string pem() const {
    return written([&](BIO* bio) { PEM_write_bio_X509(bio, certificate_.get()); });
  }
  std::string key_pem() const {
    return written([&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  }
  X509* certificate() const { return certificate_.get(); }
  EVP_PKEY* key() const { return key_.get(); }

 private:
  void add(int kind, const std::string& value) {
    const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()), X509_EXTENSION_free);
    X509_add_ext(certificate_.get(), extension.get(), -1);
  }
  template <class Write>
  static std::string written(Write write) {
    const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
    write(bio.get());
    char* text = nullptr;
    const auto size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
  }

  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
  std::unique_ptr<X509, void (*)(X509*)> certificate_;
};

}  // namespace mcph::test
