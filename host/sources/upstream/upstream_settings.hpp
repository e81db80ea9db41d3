// What NAME.mcp.json says of an upstream server: how it is reached, what of it is served, and what it may take. Values
// and free functions; any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "plugin/isolated/worker_setup.hpp"
#include "sources/folder/plugin_configuration.hpp"
#include "sources/upstream/http_upstream_settings.hpp"
#include "sources/upstream/upstream_names.hpp"

namespace mcph {

// A text that the configuration has, or says where to find, so that a secret need not stand in it: "TEXT",
// {"file": PATH} or {"env": NAME}.
struct ConfiguredText {
  enum class Kind { text, file, environment } kind = Kind::text;
  std::string value = {};  // the text, the file, or the variable of the host

  // As it is now. A file may be written by its owner alone, and read by its group besides; a line feed at its end does
  // not count.
  Result<std::string> read() const;
};

// A program that is started, and spoken to on its standard input and output.
struct UpstreamCommand {
  std::vector<std::string> command;  // with its arguments
  std::map<std::string, ConfiguredText> environment = {};
  std::filesystem::path folder = {};  // that it runs in; empty: that of the file that says so

  // What the host starts: of its own environment only what a program needs to find others and to write as people
  // expect, and what the operator gives it.
  Result<WorkerProgram> program() const;
};

// A server that is there already.
struct UpstreamUrl {
  std::string url = {};
  std::vector<std::pair<std::string, ConfiguredText>> headers = {};
  std::filesystem::path ca_file = {};  // empty: whom this machine trusts
  bool insecure = false;               // in the clear, to another machine, too
  bool sse = false;
  struct OAuth {
    std::string token_url = {};  // empty: there is an issuer
    std::string issuer = {};
    std::string id = {};
    ConfiguredText secret = {};
    std::string scope = {};
  };
  std::optional<OAuth> oauth = {};

  Result<HttpUpstreamSettings> settings() const;
};

struct UpstreamSettings {
  std::variant<UpstreamCommand, UpstreamUrl> way;
  UpstreamNames names = {};
  PluginLimits limits = {};
  RestartPolicy::Limits restarts = {};
  Sandbox sandbox = {};
  ErrorTexts errors = ErrorTexts::shown;
  bool is_legacy = false;                          // it is not asked whether it speaks a modern revision
  std::chrono::milliseconds connect_time{10'000};  // to begin, to agree on how to speak, and for each page of a list
  std::chrono::milliseconds grace{10'000};         // for which components stay that are not there any more

  bool is_process() const { return std::holds_alternative<UpstreamCommand>(way); }
};

// Whether the host writes it by itself in what it sends to an upstream, whatever the name's case, so that another line
// of it would make the message two (RFC 9110 section 5.3).
bool is_header_of_host(std::string_view name);

// An error: there is no such program. Its path is one from `folder`; a name is looked for in `path`, which is the value
// of PATH, as is_program does.
Result<> check_program(const std::string& command, const std::filesystem::path& folder, const char* path);

// `folder` is where relative paths begin. An error continues the name of what has been read.
Result<UpstreamSettings> read_upstream_settings(std::string text, const std::filesystem::path& folder,
                                                const PluginConfiguration& defaults);

// NAME of NAME.mcp.json. An error where it is no name.
Result<std::string> upstream_name(const std::filesystem::path& file);

}  // namespace mcph
