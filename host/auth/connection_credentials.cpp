#include "auth/connection_credentials.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace mcph {
namespace {

constexpr std::string_view from_unix_socket = "unix";
constexpr std::size_t max_forwarded_bytes = 1024;

std::string_view name_of(CertificateSubject subject) {
  static constexpr std::array<std::string_view, 5> names{"none", "san_uri", "san_dns", "san_email", "subject"};
  return names.at(static_cast<std::size_t>(subject));
}

std::string only_one(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : std::string();
}

// On which a proxy's word is taken: what it says in others means nothing.
std::string headers_of(const ProxySettings& proxy) {
  return proxy.user_header + "\n" + proxy.groups_header + "\n" + proxy.name_header;
}

// "ada" of one line "ada"; empty where there is none.
Result<std::string, CredentialError> one_line(const std::vector<std::string_view>& lines) {
  if (lines.empty()) return std::string();
  if (lines.size() > 1) return invalid_credential("the proxy says more than once for whom it asks");
  const auto text = trimmed(lines.front());
  if (text.size() > max_forwarded_bytes || !is_utf8(text))
    return invalid_credential("the proxy says for whom it asks in a way that cannot be read");
  return std::string(text);
}

std::vector<std::string> elements_of(std::string_view list) {
  std::vector<std::string> elements;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (const auto element = trimmed(list.substr(0, end)); !element.empty()) elements.emplace_back(element);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return elements;
}

// "192.0.2.1", and as some proxies write it "192.0.2.1:4711", "[2001:db8::1]:4711".
std::optional<IpAddress> read_hop(std::string_view text) {
  if (text.starts_with('[')) return IpAddress::read(text.substr(1, text.find(']') - 1));
  if (std::ranges::count(text, ':') == 1) text = text.substr(0, text.find(':'));
  return IpAddress::read(text);
}

// What a proxy says counts as long as what it has shown.
std::chrono::system_clock::time_point expiry_of(const HttpPeer& peer) {
  return peer.certificate == nullptr ? std::chrono::system_clock::time_point::max() : peer.certificate->expiry;
}

}  // namespace

bool ConnectionCredentials::takes_issuer(std::string_view issuer) const {
  if (issuer == certificate_issuer) return takes_certificates();
  return issuer == proxy_issuer && !proxy_.user_header.empty();
}

bool ConnectionCredentials::vouches_for(const Identity& identity) const {
  if (!takes_issuer(identity.issuer)) return false;
  if (identity.issuer != proxy_issuer) return identity.vouched_by == name_of(subject_);
  return has_proxy(identity.vouched_by) && identity.terms == headers_of(proxy_);
}

std::string ConnectionCredentials::subject_of(const HttpPeer& peer) const {
  if (peer.certificate == nullptr) return {};
  const auto& certificate = *peer.certificate;
  switch (subject_) {
    case CertificateSubject::none:
      return {};
    case CertificateSubject::san_uri:
      return only_one(certificate.uris);
    case CertificateSubject::san_dns:
      return only_one(certificate.names);
    case CertificateSubject::san_email:
      return only_one(certificate.emails);
    case CertificateSubject::subject:
      return certificate.subject;
  }
  return {};
}

std::string ConnectionCredentials::proxy_name_of(const HttpPeer& peer) const {
  if (peer.at_unix_socket) return std::string(from_unix_socket);
  const auto subject = subject_of(peer);
  return subject.empty() ? std::string() : std::string(certificate_issuer) + "#" + subject;
}

bool ConnectionCredentials::has_proxy(std::string_view name) const {
  return std::ranges::find(proxy_.from, name) != proxy_.from.end();
}

bool ConnectionCredentials::is_proxy(const HttpPeer& peer) const {
  const auto name = proxy_name_of(peer);
  return !name.empty() && has_proxy(name);
}

Result<std::optional<Identity>, CredentialError> ConnectionCredentials::identify(
    const PresentedCredential& presented) const {
  if (presented.peer == nullptr) return std::optional<Identity>();
  if (is_proxy(*presented.peer)) {
    auto user = one_line(presented.forwarded.users);
    if (user.has_error()) return user.error();
    if (user->empty()) return std::optional<Identity>();
    auto name = one_line(presented.forwarded.names);
    if (name.has_error()) return name.error();
    const auto& lines = presented.forwarded.groups;
    // One may be a client's own, where the proxy has added another instead of replacing it.
    if (lines.size() > 1) return invalid_credential("the proxy says groups more than once");
    const auto groups = lines.empty() ? std::string_view() : lines.front();
    if (!is_utf8(groups)) return invalid_credential("the proxy says groups in a way that cannot be read");
    return std::optional(Identity{.issuer = std::string(proxy_issuer),
                                  .vouched_by = proxy_name_of(*presented.peer),
                                  .subject = *user,
                                  .name = name->empty() ? *user : *std::move(name),
                                  .groups = elements_of(groups),
                                  .terms = headers_of(proxy_),
                                  .expiry = expiry_of(*presented.peer)});
  }
  auto subject = subject_of(*presented.peer);
  if (subject.empty()) return std::optional<Identity>();
  return std::optional(Identity{.issuer = std::string(certificate_issuer),
                                .vouched_by = std::string(name_of(subject_)),
                                .subject = subject,
                                .name = subject,
                                .credential = presented.peer->certificate->thumbprint,
                                .expiry = presented.peer->certificate->expiry});
}

bool ConnectionCredentials::has_trusted_address(const IpAddress& address) const {
  return std::ranges::any_of(proxy_.trusted_addresses,
                             [&](const IpNetwork& network) { return network.contains(address); });
}

std::optional<IpAddress> ConnectionCredentials::source_of(const HttpPeer& peer, std::string_view forwarded_for) const {
  const bool is_trusted = is_proxy(peer) || (peer.address && has_trusted_address(*peer.address));
  if (!is_trusted) return std::nullopt;
  const auto hops = elements_of(forwarded_for);
  std::optional<IpAddress> source;
  // Each has added the one before it at the end, so that what a stranger has written stands before what is true.
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    const auto address = read_hop(*hop);
    if (!address) break;
    source = address;
    if (!has_trusted_address(*address)) break;
  }
  return source;
}

}  // namespace mcph
