#include "stores/file_stores.hpp"

namespace mcph {
namespace {

// The values that all versions share, with the limits of one of them.
class StoreOfVersion final : public PluginStore {
 public:
  StoreOfVersion(std::shared_ptr<FileStore> shared, const StoreLimits& limits)
      : shared_(std::move(shared)), limits_(limits) {}

  StoreAnswer perform(const StoreOperation& operation) override { return shared_->perform(operation, limits_); }

 private:
  const std::shared_ptr<FileStore> shared_;
  const StoreLimits limits_;
};

}  // namespace

std::shared_ptr<PluginStore> FileStores::open(const std::string& plugin, const StoreLimits& limits) {
  const MutexLock lock(mutex_);
  std::erase_if(open_, [](const auto& each) { return each.second.expired(); });
  auto& known = open_[plugin];
  auto shared = known.lock();
  if (shared == nullptr) {
    shared = std::make_shared<FileStore>(folder_ / plugin, log_);
    known = shared;
  }
  return std::make_shared<StoreOfVersion>(std::move(shared), limits);
}

}  // namespace mcph
