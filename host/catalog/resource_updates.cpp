#include "catalog/resource_updates.hpp"

#include <algorithm>
#include <new>

#include "base/uri.hpp"

namespace mcph {
namespace {

std::size_t bytes_of(const std::string& key, const std::string& uri) {
  return key.size() + uri.size();
}

}  // namespace

ResourceUpdates::Place::~Place() {
  if (updates_ == nullptr) return;
  const MutexLock lock(updates_->mutex_);
  updates_->bytes_ -= bytes_of(interest_->first, interest_->second.uri);
  const auto ended = updates_->interests_.extract(interest_);
  if (updates_->interests_.empty()) updates_->max_uri_ = 0;
  if (!updates_->interests_.contains(ended.key())) updates_->note_interest(ended.key());
}

std::optional<ResourceUpdates::Place> ResourceUpdates::listen(const std::string& uri,
                                                              std::weak_ptr<ResourceListener> listener) {
  auto key = normalized_uri(uri);
  const MutexLock lock(mutex_);
  const auto bytes = bytes_of(key, uri);
  if (interests_.size() >= max_interests || bytes_ + bytes > max_bytes) return std::nullopt;
  bytes_ += bytes;
  max_uri_ = std::max(max_uri_, uri.size());
  if (!interests_.contains(key)) note_interest(key);
  return Place(shared_from_this(), interests_.emplace(std::move(key), Interest{uri, std::move(listener)}));
}

// A plugin may say this of any text, all the time. Whoever comes between the two looks hears of it, which is as right.
void ResourceUpdates::updated(std::string_view uri) {
  {
    const MutexLock lock(mutex_);
    if (is_too_long(uri)) return;
  }
  auto key = normalized_uri(uri);
  {
    const MutexLock lock(mutex_);
    if (!interests_.contains(key)) return;
    noted_.insert(std::move(key));
  }
  changed_.notify_all();
}

void ResourceUpdates::tell() {
  std::vector<std::pair<std::shared_ptr<ResourceListener>, std::string>> told;
  {
    const MutexLock lock(mutex_);
    for (const auto& key : noted_) {
      const auto [first, last] = interests_.equal_range(key);
      for (auto interest = first; interest != last; ++interest) {
        if (auto listener = interest->second.listener.lock())
          told.emplace_back(std::move(listener), interest->second.uri);
      }
    }
    noted_.clear();
  }
  for (const auto& [listener, uri] : told) {
    try {
      listener->resource_updated(uri);
    } catch (const std::bad_alloc&) {
      // The others are told all the same.
    }
  }
}

void ResourceUpdates::follow_interest() {
  const MutexLock lock(mutex_);
  follows_interest_ = true;
}

void ResourceUpdates::note_interest(const std::string& key) {
  if (!follows_interest_) return;
  try {
    if (changed_interest_) changed_interest_->insert(key);
  } catch (const std::bad_alloc&) {
    changed_interest_.reset();
  }
  changed_.notify_all();
}

std::optional<std::set<std::string>> ResourceUpdates::take_changed_interest() {
  const MutexLock lock(mutex_);
  return std::exchange(changed_interest_, std::set<std::string>());
}

std::optional<std::string> ResourceUpdates::listened_to(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto interest = interests_.find(key);
  if (interest == interests_.end()) return std::nullopt;
  return interest->second.uri;
}

std::vector<std::string> ResourceUpdates::all_listened_to() {
  std::vector<std::string> keys;
  const MutexLock lock(mutex_);
  for (auto interest = interests_.begin(); interest != interests_.end(); interest = interests_.upper_bound(keys.back()))
    keys.push_back(interest->first);
  return keys;
}

void ResourceUpdates::look_again() {
  {
    const MutexLock lock(mutex_);
    looks_again_ = true;
  }
  changed_.notify_all();
}

bool ResourceUpdates::wait() {
  MutexLock lock(mutex_);
  while (!ended_ && noted_.empty() && changed_interest_ && changed_interest_->empty() && !looks_again_)
    changed_.wait(lock);
  looks_again_ = false;
  return !ended_;
}

bool ResourceUpdates::pause(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  MutexLock lock(mutex_);
  while (!ended_ && changed_.wait_until(lock, end)) {
  }
  return !ended_;
}

void ResourceUpdates::end() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace mcph
