// The commands that put upstream servers into the components folder, and take them out again.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "app/host.hpp"
#include "base/absolute_path.hpp"
#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "plugin/names.hpp"
#include "sources/upstream/client_servers.hpp"
#include "sources/upstream/upstream_settings.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr int nothing_done = 1;
constexpr int refused_for_now = 1;  // what has been written, by a host that runs now
constexpr std::size_t max_imported_bytes = std::size_t{4} << 20;

fs::path file_of(const fs::path& components, const std::string& name) {
  return components / "tools" / (name + std::string(upstream_ending));
}

std::optional<fs::path> find_upstream(const fs::path& components, const std::string& name) {
  for (const auto* const kind : {"tools", "resources", "prompts"}) {
    auto file = components / kind / (name + std::string(upstream_ending));
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file;
  }
  return std::nullopt;
}

// What is wrong with a name; empty: nothing. At a file whose name begins with a full stop no host looks.
std::string mistake_in_upstream_name(const std::string& name) {
  if (is_component_name(name) && name.front() != '.') return {};
  return "\"" + name + "\" is no name: it must be 1 to 128 characters of A-Za-z0-9_.-, the first of them no full stop";
}

// "NAME=VALUE", or "NAME=@FILE" for what is in a file.
Result<OrderedJson> read_pairs(const std::vector<std::string>& pairs, const std::string& option) {
  auto json = OrderedJson::object();
  for (const auto& pair : pairs) {
    const auto equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos)
      return fail(option + " must be NAME=VALUE or NAME=@FILE, but is \"" + pair + "\"");
    const auto name = pair.substr(0, equals);
    const auto value = pair.substr(equals + 1);
    if (value.starts_with('@')) {
      json[name] = {{"file", absolute_path(value.substr(1)).string()}};
    } else {
      json[name] = value;
    }
  }
  return json;
}

// "ftp://example.com", "https:example.com": no program is called so.
bool looks_like_url(std::string_view word) {
  const auto scheme = word.substr(0, word.find(':'));
  const bool has_scheme = !scheme.empty() && scheme.size() < word.size() && std::ranges::all_of(scheme, is_letter);
  return has_scheme || word.find("://") != std::string_view::npos;
}

Result<OrderedJson> settings_of(const UpstreamsCommand& command) {
  auto environment = read_pairs(command.environment, "--env");
  if (environment.has_error()) return environment;
  auto headers = read_pairs(command.headers, "--header");
  if (headers.has_error()) return headers;
  const auto& words = command.words;
  const bool is_url = words.front().starts_with("https://") || words.front().starts_with("http://");
  OrderedJson settings;
  if (!is_url && looks_like_url(words.front()))
    return fail("\"" + words.front() + "\" is neither a URL that begins with https:// or http:// nor a command");
  if (is_url && words.size() > 1)
    return fail("after a URL nothing follows, but there is \"" + words[1] + "\"; options go before NAME");
  if (is_url && !environment->empty()) return fail("--env is for a COMMAND; a URL has --header");
  if (!is_url && !headers->empty()) return fail("--header is for a URL; a COMMAND has --env");
  if (!is_url && command.sse) return fail("--sse is for a URL");
  if (is_url) {
    if (command.sse) settings["type"] = "sse";
    settings["url"] = words.front();
  } else {
    // A path is one from where the file lies.
    const bool is_path = words.front().find('/') != std::string::npos;
    settings["command"] = is_path ? absolute_path(words.front()).string() : words.front();
    settings["args"] = std::vector<std::string>(words.begin() + 1, words.end());
  }
  if (!environment->empty()) settings["env"] = *std::move(environment);
  if (!headers->empty()) settings["headers"] = *std::move(headers);
  if (!command.prefix.empty()) settings["prefix"] = command.prefix;
  if (command.connect_ms > 0) settings["connectMs"] = command.connect_ms;
  return settings;
}

// Whether it is in the file itself, and not only where to find it.
bool has_secret(const OrderedJson& settings) {
  if (settings.contains("oauth")) return true;
  const auto has_text = [&settings](const char* member) {
    const auto texts = settings.value(member, OrderedJson::object());
    return std::ranges::any_of(texts, [](const OrderedJson& text) { return text.is_string(); });
  };
  return has_text("env") || has_text("headers");
}

// Owner, group and what the group may read stay as they were: the host may be another user than this one.
Result<> keep_owner(const FileDescriptor& made, const struct ::stat& replaced) {
  constexpr ::mode_t all = S_IRWXU | S_IRWXG | S_IRWXO;
  // A group that may not read the file is of no use to it.
  const bool needs_owner = replaced.st_uid != ::geteuid() || (replaced.st_mode & S_IRGRP) != 0;
  if (!give_to_owner(made, replaced) && needs_owner)
    return fail("it cannot be given to the owner and the group of the one that is there, which only root can do");
  struct ::stat status {};
  const bool has_mode = ::fstat(made.get(), &status) == 0 &&
                        ::fchmod(made.get(), (status.st_mode & all) | (replaced.st_mode & S_IRGRP)) == 0;
  return has_mode ? Result<>() : Result<>(fail(last_error()));
}

