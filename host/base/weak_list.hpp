// Pointers to what others own, and drop without saying so here. Those of what is gone go now and then, so that to add
// one of ten thousand takes no longer than one of ten. A value; whoever has it sees to it that one thread uses it at a
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mcph {

template <class T>
class WeakList {
 public:
  // Whether fewer than `most` are there.
  bool has_room(std::size_t most) {
    if (all_.size() >= std::min(clean_at_, most)) clean();
    return all_.size() < most;
  }
  void add(std::weak_ptr<T> pointer) {
    if (all_.size() >= clean_at_) clean();
    all_.push_back(std::move(pointer));
  }
  std::vector<std::shared_ptr<T>> living() {
    clean();
    std::vector<std::shared_ptr<T>> living;
    for (const auto& each : all_)
      if (auto one = each.lock()) living.push_back(std::move(one));
    return living;
  }
  std::size_t size() {
    clean();
    return all_.size();
  }

 private:
  void clean() {
    std::erase_if(all_, [](const auto& each) { return each.expired(); });
    clean_at_ = 2 * all_.size() + min_to_clean;
  }

  static constexpr std::size_t min_to_clean = 16;
  std::vector<std::weak_ptr<T>> all_;
  std::size_t clean_at_ = min_to_clean;
};

}  // namespace mcph
