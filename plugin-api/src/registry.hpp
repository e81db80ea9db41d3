// Registry: the components of one instance. The draft is what registering, modifying and removing change, under a
// mutex, from any thread. What is published is an immutable copy of it, which calls and descriptions use without
// waiting for anybody; publish() replaces it. What was described, and what was described before, is kept for calls.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mutex.hpp"
#include "records.hpp"

namespace mcp::detail {

/// Components of one kind, in the order in which they were registered, and by key.
template <class Record>
class Shelf {
 public:
  /// Throws std::invalid_argument if there is one with this key.
  void add(std::shared_ptr<Record> record) {
    if (!by_key_.emplace(record->key(), record.get()).second) {
      throw std::invalid_argument("\"" + record->key() + "\" is registered twice");
    }
    records_.push_back(std::move(record));
  }

  /// What has been removed, or null if there is none with this key.
  std::shared_ptr<Record> remove(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    const auto place = std::find_if(records_.begin(), records_.end(),
                                    [&](const auto& record) { return record.get() == found->second; });
    std::shared_ptr<Record> removed = std::move(*place);
    records_.erase(place);
    by_key_.erase(found);
    return removed;
  }

  /// Null if there is none.
  Record* find(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
  }

  const std::vector<std::shared_ptr<Record>>& all() const { return records_; }

  Shelf<const Record> copy() const {
    Shelf<const Record> copy;
    for (const auto& record : records_)
      copy.add(std::make_shared<const Record>(*record));
    return copy;
  }

 private:
  std::vector<std::shared_ptr<Record>> records_;
  std::map<std::string, Record*, std::less<>> by_key_;
};

/// What is added to the server's capabilities: settings as JSON text by name, by "extensions" or "experimental".
using Capabilities = std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>>;

struct Components {
  Shelf<const ToolRecord> tools;
  Shelf<const ResourceRecord> resources;
  Shelf<const ResourceRecord> resource_templates;
  Shelf<const PromptRecord> prompts;
  std::string instructions;
  Capabilities capabilities;
};

/// What calls find their component in. The host calls by what it has read before until it has taken what it has read
/// last, and on if it refuses that. None is null; they may be the same.
struct Served {
  std::shared_ptr<const Components> published;
  std::shared_ptr<const Components> described;
  std::shared_ptr<const Components> before;  // described before that, and something else

  /// Null if there is none.
  template <class Record>
  const Record* find(Shelf<const Record> Components::*shelf, std::string_view key) const {
    for (const auto* const each : {&published, &described, &before}) {
      if (const Record* found = ((**each).*shelf).find(key)) return found;
    }
    return nullptr;
  }
};

class Registry {
 public:
  Registry();

  void add(std::shared_ptr<ToolRecord> record);
  void add(std::shared_ptr<PromptRecord> record);
  void add_resource(std::shared_ptr<ResourceRecord> record);
  void add_resource_template(std::shared_ptr<ResourceRecord> record);

  bool remove_tool(std::string_view name);
  bool remove_resource(std::string_view uri);
  bool remove_resource_template(std::string_view uri_template);
  bool remove_prompt(std::string_view name);

  void set_instructions(std::string_view text);
  void set_capability(std::string_view group, std::string_view name, std::string settings);
  bool remove_capability(std::string_view group, std::string_view name);

  /// Changes a record of the draft.
  template <class Change>
  void change(const Change& change) {
    const MutexLock lock(mutex_);
    change();
  }

  void publish();
  /// Destroys everything, also where a handler owns a builder and with it this registry.
  void clear();
  /// Never null.
  std::shared_ptr<const Served> served() const;
  /// That the host has read what was published, as this text says it.
  void note_described(const std::shared_ptr<const Components>& components, const std::string& text);

 private:
  template <class Record>
  bool remove_from(Shelf<Record> Registry::*shelf, std::string_view key);

  mutable Mutex mutex_;
  Shelf<ToolRecord> tools_ GUARDED_BY(mutex_);
  Shelf<ResourceRecord> resources_ GUARDED_BY(mutex_);
  Shelf<ResourceRecord> resource_templates_ GUARDED_BY(mutex_);
  Shelf<PromptRecord> prompts_ GUARDED_BY(mutex_);
  std::string instructions_ GUARDED_BY(mutex_);
  Capabilities capabilities_ GUARDED_BY(mutex_);
  std::shared_ptr<const Served> served_ GUARDED_BY(mutex_);
  std::string described_text_ GUARDED_BY(mutex_);
};

}  // namespace mcp::detail
