#include "stores/file_stores.hpp"

namespace mcph {

std::shared_ptr<PluginStore> FileStores::open(const std::string& plugin, const StoreLimits& limits) {
  const MutexLock lock(mutex_);
  std::erase_if(open_, [](const auto& each) { return each.second.expired(); });
  auto& known = open_[plugin];
  if (auto store = known.lock()) {
    store->set_limits(limits);
    return store;
  }
  auto store = std::make_shared<FileStore>(folder_ / plugin, limits, log_);
  known = store;
  return store;
}

}  // namespace mcph
