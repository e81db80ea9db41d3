#include "auth/issuer_settings.hpp"

#include <set>

namespace mcph {

std::vector<std::string> with_implied(const std::vector<std::string>& scopes, const ImpliedScopes& implied) {
  std::set<std::string> all;
  auto next = scopes;
  while (!next.empty()) {
    const auto scope = next.back();
    next.pop_back();
    if (!all.insert(scope).second) continue;
    const auto found = implied.find(scope);
    if (found != implied.end()) next.insert(next.end(), found->second.begin(), found->second.end());
  }
  return {all.begin(), all.end()};
}

}  // namespace mcph
