#include "plugin/sandbox.hpp"

namespace mcph {

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
