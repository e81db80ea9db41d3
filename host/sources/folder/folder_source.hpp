// The plugins of the components folder: looks at the folder, loads what is new or changed, withdraws what is gone,
// publishes what it serves, and does what the operator asks. One class with many small functions, because each step of
// a look decides by what those before it have found. A file that cannot be served leaves the last good version serving
// and never touches another; what runs code of plugins, to load them and to describe them again, runs beside each other
// on threads that are handed in, and one that hangs keeps nobody waiting. What the folder is, who loads, who tells of
// changes, and the clock are handed in, too. Owned by who assembles the program. The control thread is the one that
// runs it; only the functions marked [any] may be called from elsewhere.
//
//   look -> settle -> load (elsewhere) -> collect -> describe again (elsewhere) -> collect -> publish -> drain
//
// A catalog is published when the tasks that the control thread waits for have ended: all that began, as long as one of
// them ends every Options::task_patience.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/component_changes.hpp"
#include "runtime/executor.hpp"
#include "sources/drainer.hpp"
#include "sources/folder/components_folder.hpp"
#include "sources/folder/folder_watch.hpp"
#include "sources/folder/look_budget.hpp"
#include "sources/folder/operator_service.hpp"
#include "sources/folder/plugin_loader.hpp"
#include "sources/folder/tracked_file.hpp"
#include "sources/publisher.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class FolderSource final : private OperatedFiles {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Options {
    std::filesystem::path root;  // for messages
    FilePatience patience = {};
    // While more files change, those that are still wait for them, at most for so long: a burst is one catalog.
    std::chrono::milliseconds burst_patience{1000};
    std::chrono::milliseconds task_patience{250};     // for the next task to end, while the control thread waits
    std::chrono::milliseconds rescan_interval{1000};  // looks without a hint
    // Between two times that plugins which say that they changed are described, so that this is at most 20 catalogs a
    // second for all of them. What one of them describes takes the host a fifth of the time at most.
    std::chrono::milliseconds describe_interval{50};
  };

  // What it works with; all of it outlives it.
  struct Surroundings {
    ComponentsFolder& folder;
    FolderWatch& watch;
    VersionLoader& loader;
    Executor& plugin_executor;  // each task may hang
    std::function<Time()> now = std::chrono::steady_clock::now;
    std::function<void(const std::string& uri)> resource_updated;
    Publisher& publisher;
    Drainer& drainer;
    Log& log;
  };

  // A plugin file and why it is not served as it lies there now.
  struct Refused {
    std::filesystem::path file;
    std::string reason;
  };

  FolderSource(Options options, Surroundings surroundings);
  ~FolderSource() override;
  FolderSource(const FolderSource&) = delete;
  FolderSource& operator=(const FolderSource&) = delete;

  // Looks once and takes everything as it lies there, as long as a load ends now and then. Before run.
  void load_all(std::chrono::milliseconds patience);
  // One look at the folder and at everything that has come. Returns when the next is due. What run does again and
  // again.
  Time look() { return look(std::nullopt); }

  // Begins to look, on a thread of its own.
  void run();
  // False: a load, a description or the control thread takes longer, and only leaving the process without unwinding
  // remains.
  bool stop(std::chrono::milliseconds patience);

  // Gives up the leases, unless the control thread still has them. After stop; this object must outlive the plugins,
  // which may still say that they changed.
  void release_plugins();

  // [any] What the operator can ask.
  OperatorService& operator_service() { return operator_; }

  // [any] How loading has gone since the start.
  struct Loads {
    std::uint64_t served = 0;
    std::uint64_t refused = 0;   // the same refusal again counts no more
    std::uint64_t given_up = 0;  // versions whose process has crashed too often
  };
  Loads loads() const { return {loads_served_.load(), loads_refused_.load(), given_up_.load()}; }

  // What load_all refused, and what it found amiss in the folder. After load_all, before run.
  std::vector<Refused> refused() const;
  const std::vector<ScanProblem>& problems() const { return reported_problems_; }

 private:
  using Path = std::filesystem::path;

  // At loading a file.
  using Attempt = std::pair<Path, std::uint64_t>;
  // On its way from the thread of a load to the control thread. Its place in the inbox is made before the task begins,
  // which has nobody to tell that there is no memory.
  struct Loaded {
    Path file;
    std::uint64_t attempt;
    std::string cause;
    Time begun;
    Result<LoadedPlugin> plugin = fail_for_now("there is no memory to load it");
  };
  // Likewise, of a version that is served.
  struct Described {
    Attempt version;
    std::shared_ptr<ComponentChanges> changes;  // may be null
    std::string before = {};                    // the description that came with its last change
    Result<std::string> description = fail_for_now("it has not been described");
    std::optional<Result<Components>> components = {};  // nothing: it is the same as before
    Time::duration parsing = {};                        // how long it took to read them
  };
  struct GivenUp {
    Path file;
    std::uint64_t attempt;
    Error why;
  };
  using TaskId = std::uint64_t;
  // Whose thread is told that it has come. Shared with tasks and plugins, which may be the last to go.
  struct Inbox {
    Mutex mutex;
    Condition changed;
    std::set<TaskId> running GUARDED_BY(mutex);
    std::set<TaskId> awaited GUARDED_BY(mutex);  // of them, those that the control thread waits for
    std::list<Loaded> loaded GUARDED_BY(mutex);
    std::list<Described> described GUARDED_BY(mutex);
    std::vector<GivenUp> given_up GUARDED_BY(mutex);
    // The versions that changed their components, with who is told when that is served; null: nobody waits for it.
    std::map<Attempt, std::shared_ptr<ComponentChanges>> to_describe GUARDED_BY(mutex);
    bool serves_changes GUARDED_BY(mutex) = false;  // the control thread does
    bool stopping GUARDED_BY(mutex) = false;
    bool ended GUARDED_BY(mutex) = false;
  };

  void control();
  Time look_with_what_memory_there_is();
  Time look(std::optional<std::chrono::milliseconds> at_start);
  void scan(Time now, bool is_asked);
  void watch();
  // What has changed in the folder.
  void heed_changes(bool at_start, Time now);
  bool is_awaited(bool waits, bool any, Time now);
  void withdraw_missing(const Path& file, Time now);

  // OperatedFiles.
  TrackedFiles& files() override { return files_; }
  const ScanResult& last_scan() const override { return scan_; }
  std::uint64_t begin_load(TrackedFile& tracked, const PluginFile& file, std::string_view cause) override;
  void drain(const ServedPlugin& version, Time now) override;
  void list_anew() override { changed_ = true; }
  void say_when_published(std::function<void()> say) override;

  void begin_task(std::function<void(TaskId task)> run);
  // On a thread for tasks, with what the task has put into the inbox. Once the lock is released, this object may go.
  void end_task(TaskId task) REQUIRES(inbox_->mutex);
  void wait_for_tasks(std::chrono::milliseconds patience);
  bool is_stopping() const;
  void load(TaskId task, std::list<Loaded>& place, const PluginFile& file);
  void collect_loads(Time now);
  void settle_collected(Time now);
  void settle(TrackedFile& tracked, Loaded loaded, Time now);
  void serve(TrackedFile& tracked, Loaded loaded, Time now);
  void refuse(TrackedFile& tracked, const Path& file, const Error& error, Time now);
  void pass_over(TrackedFile& tracked, const Path& file);
  PluginEvents events_of(const Path& file, std::uint64_t attempt);
  void withdraw_given_up(Time now);
  void describe_changed(std::chrono::milliseconds patience);
  // False: there are none.
  bool begin_descriptions(Time now);
  void begin_description(const Attempt& version, const std::shared_ptr<ComponentChanges>& changes);
  void describe(TaskId task, const std::weak_ptr<Plugin>& plugin, std::list<Described>& place);
  void tell_slow_descriptions();
  void collect_descriptions();
  void settle_description(Described& described);
  // Its load has not been collected.
  bool is_loading(const Attempt& version) const;
  // Not before; nothing: what it waits for wakes the control thread.
  std::optional<Time> describable_at(const Attempt& version) const;
  // When the next of those that have changed can be described; nothing: there is none.
  std::optional<Time> description_due() const;
  // What this look has described is not described again at once.
  void pause_described();
  // The changes whose descriptions this look has collected are served, or will not be.
  void tell_served();
  // From then on no answer waits for them.
  static void serve_no_changes(Inbox& inbox) REQUIRES(inbox.mutex);
  void publish();
  void report_problems();
  void report_remarks();
  void report_degradation();

  const Options options_;
  const Surroundings with_;
  const Publisher::Source source_;

  ScanResult scan_;  // of the last look that was worth its time
  LookBudget budget_;
  int slow_looks_ = 0;    // one after the other
  bool is_slow_ = false;  // it has been said that looks take long
  TrackedFiles files_;
  std::map<Path, TrackedFile::ComponentNames> disabled_components_;  // of files that are gone
  std::uint64_t attempts_ = 0;                                       // at loading
  TaskId last_task_ = 0;
  std::atomic<std::uint64_t> loads_served_{0};
  std::atomic<std::uint64_t> loads_refused_{0};
  std::atomic<std::uint64_t> given_up_{0};
  std::list<Loaded> collected_;      // loads that have not been settled, the last file first
  std::optional<Time> burst_began_;  // since when changes wait for others
  bool changed_ = true;              // what it serves, since it was published
  std::vector<std::function<void()>> to_say_;
  Time describe_at_;                                        // not before
  std::map<Attempt, bool> describing_;                      // whether it has been said that this takes long
  std::vector<std::pair<Path, Time>> described_;            // in this look, and since when the host works on each
  std::vector<std::shared_ptr<ComponentChanges>> to_tell_;  // at the end of this look
  std::vector<ScanProblem> reported_problems_;
  bool has_remarked_ = false;  // on what was there at the start
  std::string reported_degradation_;

  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  OperatorService operator_;
  std::thread thread_;
};

}  // namespace mcph
