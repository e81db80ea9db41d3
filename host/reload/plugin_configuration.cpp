#include "reload/plugin_configuration.hpp"

#include <cerrno>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "json_text.hpp"
#include "plugin/regular_file.hpp"

namespace mcph {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_bytes = std::size_t{1} << 20;

// The host's members are taken out of the object.
Result<> take_isolation(Json& object, Isolation& isolation) {
  const auto found = object.find("isolation");
  if (found == object.end()) return {};
  if (*found == "worker") {
    isolation = Isolation::worker;
  } else if (*found == "in-process") {
    isolation = Isolation::in_process;
  } else {
    return fail(R"(has "isolation": )" + dump(*found) + R"(, which must be "worker" or "in-process")");
  }
  object.erase(found);
  return {};
}

}  // namespace

std::filesystem::path configuration_file(const std::filesystem::path& plugin_file) {
  return std::filesystem::path(plugin_file).replace_extension(".json");
}

Result<PluginConfiguration> read_configuration(const std::filesystem::path& plugin_file,
                                               const PluginConfiguration& defaults) {
  const auto file = configuration_file(plugin_file);
  const auto what = "its configuration " + file.string();
  const auto opened = open_to_read(file);
  if (!opened) {
    if (errno == ENOENT || errno == ENOTDIR) return defaults;
    return fail_for_now(what + " cannot be opened: " + last_error());
  }
  auto text = read_regular_file(opened, most_bytes);
  if (text.has_error()) {
    auto error = text.error();
    error.message = what + " cannot be used: " + error.message;
    return error;
  }
  auto json = parse_json(*text);
  if (json.has_error()) return fail(what + " is " + json.error().message);
  if (!json->is_object()) return fail(what + " is not a JSON object");
  PluginConfiguration configuration = defaults;
  const auto members = json->size();
  if (auto taken = take_isolation(*json, configuration.isolation); taken.has_error()) {
    return fail(what + " " + taken.error().message);
  }
  // The plugin's own is left as it was written where it is all there is.
  configuration.own = json->size() == members ? *std::move(text) : dump(*json);
  return configuration;
}

}  // namespace mcph