// Under a name that nobody else looks for, and then in place at once. What holds a secret its owner reads, and the
// group that could do so before.
Result<> write_settings(const fs::path& file, const OrderedJson& settings) {
  auto text = dump(settings);
  if (auto checked = read_upstream_settings(text, file.parent_path(), {}); checked.has_error()) {
    const auto& why = checked.error().message;
    return fail(why.starts_with('"') ? why : "it " + why);  // some begin with the member that is wrong
  }
  text = settings.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const auto aside = file.parent_path() / ("." + file.filename().string() + ".new");
  fs::remove(aside, error);
  const ::mode_t mode = has_secret(settings) ? S_IRUSR | S_IWUSR : S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
  const auto opened = open_file(aside, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!opened) return fail(aside.string() + " cannot be written: " + last_error());
  auto made = write_all(opened, text) ? Result<>() : fail(last_error());
  struct ::stat replaced {};
  if (made.has_value() && ::stat(file.c_str(), &replaced) == 0) made = keep_owner(opened, replaced);
  if (made.has_value()) fs::rename(aside, file, error);
  if (made.has_value() && !error) return {};
  std::error_code ignored;
  fs::remove(aside, ignored);  // it may hold a secret
  return fail(file.string() + " cannot be written: " + (made.has_error() ? made.error().message : error.message()));
}

// Neither a host of another user nor its group can.
bool only_root_reads(const fs::path& file) {
  struct ::stat status {};
  if (::geteuid() != 0 || ::stat(file.c_str(), &status) != 0 || status.st_uid != 0) return false;
  return (status.st_mode & S_IROTH) == 0 && ((status.st_mode & S_IRGRP) == 0 || status.st_gid == 0);
}

// Why the host would refuse the server now. What is not there may come, or be there for the host alone.
std::vector<std::string> refusals_of(const OrderedJson& settings, const fs::path& written) {
  std::vector<std::string> all;
  const auto folder = written.parent_path();
  if (only_root_reads(written))
    all.push_back(written.string() + ": only root can read it; chgrp it to the host's group and chmod 640 it");
  const auto program = settings.value("command", "");
  const auto found = program.empty() ? Result<>() : check_program(program, folder, std::getenv("PATH"));
  if (found.has_error()) all.push_back(found.error().message + "; without one the host refuses the server");
  for (const auto* const member : {"env", "headers"}) {
    for (const auto& text : settings.value(member, OrderedJson::object())) {
      if (!text.is_object() || !text.contains("file")) continue;
      const auto file = folder / text["file"].get<std::string>();
      const auto read = ConfiguredText{ConfiguredText::Kind::file, file.string()}.read();
      if (read.has_error()) all.push_back(read.error().message + "; as long as that is so the host refuses the server");
    }
  }
  return all;
}

void remark_on(const std::vector<std::string>& refusals) {
  for (const auto& each : refusals)
    std::cerr << "mcp-plugin-host: " << each << "\n";
}

// Of what was meant for this program, perhaps. Its value may be a secret. Another host takes the same options.
void remark_on_options(const std::vector<std::string>& words) {
  if (std::filesystem::path(words.front()).filename() == "mcp-plugin-host") return;
  constexpr std::string_view own[] = {"--components", "--env", "--force", "--header", "--prefix", "--sse"};
  for (const auto& word : words) {
    const auto option = std::string_view(word).substr(0, word.find('='));
    if (std::ranges::find(own, option) == std::end(own)) continue;
    std::cerr << "mcp-plugin-host: " << option << " is passed to " << words.front()
              << "; if it was meant for add, it goes before NAME\n";
  }
}

int add_upstream(const UpstreamsCommand& command) {
  if (const auto mistake = mistake_in_upstream_name(command.name); !mistake.empty()) return complain(mistake);
  const auto settings = settings_of(command);
  if (settings.has_error()) return complain(settings.error().message);
  const auto& components = command.config.host.components;
  if (const auto there = find_upstream(components, command.name); there && !command.force)
    return complain(there->string() + " is there already; give --force to replace it");
  const auto file = find_upstream(components, command.name).value_or(file_of(components, command.name));
  if (const auto written = write_settings(file, *settings); written.has_error())
    return complain(written.error().message);
  const auto refusals = refusals_of(*settings, file);
  std::cout << "Wrote " << file.string();
  if (refusals.empty())
    std::cout << "; a host that runs serves it at once, and \"mcp-plugin-host list\" says what it has.";
  std::cout << "\n";
  remark_on_options(command.words);
  remark_on(refusals);
  return refusals.empty() ? 0 : refused_for_now;
}

