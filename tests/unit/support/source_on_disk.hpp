// A folder's source with everything that it works with: a real folder, the system's own watch, and real loads on
// threads of their own.
#pragma once

#include <memory>
#include <utility>

#include "sources/folder/folder_source.hpp"
#include "sources/folder/load_threads.hpp"

namespace mcph::test {

class SourceOnDisk {
 public:
  // The loader, the catalog and the log outlive it.
  SourceOnDisk(const FolderSource::Options& options, Drainer::Options drain, std::string instructions,
               PluginLoader& loader, PublishedCatalog& catalog, Log& log)
      : publisher_(catalog, std::move(instructions), log),
        drainer_(drain, log),
        folder_(options.root),
        source_(options,
                {.folder = folder_,
                 .watch = *watch_,
                 .loader = loader,
                 .plugin_executor = threads_,
                 .resource_updated = [&catalog](const std::string& uri) { catalog.resource_updates()->updated(uri); },
                 .publisher = publisher_,
                 .drainer = drainer_,
                 .log = log}) {}

  FolderSource* operator->() { return &source_; }
  FolderSource& operator*() { return source_; }
  Drainer& drainer() { return drainer_; }

 private:
  Publisher publisher_;
  Drainer drainer_;
  DiskFolder folder_;
  const std::unique_ptr<FolderWatch> watch_ = FolderWatch::create();
  LoadThreads threads_{{}};
  FolderSource source_;
};

}  // namespace mcph::test
