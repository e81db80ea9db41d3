#include "reload/plugin_configuration.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "json_text.hpp"
#include "plugin/regular_file.hpp"
#include "plugin/worker_frame.hpp"

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

// A number that an operator may set.
template <class T>
struct Member {
  std::string_view name;
  std::uint64_t least;
  std::uint64_t most;
  void (*set)(T& target, std::uint64_t value);
};

constexpr std::uint64_t most_calls = 100'000;
constexpr std::uint64_t most_ms = 365ULL * 24 * 3600 * 1000;
constexpr std::uint64_t most_memory = std::uint64_t{1} << 50;

using std::chrono::milliseconds;

constexpr std::array<Member<PluginLimits>, 6> limit_members{{
    {"callTimeMs", 0, most_ms, [](auto& limits, auto value) { limits.call_time = milliseconds(value); }},
    {"concurrentCalls", 1, most_calls, [](auto& limits, auto value) { limits.concurrent_calls = value; }},
    {"callsInFlight", 1, most_calls, [](auto& limits, auto value) { limits.waiting_calls = value; }},
    {"resultBytes", 1, most_frame_bytes, [](auto& limits, auto value) { limits.result_bytes = value; }},
    {"memoryBytes", 0, most_memory, [](auto& limits, auto value) { limits.memory_bytes = value; }},
    {"openFiles", 0, most_calls, [](auto& limits, auto value) { limits.open_files = value; }},
}};

constexpr std::array<Member<RestartPolicy::Limits>, 4> restart_members{{
    {"crashes", 0, most_calls, [](auto& limits, auto value) { limits.crashes = value; }},
    {"periodMs", 1, most_ms, [](auto& limits, auto value) { limits.period = milliseconds(value); }},
    {"firstDelayMs", 0, most_ms, [](auto& limits, auto value) { limits.first_delay = milliseconds(value); }},
    {"lastDelayMs", 0, most_ms, [](auto& limits, auto value) { limits.last_delay = milliseconds(value); }},
}};

template <class Members>
std::string names_of(const Members& members) {
  std::string names;
  for (const auto& each : members)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

// Sets what the object's member of this name says, and takes it out.
template <class T, std::size_t count>
Result<> take_numbers(Json& object, const std::string& name, const std::array<Member<T>, count>& members, T& target) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (!found->is_object()) return fail("has \"" + name + "\": " + dump(*found) + ", which must be an object");
  for (const auto& [key, value] : found->items()) {
    const auto where = "has \"" + name + "\": {\"" + key + "\": " + dump(value) + "}";
    const auto* const member =
        std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.name == key; });
    if (member == members.end()) return fail(where + ", but its members are " + names_of(members));
    if (!value.is_number_unsigned() || value < member->least || value > member->most) {
      return fail(where + ", which must be a whole number from " + std::to_string(member->least) + " to " +
                  std::to_string(member->most));
    }
    member->set(target, value.template get<std::uint64_t>());
  }
  object.erase(found);
  return {};
}

Result<> take_host_members(Json& object, PluginConfiguration& configuration) {
  if (auto taken = take_isolation(object, configuration.isolation); taken.has_error()) return taken;
  if (auto taken = take_numbers(object, "limits", limit_members, configuration.limits); taken.has_error()) return taken;
  return take_numbers(object, "restarts", restart_members, configuration.restarts);
}

}  // namespace

std::filesystem::path configuration_file(const std::filesystem::path& plugin_file) {
  return std::filesystem::path(plugin_file).replace_extension(".json");
}

Result<PluginConfiguration> read_configuration(const std::filesystem::path& plugin_file, const FileTrust& trust,
                                               const PluginConfiguration& defaults) {
  const auto file = configuration_file(plugin_file);
  const auto what = "its configuration " + file.string();
  const auto opened = open_to_read(file);
  if (!opened) {
    if (errno == ENOENT || errno == ENOTDIR) return defaults;
    return fail_for_now(what + " cannot be opened: " + last_error());
  }
  const auto unusable = [&](Error error) {
    error.message = what + " cannot be used: " + error.message;
    return error;
  };
  auto text = read_regular_file(opened, most_bytes);
  if (text.has_error()) return unusable(text.error());
  if (const auto trusted = trust.check(file, opened); trusted.has_error()) return unusable(trusted.error());
  auto json = parse_json(*text);
  if (json.has_error()) return fail(what + " is " + json.error().message);
  if (!json->is_object()) return fail(what + " is not a JSON object");
  PluginConfiguration configuration = defaults;
  const auto members = json->size();
  if (auto taken = take_host_members(*json, configuration); taken.has_error()) {
    return fail(what + " " + taken.error().message);
  }
  // The plugin's own is left as it was written where it is all there is.
  configuration.own = json->size() == members ? *std::move(text) : dump(*json);
  return configuration;
}

}  // namespace mcph
