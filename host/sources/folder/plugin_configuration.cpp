#include "sources/folder/plugin_configuration.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "base/similar_name.hpp"
#include "plugin/isolated/worker_frame.hpp"
#include "sources/folder/component_settings_reader.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 20;

// A number that an operator may set.
template <class T>
struct Member {
  std::string_view name;
  std::uint64_t least;
  std::uint64_t most;
  void (*set)(T& target, std::uint64_t value);
};

constexpr std::uint64_t max_calls = 100'000;
constexpr std::uint64_t max_percent = 100'000;
constexpr std::uint64_t max_ms = 365ULL * 24 * 3600 * 1000;
// What a plugin keeps is in the host's memory.
constexpr std::uint64_t max_store_keys = 100'000;
constexpr std::uint64_t max_store_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t max_memory = std::uint64_t{1} << 50;

using std::chrono::milliseconds;

constexpr std::array<Member<PluginLimits>, 10> limit_members{{
    {"callTimeMs", 0, max_ms, [](auto& limits, auto value) { limits.call_time = milliseconds(value); }},
    {"concurrentCalls", 1, max_calls, [](auto& limits, auto value) { limits.concurrent_calls = value; }},
    {"callsInFlight", 1, max_calls, [](auto& limits, auto value) { limits.calls_in_flight = value; }},
    {"resultBytes", 1, max_frame_bytes, [](auto& limits, auto value) { limits.result_bytes = value; }},
    {"storeKeys", 0, max_store_keys, [](auto& limits, auto value) { limits.store_keys = value; }},
    {"storeBytes", 0, max_store_bytes, [](auto& limits, auto value) { limits.store_bytes = value; }},
    {"memoryBytes", 0, max_memory, [](auto& limits, auto value) { limits.memory_bytes = value; }},
    {"openFiles", 0, max_calls, [](auto& limits, auto value) { limits.open_files = value; }},
    {"cpuPercent", 0, max_percent, [](auto& limits, auto value) { limits.cpu_percent = static_cast<unsigned>(value); }},
    // No system counts them for one plugin, so it is none or any number.
    {"processes", 0, 0, [](auto& limits, auto) { limits.starts_nothing = true; }},
}};

constexpr std::array<Member<RestartPolicy::Limits>, 4> restart_members{{
    {"crashes", 0, max_calls, [](auto& limits, auto value) { limits.crashes = value; }},
    {"periodMs", 1, max_ms, [](auto& limits, auto value) { limits.period = milliseconds(value); }},
    {"firstDelayMs", 0, max_ms, [](auto& limits, auto value) { limits.first_delay = milliseconds(value); }},
    {"lastDelayMs", 0, max_ms, [](auto& limits, auto value) { limits.last_delay = milliseconds(value); }},
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
  for (const auto& item : found->items()) {
    const auto& key = item.key();
    const auto& value = item.value();
    const auto where = "has \"" + name + "\": {\"" + key + "\": " + dump(value) + "}";
    const auto* const member =
        std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.name == key; });
    if (member == members.end()) return fail(where + ", but its members are " + names_of(members));
    if (!value.is_number_unsigned() || value < member->least || value > member->most) {
      if (member->least == member->most) return fail(where + ", which must be " + std::to_string(member->least));
      return fail(where + ", which must be a whole number from " + std::to_string(member->least) + " to " +
                  std::to_string(member->most));
    }
    member->set(target, value.template get<std::uint64_t>());
  }
  object.erase(found);
  return {};
}

// One of a few words.
template <class Choices, class T>
Result<> take_word(const Json& value, const std::string& where, const Choices& choices, T& target) {
  std::string words;
  for (const auto& [word, choice] : choices) {
    if (value == word) {
      target = choice;
      return {};
    }
    words += (words.empty() ? "\"" : "\", \"") + std::string(word);
  }
  return fail(where + ", which must be one of " + words + "\"");
}

// The host's members are taken out of the object.
Result<> take_isolation(Json& object, Isolation& isolation) {
  const auto found = object.find("isolation");
  if (found == object.end()) return {};
  if (auto taken = take_word(*found, R"(has "isolation": )" + dump(*found), isolations, isolation); taken.has_error())
    return taken;
  object.erase(found);
  return {};
}

