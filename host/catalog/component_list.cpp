#include "catalog/component_list.hpp"

#include <algorithm>

#include "base/base64.hpp"

namespace mcph {

Result<ComponentList::Page> ComponentList::page(std::optional<std::string_view> cursor, std::size_t size) const {
  auto first = items_.begin();
  if (cursor) {
    const auto decoded = base64url_decode(*cursor);
    if (!decoded || decoded->size() <= kind_.size() || !decoded->starts_with(kind_) ||
        (*decoded)[kind_.size()] != ':') {
      return fail("the cursor is not one that this list gave out; ask without a cursor for the first page");
    }
    const auto last_key = std::string_view(*decoded).substr(kind_.size() + 1);
    first = std::upper_bound(items_.begin(), items_.end(), last_key,
                             [](std::string_view key, const Item& item) { return key < item.key; });
  }
  const auto left = static_cast<std::size_t>(items_.end() - first);
  const auto last = first + static_cast<std::ptrdiff_t>(std::min(size, left));

  Page page;
  std::size_t bytes = 0;
  for (auto item = first; item != last; ++item)
    bytes += item->json.size() + 1;
  page.items.reserve(bytes);
  for (auto item = first; item != last; ++item) {
    if (item != first) page.items += ',';
    page.items += item->json;
  }
  if (last != items_.end()) {
    page.has_more = true;
    page.next_cursor = base64url_encode(kind_ + ":" + std::string(std::prev(last)->key));
  }
  return page;
}

}  // namespace mcph
