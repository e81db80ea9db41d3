#include "app/serving_checks.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

#include "app/host.hpp"
#include "audit/signing_key.hpp"
#include "auth/introspection.hpp"
#include "auth/token_file.hpp"
#include "base/absolute_path.hpp"
#include "base/json_pointer.hpp"
#include "base/local_socket.hpp"
#include "base/regular_file.hpp"
#include "http/tls/tls_context.hpp"
#include "sources/upstream/upstream_settings.hpp"
#include "traces/span_exporter.hpp"

namespace mcph {
namespace {

// Whether what the host would start or send for an upstream is there.
Result<> check_way(const std::variant<UpstreamCommand, UpstreamUrl>& way) {
  if (const auto* const url = std::get_if<UpstreamUrl>(&way)) {
    const auto settings = url->settings();
    return settings.has_error() ? Result<>(settings.error()) : Result<>();
  }
  const auto program = std::get<UpstreamCommand>(way).program();
  if (program.has_error()) return program.error();
  constexpr std::string_view beginning = "PATH=";
  const char* path = nullptr;
  for (const auto& variable : program->environment) {
    if (variable.starts_with(beginning)) path = variable.c_str() + beginning.size();
  }
  return check_program(program->command.front(), {}, path);
}

// Each file that cannot be opened; where all can be, what is wrong with the first.
void check_tls(const TlsOptions& tls, Mistakes& mistakes) {
  const std::pair<const char*, std::filesystem::path> files[] = {
      {"/tls/certificate", tls.certificate}, {"/tls/key", tls.key}, {"/tls/client_ca", tls.client_ca}};
  const auto before = mistakes.size();
  for (const auto& [pointer, file] : files) {
    const auto opened = file.empty() ? FileDescriptor() : open_to_read(file);
    if (!file.empty() && !opened)
      mistakes.push_back({pointer, "cannot be used: " + file.string() + ": it cannot be opened: " + last_error()});
  }
  if (mistakes.size() > before) return;
  const auto loaded = TlsContext::load(tls, nullptr, std::chrono::system_clock::now());
  if (loaded.has_value()) return;
  const auto& why = loaded.error().message;
  // The words begin with the name of the file that is wrong, if it is one.
  const auto named = std::ranges::find_if(
      files, [&why](const auto& each) { return !each.second.empty() && why.starts_with(each.second.string() + ": "); });
  mistakes.push_back({named == std::end(files) ? "/tls" : named->first, "cannot be used: " + why});
}

// What the audit log asks of its file, in a folder that is there, but makes nothing.
Result<> check_audit_file(const std::filesystem::path& file) {
  if (const auto opened = open_file(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)) {
    const auto identity = identity_of_regular_file(opened);
    return identity.has_error() ? Result<>(identity.error()) : check_owner_only(opened);
  }
  if (errno != ENOENT) return fail("it cannot be written: " + last_error());
  const auto folder = absolute_path(file).parent_path();
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  return fail("it cannot be made in " + folder.string() + ": " + last_error());
}

}  // namespace

Mistakes check_reachability(const Config& config) {
  Mistakes mistakes;
  const auto refuse = [&mistakes](const char* pointer, const HttpAddress& listen, const char* why) {
    mistakes.push_back({pointer, listen.authority() + " is reached by others, and " + why});
  };
  const auto& admin = config.admin;
  if (admin.listen && !admin.loopback_only && !admin.allow_remote) {
    refuse("/admin/listen", *admin.listen,
           "nobody is asked there who they are. Listen on 127.0.0.1, or set [admin] allow_remote = true (option "
           "--allow-remote-admin) if everybody who can reach it may read how this host fares.");
  }
  const auto& dashboard = config.dashboard;
  if (dashboard.listen && !dashboard.loopback_only && !dashboard.allow_remote && !config.tls.is_on()) {
    refuse("/dashboard/listen", *dashboard.listen,
           "there is no TLS, so that they could read along and take a login over. Set [tls], listen on 127.0.0.1, or "
           "set [dashboard] allow_remote = true (option --allow-remote-dashboard) if something before it encrypts.");
  }
  const bool admits_only_some = config.tls.client_certificates == TlsOptions::ClientCertificates::required;
  const bool is_protected =
      config.knows_credentials() || admits_only_some || config.allow_remote_without_authentication;
  if (!config.access.loopback_only && !is_protected) {
    refuse("/http/listen", config.http.listen,
           "nothing proves who they are. Set [tokens] file, [issuers.NAME] or [tls] client_certificates = "
           "\"required\", listen on 127.0.0.1 behind a proxy that authenticates, or set [http] "
           "allow_remote_without_authentication = true (option --allow-remote-without-authentication) if everybody "
           "who can reach it may use it.");
  }
  return mistakes;
}

std::string remark_on_clear_text(const Config& config) {
  const bool is_reached = !config.http.listen.is_none() && !config.access.loopback_only;
  const bool knows_proxy = !config.proxy.from.empty() || !config.proxy.trusted_addresses.empty();
  if (!is_reached || config.tls.is_on() || !config.knows_credentials() || knows_proxy) return {};
  return config.http.listen.authority() +
         " is reached by others without [tls]: credentials and answers go over the network in the clear, unless a "
         "proxy before it encrypts. Such a proxy is named in [proxy] trusted_addresses";
}

std::string remark_on_roles(const Config& config) {
  const bool somebody_has_one = config.knows_credentials() || config.roles.contains(std::string(anonymous_role));
  if (config.roles.empty() || somebody_has_one) return {};
  return "roles can be nobody's over HTTP, because nothing proves who a client is, so that all clients see nothing: "
         "say [tokens] file, [issuers.NAME], [tls] client_subject or [proxy] user_header, or add the role anonymous";
}

Mistakes check_files(const Config& config) {
  Mistakes mistakes;
  const auto note = [&](std::string pointer, const auto& result) {
    if (result.has_error()) mistakes.push_back({std::move(pointer), "cannot be used: " + result.error().message});
  };
  note("/plugins/components", find_components(config.host));
  if (config.tls.is_on()) check_tls(config.tls, mistakes);
  const auto note_folder_of = [&](std::string pointer, const std::filesystem::path& file) {
    const auto folder = file.parent_path();
    std::error_code ignored;
    if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return true;
    note(std::move(pointer), Result<>(fail("its folder " + folder.string() + " is not there; make it")));
    return false;
  };
  if (!config.tokens.empty()) note("/tokens/file", look_at_tokens(config.tokens));
  note_folder_of("/tokens/file", config.tokens);
  for (const auto& [name, issuer] : config.issuers) {
    if (!issuer.client_secret.empty())
      note(append_to_pointer("/issuers", name) + "/client_secret_file", read_client_secret(issuer.client_secret));
  }
  if (!config.audit.key.empty()) note("/audit/key", AuditSigningKey::read(config.audit.key));
  if (!config.audit.file.empty() && note_folder_of("/audit/file", config.audit.file))
    note("/audit/file", check_audit_file(config.audit.file));
  std::error_code ignored;
  const auto& data = config.host.data_root;
  if (std::filesystem::exists(data, ignored) && !std::filesystem::is_directory(data, ignored))
    note("/plugins/data", Result<>(fail(data.string() + " is no folder")));
  note("/http/unix_socket", check_socket_path(config.http.unix_socket));
  if (config.host.control != "none") note("/serving/control", check_socket_path(config.host.control));
  for (const auto& [name, text] : config.host.upstreams) {
    const auto upstream = read_upstream_settings(text, config.host.upstreams_folder, {});
    if (upstream.has_value()) note(append_to_pointer("/upstreams", name), check_way(upstream->way));
  }
  if (!config.traces.headers.empty()) note("/traces/headers_file", read_header_file(config.traces.headers));
  return mistakes;
}

}  // namespace mcph
