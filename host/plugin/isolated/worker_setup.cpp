#include "plugin/isolated/worker_setup.hpp"

#include <algorithm>
#include <exception>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "plugin/names.hpp"

namespace mcph {
namespace {

// What `read` throws is a member that is missing or of another type.
template <class T, class Read>
Result<T> read_json(std::string_view text, Read read) {
  const auto json = parse_json(text);
  if (json.has_error()) return json.error();
  try {
    return read(*json);
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

// A path is bytes and JSON is UTF-8, which nothing makes a file's name be. So each byte is written as the character
// that has its number (U+0000 to U+00FF), and read back.
Json json_of(const std::filesystem::path& path) {
  std::string text;
  for (const char c : path.native()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

std::filesystem::path path_of(const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_pair = byte >= 0xC0 && i + 1 < text.size();
    path += is_pair ? static_cast<char>((byte & 0x03) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F)) : text[i];
  }
  return path;
}

Json json_of(const std::vector<std::filesystem::path>& paths) {
  auto list = Json::array();
  for (const auto& path : paths)
    list.push_back(json_of(path));
  return list;
}

std::vector<std::filesystem::path> paths_of(const Json& list) {
  std::vector<std::filesystem::path> paths;
  for (const auto& each : list)
    paths.push_back(path_of(each));
  return paths;
}

Json json_of(const Sandbox& sandbox) {
  return {{"profile", sandbox.profile},
          {"required", sandbox.required},
          {"read", json_of(sandbox.read)},
          {"write", json_of(sandbox.write)},
          {"network", sandbox.network_access()}};
}

Sandbox sandbox_of(const Json& object) {
  return {.profile = object.at("profile"),
          .required = object.at("required"),
          .read = paths_of(object.at("read")),
          .write = paths_of(object.at("write")),
          .network = object.at("network").get<SandboxNetwork>()};
}

// Of bytes, as a path is.
Json json_of(const std::vector<std::string>& texts) {
  auto list = Json::array();
  for (const auto& text : texts)
    list.push_back(json_of(std::filesystem::path(text)));
  return list;
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  for (const auto& each : list)
    texts.push_back(path_of(each).native());
  return texts;
}

Json json_of(const WorkerProgram& program) {
  return {{"command", json_of(program.command)},
          {"environment", json_of(program.environment)},
          {"folder", json_of(program.folder)}};
}

WorkerProgram program_of(const Json& object) {
  return {.command = texts_of(object.at("command")),
          .environment = texts_of(object.at("environment")),
          .folder = path_of(object.at("folder"))};
}

constexpr std::size_t max_lacks = 16;
constexpr std::size_t max_lack = 512;

// Whatever a plugin could make its worker say, it is a few lines.
bool is_short(const std::vector<std::string>& lacks) {
  return lacks.size() <= max_lacks &&
         std::all_of(lacks.begin(), lacks.end(), [](const auto& lack) { return lack.size() <= max_lack; });
}

}  // namespace

std::string WorkerSetup::json() const {
  return dump(Json{{"library", json_of(library)},
                   {"file", json_of(file)},
                   {"digest", digest},
                   {"bundle", json_of(bundle)},
                   {"configuration", configuration},
                   {"dataRoot", json_of(data_directory.root)},
                   {"dataPlace", json_of(data_directory.place)},
                   {"concurrentCalls", limits.concurrent_calls},
                   {"callsInFlight", limits.calls_in_flight},
                   {"callTimeMs", limits.call_time.count()},
                   {"resultBytes", limits.result_bytes},
                   {"memoryBytes", limits.memory_bytes},
                   {"openFiles", limits.open_files},
                   {"cpuPercent", limits.cpu_percent},
                   {"startsNothing", limits.starts_nothing},
                   {"sandbox", json_of(sandbox)},
                   {"hasServerInfo", has_server_info},
                   {"hasStore", has_store},
                   {"starts", starts},
                   {"program", json_of(program)}});
}

Result<WorkerSetup> WorkerSetup::read(std::string_view json) {
  return read_json<WorkerSetup>(json, [](const Json& object) {
    return WorkerSetup{.library = path_of(object.at("library")),
                       .file = path_of(object.at("file")),
                       .digest = object.at("digest"),
                       .bundle = path_of(object.at("bundle")),
                       .configuration = object.at("configuration"),
                       .data_directory = {path_of(object.at("dataRoot")), path_of(object.at("dataPlace"))},
                       .limits = {.concurrent_calls = object.at("concurrentCalls"),
                                  .calls_in_flight = object.at("callsInFlight"),
                                  .call_time = std::chrono::milliseconds(object.at("callTimeMs").get<std::int64_t>()),
                                  .result_bytes = object.at("resultBytes"),
                                  .memory_bytes = object.at("memoryBytes"),
                                  .open_files = object.at("openFiles"),
                                  .cpu_percent = object.at("cpuPercent"),
                                  .starts_nothing = object.at("startsNothing")},
                       .sandbox = sandbox_of(object.at("sandbox")),
                       .has_server_info = object.at("hasServerInfo"),
                       .has_store = object.at("hasStore"),
                       .starts = object.at("starts"),
                       .program = program_of(object.at("program"))};
  });
}

std::string WorkerIdentity::json() const {
  return dump(Json{{"name", name},
                   {"version", version},
                   {"id", about.id},
                   {"vendor", about.vendor},
                   {"description", about.description},
                   {"url", about.url},
                   {"sandboxLacks", sandbox_lacks}});
}

Result<WorkerIdentity> WorkerIdentity::read(std::string_view json) {
  auto identity = read_json<WorkerIdentity>(json, [](const Json& object) {
    return WorkerIdentity{.name = object.at("name"),
                          .version = object.at("version"),
                          .about = {.id = object.at("id"),
                                    .vendor = object.at("vendor"),
                                    .description = object.at("description"),
                                    .url = object.at("url")},
                          .sandbox_lacks = object.at("sandboxLacks")};
  });
  if (identity.has_error()) return identity;
  if (!is_component_name(identity->name) || !is_version(identity->version)) return fail("its name or version is none");
  if (auto about = check(identity->about); about.has_error()) return about.error();
  if (!is_short(identity->sandbox_lacks)) return fail("what its sandbox lacks is too long");
  return identity;
}

}  // namespace mcph
