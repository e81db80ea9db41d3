#include "http/tls/client_certificate.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <openssl/bio.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string_view>

#include "base/base64.hpp"
#include "base/c_owner.hpp"

namespace mcph {
namespace {

std::string subject_of(x509_st* certificate) {
  const COwner<BIO, BIO_free> bio(BIO_new(BIO_s_mem()));
  if (X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) < 0) return {};
  char* text = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(std::max(size, 0L))};
}

// A name with a null byte, or in an alphabet in which letters look alike, would be taken for another one: it is empty,
// and still there, because a certificate with one name and one with several are not the same.
void add_name(const ASN1_IA5STRING* name, std::vector<std::string>& names) {
  const std::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
                              static_cast<std::size_t>(ASN1_STRING_length(name)));
  const bool is_plain = std::ranges::all_of(text, [](char c) { return '!' <= c && c <= '~'; });
  names.emplace_back(is_plain ? text : std::string_view());
}

}  // namespace

std::chrono::system_clock::time_point certificate_time(const asn1_string_st* time) {
  constexpr std::time_t most = 9'000'000'000;
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return std::chrono::system_clock::from_time_t(std::min(::timegm(&parts), most));
}

ClientCertificate read_client_certificate(x509_st* certificate) {
  ClientCertificate read{.subject = subject_of(certificate)};
  std::array<unsigned char, 32> digest{};
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) == 1)
    read.thumbprint = base64url_encode({reinterpret_cast<const char*>(digest.data()), size});
  read.expiry = certificate_time(X509_get0_notAfter(certificate));
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names.get());
  for (int i = 0; i < count; ++i) {
    const auto* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_URI) add_name(name->d.uniformResourceIdentifier, read.uris);
    if (name->type == GEN_DNS) add_name(name->d.dNSName, read.names);
    if (name->type == GEN_EMAIL) add_name(name->d.rfc822Name, read.emails);
  }
  return read;
}

}  // namespace mcph
