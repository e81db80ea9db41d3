#include "knowledge/resource_list.hpp"

#include <utility>

#include <mcp/plugin/typed.hpp>

#include "knowledge/document.hpp"
#include "shared/described_bytes.hpp"
#include "shared/text.hpp"

namespace plugins::knowledge {
namespace {

constexpr std::int64_t second = 1'000'000'000;

}  // namespace

void ResourceList::set(const std::vector<ListedDocument>& documents) {
  std::map<std::string, ListedDocument> now;
  std::size_t bytes = 0;
  for (const auto& document : documents) {
    now.emplace(document.path, document);
    bytes += described_bytes(document.path, document.title.size());
  }
  if (bytes > max_described_bytes) now.clear();
  if (now == listed_) return;
  for (const auto& [path, document] : listed_) {
    const auto same = now.find(path);
    if (same == now.end() || same->second != document) plugin_.remove_resource(uri_of(path));
  }
  for (const auto& [path, document] : now) {
    const auto same = listed_.find(path);
    if (same == listed_.end() || same->second != document) publish(document);
  }
  listed_ = std::move(now);
  plugin_.components_changed();
}

void ResourceList::publish(const ListedDocument& document) {
  const auto path = RelativePath::parse(document.path).value_or(RelativePath());
  auto resource = plugin_.resource(uri_of(document.path), document.path, {},
                                   [read = read_, id = document.path] { return read(id); });
  resource.title(document.title)
      .mime_type(mime_type_of(kind_of(path).value_or(Kind::text)))
      .annotations({.last_modified = utc_text(document.state.modified_nanoseconds / second)});
}

}  // namespace plugins::knowledge
