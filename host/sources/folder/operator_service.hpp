// What an operator can ask of the plugins in the components folder, and what he is told of them. Questions come on any
// thread; what is done about them is done on the control thread, and answered when it is served.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "sources/drainer.hpp"
#include "sources/folder/plugin_report.hpp"
#include "sources/folder/tracked_file.hpp"
#include "sources/publisher.hpp"

namespace mcph {

struct OperatorRequest {
  enum class Kind { reload, disable, enable };
  Kind kind = Kind::reload;
  std::string plugin;          // its name, or its file; empty: all
  std::string component = {};  // of it, to disable or enable; empty: the whole plugin
};

// What became of one plugin.
struct OperatorOutcome {
  std::filesystem::path file;
  bool good = true;
  std::string text = {};       // "serving clock 1.0.0 (0123456789ab)"
  bool is_configured = false;  // PluginFile::is_configured
};

// NAME of NAME.so, NAME.plugin and NAME.mcp.json.
std::string name_of_file(const std::filesystem::path& file);
// What an upstream of the configuration is called: there is no such file.
std::string table_of_upstream(const std::filesystem::path& file);
// Whether `called` names a file of the components folder: by its path or the end of it, with what follows NAME or
// without.
bool is_file_called(const std::filesystem::path& file, const std::string& called);

// What an operator may call a plugin.
struct KnownPlugin {
  std::string name;  // as it calls itself; empty: it has never said so
  std::filesystem::path file;
};
// What follows "no plugin": that it is called so, and which there are.
std::string words_for_unknown_name(const std::string& called, const std::vector<KnownPlugin>& known);

using TrackedFiles = std::map<std::filesystem::path, TrackedFile>;

// What is done for the operator: the source of the files implements it. The control thread.
class OperatedFiles {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~OperatedFiles() = default;
  virtual TrackedFiles& files() = 0;
  virtual const ScanResult& last_scan() const = 0;
  // Returns the attempt. Its end is told to OperatorService::load_ended.
  virtual std::uint64_t begin_load(TrackedFile& tracked, const PluginFile& file, std::string_view cause) = 0;
  virtual void drain(const ServedPlugin& version, Time now) = 0;
  // What is listed of a file has changed.
  virtual void list_anew() = 0;
  // What the log says of a change, it says when the change is being served.
  virtual void say_when_published(std::function<void()> say) = 0;
};

class OperatorService {
 public:
  using Time = OperatedFiles::Time;
  using Answer = Result<std::vector<OperatorOutcome>>;

  // `wake` has the control thread look at what is asked. All of it outlives this.
  OperatorService(OperatedFiles& files, const Drainer& drainer, std::function<void()> wake, Log& log)
      : files_(files), drainer_(drainer), wake_(std::move(wake)), log_(log) {}

  // [any] How everything fares. Waits for nobody.
  FolderReport report() const;
  // [any] Does what is asked and waits until it is done and served; until close at most.
  Answer ask(OperatorRequest request);
  // [any] From now on nobody is answered any more, and nobody waits.
  void close();

  // The control thread, in this order: takes what is asked, if anything is; that is done or begun; a load has ended,
  // with the version that is served then or without; what has been done is served; this is how everything fares.
  bool take_asked();
  void obey(Time now);
  void load_ended(std::uint64_t attempt, const TrackedFile& tracked, bool good);
  void answer();
  void keep_report(const ScanResult& scan, const Publisher::Remarks& remarks);

 private:
  struct Pending {
    OperatorRequest request;
    std::vector<OperatorOutcome> outcomes = {};
    std::map<std::uint64_t, std::size_t> loads = {};  // that have not ended, by attempt, and whose outcomes they are
    std::optional<Answer> answer = {};                // guarded by the mutex
  };
  // A report, and the version whose status it lacks.
  struct Watched {
    PluginReport report;
    std::weak_ptr<Plugin> plugin;
  };

  // Without an outcome yet where the file is being loaded.
  void obey(Pending& pending, Time now);
  std::optional<std::uint64_t> reload(TrackedFile& tracked, Time now, OperatorOutcome& outcome);
  void disable(TrackedFile& tracked, Time now, OperatorOutcome& outcome);
  void list(TrackedFile& tracked, const OperatorRequest& request, OperatorOutcome& outcome);
  // What the loads that count no more have come to.
  void settle_dropped_loads(Pending& pending) const;
  std::vector<std::filesystem::path> files_called(const std::string& name) const;
  bool is_configured(const std::filesystem::path& file) const;
  Error nothing_called(const std::string& name) const;
  static Watched watched(const std::filesystem::path& file, const TrackedFile& tracked);
  Answer wait_for(const Pending& pending);
  void give(Pending& pending, Answer answer);

  OperatedFiles& files_;
  const Drainer& drainer_;
  const std::function<void()> wake_;
  Log& log_;
  std::vector<std::shared_ptr<Pending>> asked_;  // the control thread's, like the next
  std::vector<std::shared_ptr<Pending>> at_work_;

  mutable Mutex mutex_;
  Condition changed_;
  std::vector<std::shared_ptr<Pending>> waiting_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
  std::vector<Watched> watched_ GUARDED_BY(mutex_);
  std::vector<ScanProblem> problems_ GUARDED_BY(mutex_);
};

}  // namespace mcph