Result<> take_errors(Json& object, ErrorTexts& errors) {
  const auto found = object.find("errors");
  if (found == object.end()) return {};
  if (auto taken = take_word(*found, R"(has "errors": )" + dump(*found), error_texts, errors); taken.has_error())
    return taken;
  object.erase(found);
  return {};
}

// Absolute, because the worker's working directory is nobody's concern.
Result<> take_paths(const Json& value, const std::string& where, std::vector<std::filesystem::path>& target) {
  const auto is_absolute = [](const Json& path) {
    return path.is_string() && path.get_ref<const std::string&>().starts_with('/');
  };
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_absolute)) {
    return fail(where + ", which must be a list of absolute paths");
  }
  const auto paths = value.get<std::vector<std::string>>();
  target.assign(paths.begin(), paths.end());
  return {};
}

Result<> take_sandbox_member(const std::string& key, const Json& value, Sandbox& sandbox) {
  const auto where = R"(has "sandbox": {")" + key + "\": " + dump(value) + "}";
  if (key == "profile") return take_word(value, where, sandbox_profiles, sandbox.profile);
  if (key == "network") return take_word(value, where, sandbox_networks, sandbox.network);
  if (key == "read") return take_paths(value, where, sandbox.read);
  if (key == "write") return take_paths(value, where, sandbox.write);
  if (key != "required") return fail(where + ", but its members are profile, required, read, write, network");
  if (!value.is_boolean()) return fail(where + ", which must be true or false");
  sandbox.required = value.get<bool>();
  return {};
}

// What is said of a sandbox and would have no effect is a mistake that somebody would find out too late.
Result<> take_sandbox(Json& object, Sandbox& sandbox) {
  const auto found = object.find("sandbox");
  if (found == object.end()) return {};
  if (!found->is_object()) return fail(R"(has "sandbox": )" + dump(*found) + ", which must be an object");
  for (const auto& [key, value] : found->items()) {
    if (auto taken = take_sandbox_member(key, value, sandbox); taken.has_error()) return taken;
  }
  if (sandbox.profile == SandboxProfile::none && !found->contains("profile")) {
    return fail(R"(has a "sandbox" without a "profile", which must be one of "none", "permissive", "strict")");
  }
  if (sandbox.profile == SandboxProfile::none && found->size() > 1) {
    return fail(R"(has "sandbox": )" + dump(*found) + R"(, but the profile "none" has no other members)");
  }
  object.erase(found);
  return {};
}

Result<> take_host_members(Json& object, PluginConfiguration& configuration) {
  if (auto taken = take_isolation(object, configuration.isolation); taken.has_error()) return taken;
  if (auto taken = take_errors(object, configuration.errors); taken.has_error()) return taken;
  if (auto taken = take_numbers(object, "limits", limit_members, configuration.limits); taken.has_error()) return taken;
  if (auto taken = take_sandbox(object, configuration.sandbox); taken.has_error()) return taken;
  auto components = take_component_settings(object);
  if (components.has_error()) return components.error();
  if (!components->empty())
    configuration.components = std::make_shared<const ComponentSettings>(*std::move(components));
  return take_numbers(object, "restarts", restart_members, configuration.restarts);
}

// Other letters' case, one letter too many, too few or wrong, or two that changed places.
bool is_slip_for(std::string_view written, std::string_view name) {
  const auto lower = lower_case(std::string(written));
  // Too much depends on these two to look for one letter only.
  if (name == "sandbox" || name == "isolation") return !similar_name(lower, {std::string(name)}).empty();
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(lower, name).in1 - lower.begin());
  const auto has = std::string_view(lower).substr(same);
  const auto meant = name.substr(same);
  const auto behind = [](std::string_view text, std::size_t count) {
    return text.substr(std::min(count, text.size()));
  };
  if (behind(has, 1) == meant || has == behind(meant, 1) || behind(has, 1) == behind(meant, 1)) return true;
  return has.size() > 1 && meant.size() > 1 && has[0] == meant[1] && has[1] == meant[0] &&
         behind(has, 2) == behind(meant, 2);
}

