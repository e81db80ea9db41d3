#include "registry.hpp"

namespace mcp::detail {
namespace {

/// Says which component a complaint of Shelf::add is about.
template <class Record>
void add_to(Shelf<Record>& shelf, std::shared_ptr<Record> record, std::string_view kind) {
  try {
    shelf.add(std::move(record));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string(kind) + ' ' + error.what());
  }
}

std::shared_ptr<const Served> nothing_served() {
  const auto none = std::make_shared<const Components>();
  return std::make_shared<const Served>(Served{none, none, none});
}

}  // namespace

Registry::Registry() : served_(nothing_served()) {}

void Registry::add(std::shared_ptr<ToolRecord> record) {
  const MutexLock lock(mutex_);
  add_to(tools_, std::move(record), "tool");
}

void Registry::add(std::shared_ptr<PromptRecord> record) {
  const MutexLock lock(mutex_);
  add_to(prompts_, std::move(record), "prompt");
}

void Registry::add_resource(std::shared_ptr<ResourceRecord> record) {
  const MutexLock lock(mutex_);
  add_to(resources_, std::move(record), "resource");
}

void Registry::add_resource_template(std::shared_ptr<ResourceRecord> record) {
  const MutexLock lock(mutex_);
  add_to(resource_templates_, std::move(record), "resource template");
}

template <class Record>
bool Registry::remove_from(Shelf<Record> Registry::*shelf, std::string_view key) {
  // Destroyed after unlocking: what a handler owns is the author's, and may call the plugin as it goes.
  std::shared_ptr<Record> removed;
  const MutexLock lock(mutex_);
  removed = (this->*shelf).remove(key);
  return removed != nullptr;
}

bool Registry::remove_tool(std::string_view name) {
  return remove_from(&Registry::tools_, name);
}

bool Registry::remove_resource(std::string_view uri) {
  return remove_from(&Registry::resources_, uri);
}

bool Registry::remove_resource_template(std::string_view uri_template) {
  return remove_from(&Registry::resource_templates_, uri_template);
}

bool Registry::remove_prompt(std::string_view name) {
  return remove_from(&Registry::prompts_, name);
}

void Registry::set_capability(std::string_view group, std::string_view name, std::string settings) {
  const MutexLock lock(mutex_);
  capabilities_[std::string(group)].insert_or_assign(std::string(name), std::move(settings));
}

bool Registry::remove_capability(std::string_view group, std::string_view name) {
  const MutexLock lock(mutex_);
  const auto all = capabilities_.find(group);
  if (all == capabilities_.end()) return false;
  const auto found = all->second.find(name);
  if (found == all->second.end()) return false;
  all->second.erase(found);
  return true;
}

void Registry::set_instructions(std::string_view text) {
  const MutexLock lock(mutex_);
  instructions_ = text;
}

void Registry::publish() {
  // What is replaced is destroyed after unlocking, for the same reason as in remove_from.
  std::shared_ptr<const Served> replaced;
  const MutexLock lock(mutex_);
  auto published = std::make_shared<const Components>(Components{
      tools_.copy(), resources_.copy(), resource_templates_.copy(), prompts_.copy(), instructions_, capabilities_});
  replaced = std::exchange(
      served_, std::make_shared<const Served>(Served{std::move(published), served_->described, served_->before}));
}

void Registry::clear() {
  Shelf<ToolRecord> tools;
  Shelf<ResourceRecord> resources;
  Shelf<ResourceRecord> resource_templates;
  Shelf<PromptRecord> prompts;
  auto served = nothing_served();
  const MutexLock lock(mutex_);
  std::swap(tools, tools_);
  std::swap(resources, resources_);
  std::swap(resource_templates, resource_templates_);
  std::swap(prompts, prompts_);
  std::swap(served, served_);
}

std::shared_ptr<const Served> Registry::served() const {
  const MutexLock lock(mutex_);
  return served_;
}

void Registry::note_described(const std::shared_ptr<const Components>& components, const std::string& text) {
  std::shared_ptr<const Served> replaced;  // destroyed after unlocking, as in publish
  const MutexLock lock(mutex_);
  // The host may read the same again, which leaves what was there before that.
  const auto& before = text == described_text_ ? served_->before : served_->described;
  described_text_ = text;
  replaced = std::exchange(served_, std::make_shared<const Served>(Served{served_->published, components, before}));
}

}  // namespace mcp::detail