int remove_upstream(const UpstreamsCommand& command) {
  if (const auto mistake = mistake_in_upstream_name(command.name); !mistake.empty()) return complain(mistake);
  const auto file = find_upstream(command.config.host.components, command.name);
  if (!file) {
    const auto& places = command.config.host.upstream_places;
    const auto place = places.find(command.name);
    std::cerr << "mcp-plugin-host: there is no " << file_of(command.config.host.components, command.name).string();
    if (place != places.end())
      std::cerr << "; it is configured at " << place->second << ": take it out there, and restart the host";
    std::cerr << "\n";
    return nothing_done;
  }
  std::error_code error;
  fs::remove(*file, error);
  if (error) return complain(file->string() + " cannot be removed: " + error.message());
  std::cout << "Removed " << file->string() << "\n";
  return 0;
}

// Each character that a name cannot have becomes one that it can.
std::string as_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!continues) name += is_component_name(std::string_view(&c, 1)) ? c : '-';
  }
  return name.substr(0, max_name_size);
}

void tell_what_is_left_to_do(const ImportedUpstream& server) {
  for (const auto& header : server.dropped_headers)
    std::cout << "  its header " << header << " is left out, because the host writes it by itself\n";
  for (const auto& [variable, text] : server.variables)
    std::cout << "  set " << variable << " in the environment of the host: it stands for \"" << text << "\"\n";
  for (const auto& member : server.unknown) {
    std::cout << "  write into its \"" << member
              << "\" what is meant by the ${...} there, which only its client knows: " << dump(server.settings[member])
              << "\n";
  }
}

Result<std::vector<ImportedUpstream>> read_servers(const fs::path& file) {
  const auto opened = open_to_read(file);
  if (!opened) return fail(file.string() + " cannot be opened: " + last_error());
  const auto text = read_regular_file(opened, max_imported_bytes);
  if (text.has_error()) return fail(file.string() + ": " + text.error().message);
  // Some clients read more than JSON.
  if (const auto json = parse_ordered_json(*text); json.has_error())
    return fail(file.string() + ": it is " + json.error().message + "; comments and trailing commas are not read");
  auto servers = read_client_servers(*text);
  if (servers.has_error()) return fail(file.string() + ": " + servers.error().message);
  return servers;
}

int import_upstreams(const UpstreamsCommand& command) {
  const auto servers = read_servers(command.file);
  if (servers.has_error()) return complain(servers.error().message);
  const auto& components = command.config.host.components;
  if (servers->empty()) std::cerr << "mcp-plugin-host: there is no server in " << command.file.string() << "\n";
  int status = servers->empty() ? nothing_done : 0;
  std::map<std::string, std::string> names;  // of the servers that have been written, by those of their files
  for (const auto& server : *servers) {
    const auto name = as_name(server.name);
    if (server.is_disabled) {
      std::cout << "Left out " << server.name << ", which is disabled there\n";
      continue;
    }
    if (const auto mistake = mistake_in_upstream_name(name); !mistake.empty()) {
      std::cerr << server.name << ": its file would be " << name << upstream_ending
                << ", at which no host looks; give it another name there\n";
      status = nothing_done;
      continue;
    }
    if (const auto [same, is_new] = names.emplace(name, server.name); !is_new) {
      std::cerr << server.name << ": its file would be that of " << same->second << ", " << name
                << "; give one of them another name there\n";
      status = nothing_done;
      continue;
    }
    const auto there = find_upstream(components, name);
    const auto file = there.value_or(file_of(components, name));
    const auto written = there && !command.force
                             ? Result<>(fail(there->string() + " is there already; give --force to replace it"))
                             : write_settings(file, server.settings);
    if (written.has_error()) {
      std::cerr << server.name << ": " << written.error().message << "\n";
      status = nothing_done;
      continue;
    }
    std::cout << "Wrote " << file.string();
    if (!server.dropped.empty()) {
      std::cout << ", without";
      for (const auto& member : server.dropped)
        std::cout << " \"" << member << '"';
      std::cout << ", which only clients know";
    }
    std::cout << "\n";
    tell_what_is_left_to_do(server);
    remark_on(refusals_of(server.settings, file));
  }
  return status;
}

}  // namespace

int run(const UpstreamsCommand& command) {
  const auto found = find_components(command.config.host);
  if (found.has_error() && command.what != UpstreamsCommand::What::remove) return complain(found.error().message);
  switch (command.what) {
    case UpstreamsCommand::What::add:
      return add_upstream(command);
    case UpstreamsCommand::What::remove:
      return remove_upstream(command);
    case UpstreamsCommand::What::import:
      return import_upstreams(command);
  }
  return not_carried_out;
}

}  // namespace mcph
