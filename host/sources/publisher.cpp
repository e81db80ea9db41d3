#include "sources/publisher.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace mcph {
namespace {

// A kind of component as a field of the log: "resource_template".
std::string field_of(std::string kind) {
  std::ranges::replace(kind, ' ', '_');
  return kind;
}

}  // namespace

void Publisher::publish_to(PublishedCatalog& catalog) {
  const MutexLock lock(mutex_);
  more_catalogs_.push_back(&catalog);
}

Publisher::Source Publisher::add_source() {
  const MutexLock lock(mutex_);
  sources_.emplace_back();
  return sources_.size() - 1;
}

void Publisher::publish(Source source, std::vector<ServedPlugin> plugins, const std::function<void()>& say) {
  const MutexLock lock(mutex_);
  sources_[source] = std::move(plugins);
  std::vector<ServedPlugin> all;
  for (const auto& each : sources_)
    all.insert(all.end(), each.begin(), each.end());
  // A server elsewhere could take the names of what is here, so it comes after that.
  std::stable_partition(all.begin(), all.end(),
                        [](const ServedPlugin& each) { return !each.plugin->identity().is_upstream; });
  const auto next = std::make_shared<const Catalog>(++generation_, std::move(all), instructions_, listing_);
  catalog_.publish(next);
  for (auto* const catalog : more_catalogs_)
    catalog->publish(next);
  say();
  report_conflicts(*next);
}

void Publisher::release(Source source) {
  std::vector<ServedPlugin> released;
  const MutexLock lock(mutex_);
  sources_[source].swap(released);
}

void Publisher::report_conflicts(const Catalog& catalog) {
  for (const auto& conflict : catalog.conflicts()) {
    if (std::find(reported_conflicts_.begin(), reported_conflicts_.end(), conflict) != reported_conflicts_.end())
      continue;
    log_.warning("component hidden", {{field_of(conflict.kind), conflict.key},
                                      {"served", conflict.served.string()},
                                      {"hidden", conflict.hidden.string()},
                                      {"reason",
                                       "two plugins export it and the first by path is served, or that which is no "
                                       "upstream server"},
                                      {"next", "to have both, rename it in one of the two"}});
  }
  for (const auto& conflict : reported_conflicts_) {
    const auto* owner = catalog.find_owner(conflict.kind, conflict.key);
    if (owner == nullptr || owner->identity().file != conflict.hidden) continue;
    log_.info("component no longer hidden",
              {{field_of(conflict.kind), conflict.key}, {"served", conflict.hidden.string()}});
  }
  reported_conflicts_ = catalog.conflicts();
}

}  // namespace mcph
