#include "app/upstream_paths.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "catalog/narrowing.hpp"

namespace mcph {
namespace {

bool has_nothing(const Catalog& view) {
  return view.tools().size() + view.prompts().size() + view.resources().size() + view.resource_templates().size() == 0;
}

}  // namespace

HttpMiddleware narrow_to_upstream(const PublishedCatalog& catalog) {
  return [&catalog](HttpRequest& request) -> HttpVerdict {
    constexpr auto before = upstream_path.substr(0, upstream_path.find('*'));
    if (!request.path.starts_with(before)) return {};
    const auto rest = request.path.substr(before.size());
    const auto name = rest.substr(0, rest.find('/'));
    const auto narrowed = [&](const Principal& principal) {
      return principal.narrowed(std::make_shared<const Narrowing>(Narrowing::Wishes{.upstream = std::string(name)}));
    };
    const auto all = catalog.current();
    const auto is_it = [&](const ServedPlugin& each) {
      const auto& identity = each.plugin->identity();
      return identity.is_upstream && identity.name == name;
    };
    const auto mine = narrowed(request.principal);
    // One of which nothing may be seen is as one that there is not.
    if (std::ranges::none_of(all->plugins(), is_it) ||
        (has_nothing(*catalog.current(mine)) && !has_nothing(*catalog.current(narrowed({})))))
      return {.refusal = HttpRefusal{404,
                                     "There is no upstream of this name; mcp-plugin-host status lists those that "
                                     "there are"}};
    request.principal = mine;
    return {};
  };
}

}  // namespace mcph
