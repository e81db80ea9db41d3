#include "config/connection_settings.hpp"

#include <string>
#include <vector>

#include "base/http_token.hpp"

namespace mcph {
namespace {

Form<std::string> field_name() {
  return text([](const std::string& name) -> Result<> {
    return is_token(name) ? Result<>() : fail("must be the name of a header, but is \"" + name + "\"");
  });
}

Form<std::vector<IpNetwork>> networks() {
  return list(converted<IpNetwork, std::string>(
      text(),
      [](const std::string& network) -> Result<IpNetwork> {
        if (const auto read = IpNetwork::read(network)) return *read;
        return fail("must be an address or a network, such as 10.0.0.0/8, but is \"" + network + "\"");
      },
      [](const IpNetwork& network) { return network.text(); }));
}

}  // namespace

Form<Config> tls_table() {
  const auto tls = [](auto member) { return through(&Config::tls, member); };
  using Clients = TlsOptions::ClientCertificates;
  using Version = TlsOptions::Version;
  return Table<Config>()
      .add("certificate", tls(&TlsOptions::certificate), path(),
           "File with this server's certificate in PEM, and those between it and its root behind it")
      .add("key", tls(&TlsOptions::key), path(), "File with its key in PEM, without a password")
      .add("minimum_version", tls(&TlsOptions::minimum_version),
           choice<Version>({{"1.2", Version::tls_1_2}, {"1.3", Version::tls_1_3}}), "Of TLS")
      .add("client_certificates", tls(&TlsOptions::client_certificates),
           choice<Clients>({{"none", Clients::none}, {"optional", Clients::optional}, {"required", Clients::required}}),
           "Whether clients are asked for certificates, and refused without one")
      .add("client_ca", tls(&TlsOptions::client_ca), path(),
           "File with the certificates of those who issue them, in PEM")
      .add("client_subject", &Config::client_subject,
           choice<CertificateSubject>({{"none", CertificateSubject::none},
                                       {"san_uri", CertificateSubject::san_uri},
                                       {"san_dns", CertificateSubject::san_dns},
                                       {"san_email", CertificateSubject::san_email},
                                       {"subject", CertificateSubject::subject}}),
           "What of a client's certificate says who it is, as mtls#SUBJECT; none: a certificate admits, and no more")
      .form();
}

Form<Config> proxy_table() {
  const auto proxy = [](auto member) { return through(&Config::proxy, member); };
  const auto whom = text([](const std::string& who) -> Result<> {
    if (who == "unix" || (who.starts_with("mtls#") && who.size() > 5)) return {};
    return fail("must be unix, or mtls#SUBJECT, but is \"" + who + "\"");
  });
  return Table<Config>()
      .add("from", proxy(&ProxySettings::from), list(whom),
           "Which proxies may say for whom they ask: unix, whoever connects to the Unix socket; mtls#SUBJECT, whoever "
           "has that client certificate")
      .add("user_header", proxy(&ProxySettings::user_header), field_name(),
           "In which header they say who it is, such as X-Forwarded-User")
      .add("groups_header", proxy(&ProxySettings::groups_header), field_name(),
           "In which they say the groups, as a list")
      .add("name_header", proxy(&ProxySettings::name_header), field_name(), "In which they say how people call them")
      .add("trusted_addresses", proxy(&ProxySettings::trusted_addresses), networks(),
           "Proxies whose X-Forwarded-For says where a request comes from, besides those of from: addresses and "
           "networks")
      .form();
}

}  // namespace mcph
