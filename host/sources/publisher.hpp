// Makes one catalog of what all sources serve. Owned by who assembles the program; any thread. A source is where
// plugins come from, such as the components folder. The plugins of the source that was added first come first, and so
// win where two export the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "catalog/published_catalog.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class Publisher {
 public:
  // The instructions are the operator's, for the model. `listing` says which tools are listed; null: all. The catalog
  // and the log outlive it, and so does each catalog more.
  Publisher(PublishedCatalog& catalog, std::string instructions, Log& log,
            std::shared_ptr<const ToolListing> listing = nullptr)
      : catalog_(catalog), instructions_(std::move(instructions)), listing_(std::move(listing)), log_(log) {}

  // What is published from now on is published there, too.
  void publish_to(PublishedCatalog& catalog);

  using Source = std::size_t;
  Source add_source();

  // The source serves these from now on, and no others, in this order; servers elsewhere come after what is here, of
  // all sources. `say` says so once it is so. Who asks for something of those that are withdrawn hears that.
  void publish(Source source, std::vector<ServedPlugin> plugins, const std::function<void()>& say,
               std::vector<WithdrawnPlugin> withdrawn = {});
  // What is to be said of each file some of whose components are not served, because others export the same.
  using Remarks = std::map<std::filesystem::path, std::vector<std::string>>;
  std::shared_ptr<const Remarks> remarks() const;
  // Gives up the leases on what it serves, without telling anybody: the end of the process.
  void release(Source source);

 private:
  void report_conflicts(const Catalog& catalog) REQUIRES(mutex_);

  PublishedCatalog& catalog_;
  const std::string instructions_;
  const std::shared_ptr<const ToolListing> listing_;
  Log& log_;
  mutable Mutex mutex_;
  std::vector<PublishedCatalog*> more_catalogs_ GUARDED_BY(mutex_);
  std::vector<std::vector<ServedPlugin>> sources_ GUARDED_BY(mutex_);
  std::map<Source, std::vector<WithdrawnPlugin>> withdrawn_ GUARDED_BY(mutex_);
  std::uint64_t generation_ GUARDED_BY(mutex_) = 0;
  std::vector<Conflict> reported_conflicts_ GUARDED_BY(mutex_);
  std::shared_ptr<const Remarks> remarks_ GUARDED_BY(mutex_) = std::make_shared<const Remarks>();  // on these
};

}  // namespace mcph
