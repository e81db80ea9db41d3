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

std::vector<std::string> landlock_lacks(int version, bool has_strict_filter) {
  std::vector<std::string> lacks;
  const bool has_files = version >= landlock_with_files;
  if (!has_files) lacks.emplace_back("the kernel has no Landlock, so it can reach every file that the host can");
  if (has_strict_filter) return lacks;
  if (!has_files) {
    lacks.emplace_back("and signal every process that the host can");
    return lacks;
  }
  if (version < landlock_with_truncation)
    lacks.emplace_back("the kernel's Landlock does not keep it from truncating files; Linux 6.2 does");
  if (version < landlock_with_signals)
    lacks.emplace_back("the kernel's Landlock does not keep it from signalling other processes; Linux 6.12 does");
  return lacks;
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
