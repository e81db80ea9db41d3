#include "plugin/sandbox.hpp"

#include <algorithm>

namespace mcph {

std::string_view name_of(SandboxProfile profile) {
  return std::find_if(sandbox_profiles.begin(), sandbox_profiles.end(),
                      [profile](const auto& each) { return each.second == profile; })
      ->first;
}

SandboxNetwork Sandbox::network_access() const {
  return network.value_or(profile == SandboxProfile::strict ? SandboxNetwork::none : SandboxNetwork::all);
}

Result<> accept_lacks(const Sandbox& sandbox, const std::vector<std::string>& lacks) {
  if (!sandbox.required || lacks.empty()) return {};
  return fail(words_for_lacks(lacks) + R"(; its configuration says that it is "required")");
}

std::string words_for_lacks(const std::vector<std::string>& lacks) {
  std::string words = "its sandbox is incomplete: ";
  for (std::size_t i = 0; i < lacks.size(); ++i)
    words += (i == 0 ? "" : "; ") + lacks[i];
  return words;
}

}  // namespace mcph
