// Everything that an operator can set, as values: what the configuration file, the environment and the command line
// come to. One member a table of the file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/options.hpp"
#include "auth/connection_credentials.hpp"
#include "auth/issuer_settings.hpp"
#include "auth/policy.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "config/form.hpp"
#include "config/host_options.hpp"
#include "config/toml.hpp"
#include "http/options.hpp"
#include "http/rules.hpp"
#include "http/tls/options.hpp"
#include "limits/settings.hpp"
#include "protocol/state/serving.hpp"
#include "protocol/state/session.hpp"
#include "transport/stdio/stdio_transport.hpp"
#include "transport/streamable_http/options.hpp"

namespace mcph {

// A server of its own at a path of its own: some of what is served, under a name of its own.
struct VirtualServer {
  ServerIdentity identity;
  std::string instructions;         // for the model
  RoleText components;              // what it has of all, whoever its clients are
  std::vector<std::string> scopes;  // that clients ask an issuer for at first

  // "/NAME" and "/s/NAME".
  static std::vector<std::string> paths(const std::string& name);
};

// The listener for the operator's programs. Without an address there is none.
struct AdminSettings {
  std::optional<HttpAddress> listen = {};
  bool allow_remote = false;   // of an address that others reach
  bool loopback_only = false;  // it is none
};

// The page for people who look after the host. Without an address there is none.
struct DashboardSettings {
  std::optional<HttpAddress> listen = {};
  bool allow_remote = false;                // of an address that others reach, without TLS
  bool loopback_only = false;               // it is none
  std::string url = {};                     // at which people reach it: "https://host.example.com"; empty: at listen
  std::string own_host = {};                // of that; as of HttpAccess
  std::vector<std::string> viewers = {};    // roles that may look
  std::vector<std::string> operators = {};  // roles that may reload, disable and enable, too
  std::size_t calls = 1000;                 // that are remembered
  bool bodies = false;                      // with the beginnings of their params and answers
};

// Where traces of calls go. Without an endpoint there are none.
struct TraceSettings {
  std::string endpoint = {};
  double sample_ratio = 1;             // of the traces that begin here
  std::filesystem::path headers = {};  // a file
};

struct Config {
  Config();

  HostOptions host;
  HttpOptions http;
  HttpAccess access;
  TlsOptions tls;
  StreamableHttpOptions mcp;
  Sessions::Limits sessions;
  StdioOptions stdio;
  AdminSettings admin;
  DashboardSettings dashboard;
  TraceSettings traces;
  bool allow_remote_without_authentication = false;
  std::filesystem::path state_key;        // a file; what it says is in host.serving
  std::filesystem::path allowed_digests;  // likewise, in host.trust
  std::filesystem::path tokens;           // the file of the tokens that this program makes; empty: none are taken
  std::string origin;                     // at which clients reach this server: "https://mcp.example.com"
  std::map<std::string, IssuerSettings> issuers;                 // by their names here
  CertificateSubject client_subject = CertificateSubject::none;  // what of a client's certificate says who it is
  ProxySettings proxy;
  ImpliedScopes implied_scopes;
  std::vector<std::string> scopes;               // that clients ask an issuer for at first
  bool proof_nonces = false;                     // each proof must repeat what this host has told the client
  RoleTexts roles;                               // whose issuers have their names here
  LimitSettings limits;                          // of requests over HTTP
  std::map<std::string, VirtualServer> servers;  // by their names; each is what the host serves besides everything
  AuditOptions audit;                            // of what is recorded
  std::vector<std::string> stdio_roles;          // of the client that started this program; empty: it may do everything

  // Clients over HTTP can prove who they are, and must where what they may do depends on it.
  bool knows_credentials() const {
    return !tokens.empty() || !issuers.empty() || client_subject != CertificateSubject::none ||
           !proxy.user_header.empty();
  }
};

// The roles, with issuers by their URLs and no more by their names here, and those from which they are withheld.
RoleTexts settled_roles(const Config& config);
// Whether it is ISSUER#SUBJECT, of an issuer that vouches for somebody.
bool names_principal(const Config& config, const std::string& principal);

// The settings by their names, as a configuration file has them.
const Form<Config>& config_form();

// A setting that counts instead of the file's.
struct Override {
  std::string key;    // "http.listen"
  OrderedJson value;  // has not been checked
  std::string name;   // of the option or variable that says so: "--listen"
};

// Where the configuration comes from, to be read as often as it changes.
class ConfigSource {
 public:
  ConfigSource() = default;
  // No file: an empty path.
  ConfigSource(Config defaults, std::filesystem::path file, std::vector<Override> overrides)
      : defaults_(std::move(defaults)), file_(std::move(file)), overrides_(std::move(overrides)) {}

  // The same, with something that counts instead of what it says.
  ConfigSource with(Override more) const;
  // The same, with another folder for the data of plugins where nothing says one.
  ConfigSource with_default_data(std::filesystem::path folder) const;

  const std::filesystem::path& file() const { return file_; }
  // "team.toml:7:10", where the value that a JSON Pointer leads to is in the file; empty: it is not there.
  std::string place_of(const std::string& pointer) const;

  // A line for each: where it is in the file, or the option or variable that says it, and what is wrong. As a reader
  // meets them.
  std::string words_for(const Mistakes& mistakes) const;

  // An error has a line for each mistake: where it is (FILE:LINE:COLUMN, or the option or variable), what was expected,
  // and what to do.
  Result<Config> load() const;

 private:
  std::string place_in(const TomlDocument& document, const std::string& pointer) const;
  std::string words_for(const Mistake& mistake, const TomlDocument& document) const;
  std::string words_for(Mistakes mistakes, const TomlDocument& document) const;

  Config defaults_;
  std::filesystem::path file_;
  std::vector<Override> overrides_;
};

}  // namespace mcph
