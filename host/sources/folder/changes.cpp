// The part of the reloader that finds what has changed in the folder, and decides when it is taken.
#include <algorithm>
#include <utility>

#include "sources/folder/reloader.hpp"

namespace mcph {

bool Reloader::heed_changes(bool settle, Clock::time_point now, Clock::time_point& due) {
  Changes changes;
  for (const auto& file : scan_.plugins)
    notice(file, settle, now, changes, due);
  notice_missing(now, changes, due);
  if (is_awaited(changes, now)) return false;

  bool changed = false;
  // First, because to load takes its time, in which a file may come back.
  for (const auto& file : changes.to_withdraw)
    changed |= withdraw_missing(file, now);
  for (const auto& file : changes.to_take) {
    auto& tracked = tracked_.at(file.file);
    changed |= take(tracked, file, words_for_change(tracked.taken, file));
    if (tracked.changing == file && tracked.incomplete)
      due = std::min(due, tracked.changed_at + options_.copy_patience);
  }
  return changed;
}

void Reloader::notice(const PluginFile& file, bool settle, Clock::time_point now, Changes& changes,
                      Clock::time_point& due) {
  auto& tracked = tracked_[file.file];
  tracked.missing_since.reset();
  tracked.configured |= !file.configuration.is_absent();
  if (tracked.disabled) return;
  if (tracked.taken == file) {
    tracked.changing.reset();
    if (!tracked.retry_at) return;
    if (now >= *tracked.retry_at) return changes.to_take.push_back(file);
    due = std::min(due, *tracked.retry_at);
    return;
  }
  if (!settle) return changes.to_take.push_back(file);
  if (tracked.changing != file) {
    tracked.changing = file;
    tracked.changed_at = now;
    tracked.incomplete = false;
  }
  const bool is_lost = has_lost_configuration(tracked, file);
  const auto stillness = tracked.incomplete ? options_.copy_patience
                         : is_lost          ? options_.configuration_patience
                         : may_be_given_configuration(tracked, file)
                             ? std::max(options_.new_file_patience, options_.settle_time)
                             : options_.settle_time;
  if (now - tracked.changed_at >= stillness) return changes.to_take.push_back(file);
  due = std::min(due, tracked.changed_at + stillness);
  // For what may take long nobody waits.
  changes.go_on |= !tracked.incomplete && !is_lost;
}

bool Reloader::may_be_given_configuration(const Tracked& tracked, const PluginFile& file) {
  return tracked.attempt == 0 && file.configuration.is_absent();
}

bool Reloader::has_lost_configuration(const Tracked& tracked, const PluginFile& file) {
  return tracked.configured && file.configuration.is_absent();
}

void Reloader::notice_missing(Clock::time_point now, Changes& changes, Clock::time_point& due) {
  for (auto& [file, tracked] : tracked_) {
    const auto found = std::lower_bound(scan_.plugins.begin(), scan_.plugins.end(), file,
                                        [](const PluginFile& each, const auto& path) { return each.file < path; });
    // What the operator said of it is remembered.
    const bool present =
        tracked.disabled || (found != scan_.plugins.end() && found->file == file) || scan_.may_be_hidden(file);
    if (present) continue;
    if (!tracked.missing_since) tracked.missing_since = now;
    const auto over = *tracked.missing_since + options_.removal_patience;
    if (now >= over) {
      changes.to_withdraw.push_back(file);
    } else {
      due = std::min(due, over);
      changes.go_on = true;
    }
  }
}

// What keeps changing holds nobody up for longer.
bool Reloader::is_awaited(const Changes& changes, Clock::time_point now) {
  if (!changes.go_on) {
    burst_began_.reset();
    return false;
  }
  if (!changes.any()) return false;
  if (!burst_began_) burst_began_ = now;
  if (now - *burst_began_ < options_.burst_patience) return true;
  burst_began_.reset();
  return false;
}

bool Reloader::withdraw_missing(const std::filesystem::path& file, Clock::time_point now) {
  const auto entry = tracked_.find(file);
  const bool was_served = entry->second.served.plugin != nullptr;
  if (was_served) {
    say_when_published([this, path = file.string()] {
      log_.info("plugin withdrawn", {{"file", path}, {"reason", "the file is gone"}});
    });
    retire(entry->second.served, now);
  }
  tracked_.erase(entry);
  return was_served;
}

}  // namespace mcph