// The plugin does not know such a member, and a sandbox that was meant would be missing.
Result<> check_own_members(const Json& own) {
  for (const auto& [key, value] : own.items()) {
    for (const std::string_view name : {"aliases", "errors", "isolation", "limits", "payment", "restarts", "sandbox"}) {
      const bool fits =
          name == "isolation" || name == "sandbox" || (name == "errors" ? value == "masked" : value.is_object());
      if (!is_slip_for(key, name) || !fits) continue;
      const auto meant = '"' + std::string(name) + '"';
      return fail("has " + dump(Json(key)) + ", which looks like the host's " + meant + " and is not: write " + meant +
                  ", or give the plugin's own member another name");
    }
  }
  return {};
}

Result<PluginConfiguration> checked(PluginConfiguration configuration) {
  if (configuration.isolation == Isolation::worker) return configuration;
  const auto& limits = configuration.limits;
  if (limits.memory_bytes != 0 || limits.open_files != 0 || limits.cpu_percent != 0 || limits.starts_nothing) {
    return fail(
        "it is to run in the host's own process, where no plugin can be kept to limits.memoryBytes, limits.openFiles, "
        "limits.cpuPercent or limits.processes: take them out of its configuration, or set its \"isolation\" to "
        "\"worker\"");
  }
  if (configuration.sandbox.profile == SandboxProfile::none) return configuration;
  return fail(
      "it is to run in the host's own process, which cannot be sandboxed for one plugin: set \"isolation\" to "
      "\"worker\" in its configuration, or the \"profile\" of its \"sandbox\" to \"none\"");
}

// What is wrong is said after the file's name, as in the functions above.
Error cannot_be_used(Error error) {
  error.message = "cannot be used: " + error.message;
  return error;
}

Error has_changed() {
  return fail_for_now("has changed since it was looked at; it will be tried again");
}

// Nothing where there was no configuration, and is none.
Result<std::optional<std::string>> configuration_text(const PluginFile& plugin, const FileTrust& trust) {
  const auto& [seen, unusable] = plugin.configuration;
  if (!unusable.empty()) return cannot_be_used(fail(unusable));
  if (!seen) {
    if (plugin_file_at(plugin.file).configuration.is_absent()) return std::nullopt;
    return has_changed();
  }
  const auto file = configuration_file(plugin.file);
  const auto opened = open_to_read(file);
  if (!opened) return fail_for_now("cannot be opened: " + last_error());
  auto text = read_regular_file(opened, max_bytes);
  if (text.has_error()) return cannot_be_used(text.error());
  if (const auto trusted = trust.check(file, opened); trusted.has_error()) return cannot_be_used(trusted.error());
  const auto identity = identity_of_regular_file(opened);
  if (identity.has_error()) return cannot_be_used(identity.error());
  if (*identity != *seen) return has_changed();
  return *std::move(text);
}

}  // namespace

Result<PluginConfiguration> parse_configuration(std::string text, const PluginConfiguration& defaults) {
  auto json = parse_json(text, default_json_depth, DuplicateKeys::refuse);
  if (json.has_error()) return fail("is " + json.error().message);
  if (!json->is_object()) return fail("is not a JSON object");
  PluginConfiguration configuration = defaults;
  const auto members = json->size();
  if (auto taken = take_host_members(*json, configuration); taken.has_error()) return taken.error();
  if (auto checked = check_own_members(*json); checked.has_error()) return checked.error();
  // The plugin's own is left as it was written where it is all there is.
  configuration.own = json->size() == members ? std::move(text) : dump(*json);
  return configuration;
}

Result<PluginConfiguration> read_configuration(const PluginFile& plugin, const FileTrust& trust,
                                               const PluginConfiguration& defaults) {
  const auto with_name = [&](Error error) {
    error.message = "its configuration " + configuration_file(plugin.file).string() + " " + error.message;
    return error;
  };
  auto text = configuration_text(plugin, trust);
  if (text.has_error()) return with_name(text.error());
  if (!*text) return checked(defaults);
  auto configuration = parse_configuration(**std::move(text), defaults);
  if (configuration.has_error()) return with_name(configuration.error());
  return checked(*std::move(configuration));
}

}  // namespace mcph
