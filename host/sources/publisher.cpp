#include "sources/publisher.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace mcph {
namespace {

// A kind of component as a field of the log: "resource_template".
std::string field_of(std::string kind) {
  std::ranges::replace(kind, ' ', '_');
  return kind;
}

// A forgotten copy of a plugin hides all that it has.
Publisher::Remarks remarks_on(const std::vector<Conflict>& conflicts) {
  constexpr std::size_t most = 20;  // of one file
  Publisher::Remarks remarks;
  std::map<std::filesystem::path, std::size_t> left_out;
  for (const auto& conflict : conflicts) {
    auto& of_file = remarks[conflict.hidden];
    if (of_file.size() == most) {
      ++left_out[conflict.hidden];
      continue;
    }
    of_file.push_back("the " + conflict.kind + " \"" + conflict.key + "\" is hidden by that of " +
                      conflict.served.string() + "; " + conflict.advice());
  }
  for (const auto& [file, count] : left_out)
    remarks[file].push_back("and so are " + std::to_string(count) + " others");
  return remarks;
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

void Publisher::publish(Source source, std::vector<ServedPlugin> plugins, const std::function<void()>& say,
                        std::vector<WithdrawnPlugin> withdrawn) {
  const MutexLock lock(mutex_);
  sources_[source] = std::move(plugins);
  withdrawn_[source] = std::move(withdrawn);
  std::vector<ServedPlugin> all;
  for (const auto& each : sources_)
    all.insert(all.end(), each.begin(), each.end());
  // A server elsewhere could take the names of what is here, so it comes after that.
  std::stable_partition(all.begin(), all.end(),
                        [](const ServedPlugin& each) { return !each.plugin->identity().is_upstream; });
  std::vector<WithdrawnPlugin> all_withdrawn;
  for (const auto& [each, of_source] : withdrawn_)
    all_withdrawn.insert(all_withdrawn.end(), of_source.begin(), of_source.end());
  const auto next =
      std::make_shared<const Catalog>(++generation_, std::move(all), instructions_, listing_, std::move(all_withdrawn));
  catalog_.publish(next);
  for (auto* const catalog : more_catalogs_)
    catalog->publish(next);
  say();
  report_conflicts(*next);
}

std::shared_ptr<const Publisher::Remarks> Publisher::remarks() const {
  const MutexLock lock(mutex_);
  return remarks_;
}

void Publisher::release(Source source) {
  std::vector<ServedPlugin> released;
  const MutexLock lock(mutex_);
  sources_[source].swap(released);
}

void Publisher::report_conflicts(const Catalog& catalog) {
  const std::set<Conflict> reported(reported_conflicts_.begin(), reported_conflicts_.end());
  for (const auto& conflict : catalog.conflicts()) {
    if (reported.contains(conflict)) continue;
    log_.warning("component hidden", {{field_of(conflict.kind), conflict.key},
                                      {"served", conflict.served.string()},
                                      {"hidden", conflict.hidden.string()},
                                      {"reason", conflict.reason()},
                                      {"next", conflict.advice()}});
  }
  for (const auto& conflict : reported_conflicts_) {
    const auto* owner = catalog.find_owner(conflict.kind, conflict.key);
    if (owner == nullptr || owner->identity().file != conflict.hidden) continue;
    log_.info("component no longer hidden",
              {{field_of(conflict.kind), conflict.key}, {"served", conflict.hidden.string()}});
  }
  if (reported_conflicts_ == catalog.conflicts()) return;
  reported_conflicts_ = catalog.conflicts();
  remarks_ = std::make_shared<const Remarks>(remarks_on(reported_conflicts_));
}

}  // namespace mcph
