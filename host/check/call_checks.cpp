// Each component is used once as it asks to be used.
#include <array>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "check/inspection.hpp"
#include "protocol/calls/completion.hpp"
#include "protocol/calls/plugin_result.hpp"

namespace mcph {
namespace {

// What is wrong with an error as the answer to a call that is right; empty: nothing.
std::string mistake_in_error(const ExampleCall& call, const Asked& asked) {
  if (asked.outcome != Outcome::error) return {};
  const auto error = read_plugin_error(asked.text);
  if (error.has_error()) return {};
  const bool is_about_values =
      error->code == error_code::invalid_params || error->code == error_code::resource_not_found;
  const bool may_be = call.is_of_template || call.method != PluginMethod::resources_read;
  if (is_about_values && may_be) return {};
  return "it answered with the error " + std::to_string(error->code) + " \"" + error->message +
         "\" to what it describes itself; " +
         (call.method == PluginMethod::tools_call ? "what a model should read is a result with isError"
                                                  : "describe only what can be had");
}

void use_each(PluginMethod method, bool of_templates, Inspection& inspection, CheckReport& report) {
  std::size_t used = 0;
  for (const auto& call : inspection.calls_of(method)) {
    if (call.is_of_template != of_templates) continue;
    auto* const version = inspection.usable(report);
    if (version == nullptr) return;
    ++used;
    auto asked = version->ask(call);
    if (asked.mistake.empty()) asked.mistake = mistake_in_error(call, asked);
    inspection.judge(call, asked, dump(call.params), report);
  }
  if (used == 0) report.skip("it has none");
}

void check_tools(Inspection& inspection, CheckReport& report) {
  use_each(PluginMethod::tools_call, false, inspection, report);
  if (inspection.left_out.empty()) return;
  std::string note;
  for (const auto& each : inspection.left_out)
    note += (note.empty() ? "" : "; ") + each;
  report.note(std::move(note));
}

void check_resources(Inspection& inspection, CheckReport& report) {
  use_each(PluginMethod::resources_read, false, inspection, report);
}

void check_templates(Inspection& inspection, CheckReport& report) {
  use_each(PluginMethod::resources_read, true, inspection, report);
}

void check_prompts(Inspection& inspection, CheckReport& report) {
  use_each(PluginMethod::prompts_get, false, inspection, report);
}

}  // namespace

std::span<const Check> call_checks() {
  static constexpr std::array checks{
      Check{"tools", "each tool answers a call with arguments that its schema takes", check_tools},
      Check{"resources", "each resource that is listed can be read", check_resources},
      Check{"resource-templates", "each template answers for a URI that it matches", check_templates},
      Check{"prompts", "each prompt answers with messages", check_prompts},
  };
  return checks;
}

}  // namespace mcph
