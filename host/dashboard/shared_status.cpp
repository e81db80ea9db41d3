#include "dashboard/shared_status.hpp"

#include <cstddef>
#include <map>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"

namespace mcph {
namespace {

std::string key_of(const OrderedJson& plugin) {
  auto key = plugin.value("file", "");
  if (plugin.value("state", "") == "draining") key += "#" + plugin.value("digest", "");
  return key;
}

StatusTexts texts_of(OrderedJson status) {
  StatusTexts texts;
  auto keys = OrderedJson::array();
  std::map<std::string, std::size_t> counts;
  for (const auto& plugin : status["plugins"]) {
    auto key = key_of(plugin);
    // The same build may drain more than once.
    if (const auto number = ++counts[key]; number > 1) key += "#" + std::to_string(number);
    keys.push_back(key);
    texts.plugins.push_back({std::move(key), dump(plugin)});
  }
  texts.order = dump(keys);
  status.erase("plugins");
  texts.rest = dump(status);
  status["host"].erase("upSeconds");
  texts.lasting = dump(status);
  return texts;
}

}  // namespace

std::shared_ptr<const StatusTexts> SharedStatus::get() {
  const MutexLock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (texts_ == nullptr || now - made_at_ >= max_age_) {
    texts_ = std::make_shared<const StatusTexts>(texts_of(look_()));
    made_at_ = now;
  }
  return texts_;
}

}  // namespace mcph
