#include "app/upstream_paths.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "catalog/narrowing.hpp"

namespace mcph {

HttpMiddleware narrow_to_upstream(const PublishedCatalog& catalog) {
  return [&catalog](HttpRequest& request) -> HttpVerdict {
    constexpr auto before = upstream_path.substr(0, upstream_path.find('*'));
    if (!request.path.starts_with(before)) return {};
    const auto rest = request.path.substr(before.size());
    const auto name = rest.substr(0, rest.find('/'));
    const auto all = catalog.current();
    const bool is_there = std::ranges::any_of(all->plugins(), [&](const ServedPlugin& each) {
      const auto& identity = each.plugin->identity();
      return identity.is_upstream && identity.name == name;
    });
    if (!is_there)
      return {.refusal = HttpRefusal{404,
                                     "There is no upstream of this name; mcp-plugin-host status lists those that "
                                     "there are"}};
    request.principal =
        request.principal.narrowed(std::make_shared<const Narrowing>(Narrowing::Wishes{.upstream = std::string(name)}));
    return {};
  };
}

}  // namespace mcph
