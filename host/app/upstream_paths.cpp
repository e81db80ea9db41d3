#include "app/upstream_paths.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

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
    // What a browser asks before it sends a credential (Fetch, "CORS-preflight fetch") is of nobody, who may see none.
    if (!request.path.starts_with(before) || request.method == boost::beast::http::verb::options) return {};
    const auto rest = request.path.substr(before.size());
    const auto name = rest.substr(0, rest.find('/'));
    const auto all = catalog.current();
    const auto found = std::ranges::find_if(all->plugins(), [&](const ServedPlugin& each) {
      const auto& identity = each.plugin->identity();
      return identity.is_upstream && identity.name == name;
    });
    auto mine =
        request.principal.narrowed(std::make_shared<const Narrowing>(Narrowing::Wishes{.upstream = std::string(name)}));
    // One of which nothing may be seen is as one that there is not.
    const bool is_there =
        found != all->plugins().end() && (found->components->size() == 0 || !has_nothing(*catalog.current(mine)));
    if (!is_there)
      return {.refusal = HttpRefusal{404,
                                     "There is no upstream of this name; mcp-plugin-host status lists those that "
                                     "there are"}};
    request.principal = std::move(mine);
    return {};
  };
}

}  // namespace mcph
