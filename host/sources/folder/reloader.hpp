// Keeps the catalog true to the components folder: looks at the folder, loads what is new or changed, withdraws what is
// gone, publishes a new catalog, and lets old versions drain. A file that cannot be served leaves the last good version
// serving and never touches another. Owned by main. The control thread is the one that runs it; only the functions
// marked [any] may be called from elsewhere.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "catalog/published_catalog.hpp"
#include "plugin/component_changes.hpp"
#include "sources/folder/component_scan.hpp"
#include "sources/folder/folder_watch.hpp"
#include "sources/folder/look_budget.hpp"
#include "sources/folder/operator_requests.hpp"
#include "sources/folder/plugin_loader.hpp"
#include "sources/folder/plugin_report.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class Reloader {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    std::filesystem::path root;                 // holds tools, resources and prompts
    std::string instructions;                   // the operator's, for the model
    std::chrono::milliseconds settle_time{30};  // a changed file is taken when it has been still for so long
    // One that cannot be read then is refused when it has been still for so long: a copy may be slow.
    std::chrono::milliseconds copy_patience{1000};
    std::chrono::milliseconds removal_patience{100};  // a missing file may be about to be replaced
    // One of which nothing has been served yet, and that has no configuration: that may be about to follow.
    std::chrono::milliseconds new_file_patience{250};
    // One whose configuration has gone: longer than any editor leaves it away. Until then what was served with it is.
    std::chrono::milliseconds configuration_patience{2000};
    // While more files change, those that are still wait for them, at most for so long: a burst is one catalog.
    std::chrono::milliseconds burst_patience{1000};
    std::chrono::milliseconds rescan_interval{1000};  // looks without a hint
    // Between two times that plugins which say that they changed are described, so that this is at most 20 catalogs a
    // second for all of them.
    std::chrono::milliseconds describe_interval{50};
    // A file that was refused for a cause outside of it is tried again, after a time that doubles from one to the
    // other.
    std::chrono::milliseconds first_retry{1000};
    std::chrono::milliseconds last_retry{30'000};
    std::chrono::milliseconds drain_time{30'000};  // then an old version's calls are cancelled
    std::chrono::milliseconds heed_time{2'000};    // then they are answered in its stead
  };

  // A plugin file and why it is not served as it lies there now.
  struct Refused {
    std::filesystem::path file;
    std::string reason;
  };

  // The loader, the catalog and the log outlive it.
  Reloader(Options options, PluginLoader& loader, PublishedCatalog& catalog, Log& log);
  ~Reloader();
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

  // Looks once and takes everything as it lies there. Before run.
  void load_all();

  // Begins to watch, on a thread of its own.
  void run();
  // False: a plugin holds the control thread for longer, and only leaving the process without unwinding remains.
  bool stop(std::chrono::milliseconds patience);

  // Gives up the leases. After stop; this object must outlive the plugins, which may still say that they changed.
  void release_plugins();

  // [any] How everything fares. Waits for nobody: while a plugin is being loaded, as it was just before.
  FolderReport report() const;
  // [any] Does what the operator asks and waits until it is done and served; until stop at most. Not before run.
  OperatorRequests::Answer operate(OperatorRequest request);

  // Every version that is served or drains. After stop, or without run.
  std::vector<std::shared_ptr<Plugin>> plugins() const;

  // What load_all refused, and what it found amiss in the folder. After load_all, before run.
  std::vector<Refused> refused() const;
  const std::vector<ScanProblem>& problems() const { return reported_problems_; }

 private:
  struct Tracked {
    std::optional<PluginFile> taken;  // the state of the file that was last loaded or refused
    ServedPlugin served;              // empty if no version was ever good
    std::string description;          // that a change of its components came with last
    std::string refusal;              // of the state taken; empty if it is served
    std::uint64_t attempt = 0;        // at loading, from which the version served came
    bool quarantined = false;
    bool configured = false;                  // there has been a configuration, and it was not taken without one since
    bool disabled = false;                    // by the operator: nothing of it is taken
    std::optional<PluginIdentity> withdrawn;  // what was served before that, if no version has been since
    PluginStatus status_at_withdrawal = {};
    std::chrono::milliseconds retry_delay{0};
    std::optional<Clock::time_point> retry_at;  // of the state taken, if its refusal may pass
    std::optional<PluginFile> changing;
    Clock::time_point changed_at;
    bool incomplete = false;  // the changing file, when it was loaded
    std::optional<Clock::time_point> missing_since;
  };

  struct Draining {
    std::weak_ptr<Plugin> plugin;
    PluginIdentity identity;
    Clock::time_point due;  // of what is done about its calls next
    bool cancelled = false;
    bool given_up = false;
  };

  struct GivenUp {
    std::filesystem::path file;
    std::uint64_t attempt;
    Error why;
  };

  // What a look finds.
  struct Changes {
    std::vector<PluginFile> to_take;
    std::vector<std::filesystem::path> to_withdraw;
    bool go_on = false;  // others change just now

    bool any() const { return !to_take.empty() || !to_withdraw.empty(); }
  };

  // A report, and the version whose status it lacks.
  struct Watched {
    PluginReport report;
    std::weak_ptr<Plugin> plugin;
  };

  void control();
  // One look at the folder. Returns when the next is due.
  Clock::time_point look(bool settle);
  void scan(Clock::time_point now);
  // The functions below return whether the catalog must be built anew.
  bool take(Tracked& tracked, const PluginFile& file, std::string_view cause);
  bool describe_again(Clock::time_point now, Clock::time_point& due);
  bool describe_again(const std::filesystem::path& file);
  Result<LoadedPlugin> load(const PluginFile& file, std::uint64_t attempt);
  void refuse(Tracked& tracked, const PluginFile& file, const Error& error);
  void serve(Tracked& tracked, LoadedPlugin loaded);
  void retire(const ServedPlugin& old, Clock::time_point now);
  void publish();
  // What the log says of a change, it says when the change is being served.
  void say_when_published(std::function<void()> say);
  void report_conflicts(const Catalog& catalog);
  void report_problems();
  void check_draining(Clock::time_point now, Clock::time_point& due);
  void hurry(Draining& draining, Plugin& plugin, Clock::time_point now);
  bool withdraw_given_up(Clock::time_point now);  // as those above
  // The changes that were described by this look are served, or will not be.
  void tell_served();
  void serve_no_changes();
  void components_changed(const std::filesystem::path& file, std::shared_ptr<ComponentChanges> changes);  // [any]
  void gave_up(GivenUp which);                                                                            // [any]

  // What has changed in the folder (changes.cpp).
  bool heed_changes(bool settle, Clock::time_point now, Clock::time_point& due);  // as those above
  void notice(const PluginFile& file, bool settle, Clock::time_point now, Changes& changes, Clock::time_point& due);
  void notice_missing(Clock::time_point now, Changes& changes, Clock::time_point& due);
  // Nothing of it has been served, and it has none.
  static bool may_be_given_configuration(const Tracked& tracked, const PluginFile& file);
  // Its configuration was there, and it has not been taken without one since.
  static bool has_lost_configuration(const Tracked& tracked, const PluginFile& file);
  bool is_awaited(const Changes& changes, Clock::time_point now);
  bool withdraw_missing(const std::filesystem::path& file, Clock::time_point now);

  // What the operator asks (operator.cpp).
  using Asked = std::vector<std::shared_ptr<OperatorRequests::Pending>>;
  bool obey_operator(Asked asked, Clock::time_point now);  // as those above
  void answer_operator();
  OperatorRequests::Answer obey(const OperatorRequest& request, Clock::time_point now, bool& changed);
  OperatorOutcome reload(Tracked& tracked, const std::filesystem::path& path, Clock::time_point now, bool& changed);
  OperatorOutcome disable(Tracked& tracked, const std::filesystem::path& path, Clock::time_point now, bool& changed);
  void withdraw(Tracked& tracked, Clock::time_point now);
  std::vector<std::filesystem::path> files_called(const std::string& name) const;
  Error nothing_called(const std::string& name) const;
  Watched watched(const std::filesystem::path& file, const Tracked& tracked) const;
  void keep_report();

  const Options options_;
  PluginLoader& loader_;
  PublishedCatalog& catalog_;
  Log& log_;
  const std::unique_ptr<FolderWatch> watch_;

  ScanResult scan_;  // of the last look that was worth its time
  LookBudget budget_;
  bool is_slow_ = false;  // it has been said that looks take long
  std::map<std::filesystem::path, Tracked> tracked_;
  std::optional<Clock::time_point> burst_began_;  // since when changes wait for others
  std::vector<Draining> draining_;
  std::vector<Conflict> reported_conflicts_;
  std::vector<ScanProblem> reported_problems_;
  std::string reported_degradation_;
  std::vector<std::function<void()>> to_say_;
  std::uint64_t generation_ = 0;
  std::uint64_t attempts_ = 0;     // at loading
  Clock::time_point describe_at_;  // not before
  std::vector<std::shared_ptr<ComponentChanges>> described_;
  std::vector<std::pair<std::shared_ptr<OperatorRequests::Pending>, OperatorRequests::Answer>> to_answer_;

  OperatorRequests requests_;
  mutable std::mutex report_mutex_;
  std::vector<Watched> watched_;
  std::vector<ScanProblem> watched_problems_;

  std::mutex mutex_;
  std::set<std::filesystem::path> to_describe_;
  std::vector<std::shared_ptr<ComponentChanges>> changes_;  // of those, and of versions that are served no more
  bool serves_changes_ = false;                             // the control thread does
  std::vector<GivenUp> given_up_;
  bool stopping_ = false;
  bool ended_ = false;
  std::condition_variable ended_changed_;
  std::thread thread_;
};

}  // namespace mcph
