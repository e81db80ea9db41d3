#include "sources/folder/tracked_file.hpp"

#include <algorithm>
#include <utility>

#include "plugin/library/bundle.hpp"

namespace mcph {

TrackedFile::State TrackedFile::state() const {
  if (disabled_) return State::disabled;
  if (loading_) return State::loading;
  if (changing_ || !taken_) return State::settling;
  if (quarantined_) return State::quarantined;
  if (!refusal_.empty()) return State::refused;
  return served_.plugin == nullptr ? State::passed_over : State::serving;
}

TrackedFile::Sighting TrackedFile::see(const PluginFile& file, bool at_start, Time now) {
  missing_since_.reset();
  configured_ |= !file.configuration.is_absent();
  if (disabled_) return {};
  if (loading_ && loading_->file == file) return {};
  loading_.reset();
  if (taken_ == file) {
    changing_.reset();
    return {.take = retry_at_ && now >= *retry_at_};
  }
  if (at_start) return {.take = true};
  if (changing_ != file || changing_->passed_over != file.passed_over) {
    changing_ = file;
    changed_at_ = now;
    incomplete_ = false;
  }
  if (now - changed_at_ >= stillness(file)) return {.take = true};
  // For what may take long nobody waits.
  return {.waits = !incomplete_ && !has_lost_configuration(file)};
}

std::chrono::milliseconds TrackedFile::stillness(const PluginFile& file) const {
  // Of a folder the size says nothing.
  const bool is_empty = file.identity.size == 0 && !is_bundle_name(file.file);
  if (incomplete_) return is_empty ? patience_->empty : patience_->copy;
  if (has_lost_configuration(file)) return patience_->configuration;
  const auto settle = is_bundle_name(file.file) ? patience_->bundle : patience_->settle;
  return may_be_given_configuration(file) ? std::max(patience_->new_file, settle) : settle;
}

TrackedFile::Sighting TrackedFile::miss(Time now) {
  // What the operator said of it is remembered.
  if (disabled_) return {};
  if (!missing_since_) missing_since_ = now;
  const bool gone = now - *missing_since_ >= patience_->removal;
  return {.gone = gone, .waits = !gone};
}

std::optional<TrackedFile::Time> TrackedFile::due() const {
  if (disabled_) return std::nullopt;
  if (missing_since_) return *missing_since_ + patience_->removal;
  if (loading_) return std::nullopt;
  return changing_ ? changed_at_ + stillness(*changing_) : retry_at_;
}

bool TrackedFile::may_be_given_configuration(const PluginFile& file) const {
  return attempt_ == 0 && file.configuration.is_absent() && !is_upstream_name(file.file);
}

bool TrackedFile::awaits_configuration(const PluginFile& file, Time now) const {
  return changing_ == file && now - changed_at_ < patience_->new_file && may_be_given_configuration(file);
}

bool TrackedFile::has_lost_configuration(const PluginFile& file) const {
  return configured_ && file.configuration.is_absent();
}

void TrackedFile::begin_load(const PluginFile& file, std::uint64_t attempt) {
  loading_ = {file, attempt};
}

std::optional<std::uint64_t> TrackedFile::loading(const PluginFile& file) const {
  return loading_ && loading_->file == file ? std::optional(loading_->attempt) : std::nullopt;
}

// A load has ended.
void TrackedFile::take(const PluginFile& file) {
  taken_ = file;
  configured_ = !file.configuration.is_absent();
  changing_.reset();
  quarantined_ = false;
  retry_at_.reset();
}

ServedPlugin TrackedFile::end_load(ServedPlugin loaded) {
  const auto load = *std::exchange(loading_, std::nullopt);
  take(load.file);
  refusal_.clear();
  retry_delay_ = {};
  attempt_ = load.attempt;
  description.clear();
  withdrawn_.reset();
  withdrawn_components_.reset();
  auto before = std::exchange(served_, std::move(loaded));
  list();
  return before;
}

TrackedFile::Failure TrackedFile::fail_load(const Error& error, Time now) {
  const auto load = *std::exchange(loading_, std::nullopt);
  if (changing_ == load.file && error.code == ErrorCode::incomplete && !std::exchange(incomplete_, true)) {
    return Failure::incomplete;
  }
  const bool again = taken_ == load.file;
  const bool known = again && refusal_ == error.message;
  take(load.file);
  refusal_ = error.message;
  if (error.may_pass()) {
    retry_delay_ =
        again ? std::clamp(2 * retry_delay_, patience_->first_retry, patience_->last_retry) : patience_->first_retry;
    retry_at_ = now + retry_delay_;
  }
  return known ? Failure::known : Failure::news;
}

bool TrackedFile::pass_over() {
  const auto load = *std::exchange(loading_, std::nullopt);
  const bool known = taken_ == load.file;
  take(load.file);
  refusal_.clear();
  return !known;
}

// A version that has been replaced is nobody's concern any more.
ServedPlugin TrackedFile::give_up(std::uint64_t attempt, const Error& why, Time now) {
  if (attempt_ != attempt || served_.plugin == nullptr) return {};
  auto version = withdraw();
  quarantined_ = true;
  // Where a newer file has been refused, that stands.
  if (refusal_.empty()) refusal_ = "quarantined: " + why.message;
  if (why.may_pass()) retry_at_ = now;
  return version;
}

ServedPlugin TrackedFile::disable() {
  disabled_ = true;
  loading_.reset();
  changing_.reset();
  retry_at_.reset();
  refusal_.clear();
  quarantined_ = false;
  return served_.plugin == nullptr ? ServedPlugin{} : withdraw();
}

bool TrackedFile::enable() {
  if (!std::exchange(disabled_, false)) return false;
  // What was taken then is served no more.
  taken_.reset();
  return true;
}

bool TrackedFile::disable_component(const std::string& name) {
  const bool is_new = disabled_components_.insert(name).second;
  list();
  return is_new;
}

void TrackedFile::disable_components(ComponentNames names) {
  disabled_components_ = std::move(names);
  list();
}

bool TrackedFile::enable_component(const std::string& name) {
  const bool was_disabled = disabled_components_.erase(name) > 0;
  list();
  return was_disabled;
}

void TrackedFile::describe_anew(std::shared_ptr<const Components> components) {
  served_.components = std::move(components);
  list();
}

// What is served has changed, or what the operator says of it.
void TrackedFile::list() {
  listed_ = served_;
  if (served_.plugin == nullptr || disabled_components_.empty()) return;
  listed_.components = std::make_shared<const Components>(without(*served_.components, disabled_components_));
}

ServedPlugin TrackedFile::withdraw() {
  withdrawn_ = served_.plugin->identity();
  status_at_withdrawal_ = served_.plugin->status();
  status_at_withdrawal_.pid = 0;
  withdrawn_components_ = listed_.components;
  listed_ = {};
  return std::exchange(served_, {});
}

}  // namespace mcph
