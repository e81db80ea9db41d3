#include "plugin/worker_setup.hpp"

#include <algorithm>
#include <exception>

#include <nlohmann/json.hpp>

#include "json_text.hpp"
#include "plugin/names.hpp"

namespace mcph {
namespace {

using Json = nlohmann::json;

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

std::vector<std::string> texts_of(const std::vector<std::filesystem::path>& paths) {
  return {paths.begin(), paths.end()};
}

std::vector<std::filesystem::path> paths_of(const Json& texts) {
  const auto values = texts.get<std::vector<std::string>>();
  return {values.begin(), values.end()};
}

Json json_of(const Sandbox& sandbox) {
  return {{"profile", sandbox.profile},
          {"required", sandbox.required},
          {"read", texts_of(sandbox.read)},
          {"write", texts_of(sandbox.write)},
          {"network", sandbox.network_access()}};
}

Sandbox sandbox_of(const Json& object) {
  return {.profile = object.at("profile"),
          .required = object.at("required"),
          .read = paths_of(object.at("read")),
          .write = paths_of(object.at("write")),
          .network = object.at("network").get<SandboxNetwork>()};
}

constexpr std::size_t most_lacks = 16;
constexpr std::size_t longest_lack = 512;

// Whatever a plugin could make its worker say, it is a few lines.
bool is_short(const std::vector<std::string>& lacks) {
  return lacks.size() <= most_lacks &&
         std::all_of(lacks.begin(), lacks.end(), [](const auto& lack) { return lack.size() <= longest_lack; });
}

}  // namespace

std::optional<std::int32_t> find_worker_method(std::string_view method) {
  const auto* const found = std::find(worker_methods.begin(), worker_methods.end(), method);
  if (found == worker_methods.end()) return std::nullopt;
  return static_cast<std::int32_t>(found - worker_methods.begin());
}

std::string WorkerSetup::json() const {
  return dump(Json{{"library", library.string()},
                   {"file", file.string()},
                   {"digest", digest},
                   {"configuration", configuration},
                   {"dataDirectory", data_directory.string()},
                   {"concurrentCalls", limits.concurrent_calls},
                   {"waitingCalls", limits.waiting_calls},
                   {"callTimeMs", limits.call_time.count()},
                   {"resultBytes", limits.result_bytes},
                   {"memoryBytes", limits.memory_bytes},
                   {"openFiles", limits.open_files},
                   {"cpuPercent", limits.cpu_percent},
                   {"startsNothing", limits.starts_nothing},
                   {"sandbox", json_of(sandbox)},
                   {"hasServerInfo", has_server_info},
                   {"starts", starts}});
}

Result<WorkerSetup> WorkerSetup::read(std::string_view json) {
  return read_json<WorkerSetup>(json, [](const Json& object) {
    return WorkerSetup{.library = object.at("library").get<std::string>(),
                       .file = object.at("file").get<std::string>(),
                       .digest = object.at("digest"),
                       .configuration = object.at("configuration"),
                       .data_directory = object.at("dataDirectory").get<std::string>(),
                       .limits = {.concurrent_calls = object.at("concurrentCalls"),
                                  .waiting_calls = object.at("waitingCalls"),
                                  .call_time = std::chrono::milliseconds(object.at("callTimeMs").get<std::int64_t>()),
                                  .result_bytes = object.at("resultBytes"),
                                  .memory_bytes = object.at("memoryBytes"),
                                  .open_files = object.at("openFiles"),
                                  .cpu_percent = object.at("cpuPercent"),
                                  .starts_nothing = object.at("startsNothing")},
                       .sandbox = sandbox_of(object.at("sandbox")),
                       .has_server_info = object.at("hasServerInfo"),
                       .starts = object.at("starts")};
  });
}

std::string WorkerIdentity::json() const {
  return dump(Json{{"name", name}, {"version", version}, {"sandboxLacks", sandbox_lacks}});
}

Result<WorkerIdentity> WorkerIdentity::read(std::string_view json) {
  auto identity = read_json<WorkerIdentity>(json, [](const Json& object) {
    return WorkerIdentity{
        .name = object.at("name"), .version = object.at("version"), .sandbox_lacks = object.at("sandboxLacks")};
  });
  if (identity.has_error()) return identity;
  if (!is_component_name(identity->name) || !is_version(identity->version)) return fail("its name or version is none");
  if (!is_short(identity->sandbox_lacks)) return fail("what its sandbox lacks is too long");
  return identity;
}

}  // namespace mcph
