#include "docs/setup.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <mcp/plugin/typed.hpp>

#include "docs/document_library.hpp"
#include "shared/folder_watch.hpp"
#include "shared/mutex.hpp"
#include "shared/periodic_task.hpp"

namespace plugins::docs {
namespace {

constexpr int min_interval = 50;
// A small folder is listed before a client can ask. The documents of others follow.
constexpr std::chrono::milliseconds start{500};

struct Settings {
  std::optional<std::string> folder;
  int rescan_milliseconds = 2000;
  static constexpr auto fields() {
    return std::tuple{mcp::field("folder", &Settings::folder),
                      mcp::field("rescanMilliseconds", &Settings::rescan_milliseconds).default_value(2000)};
  }
};

Settings settings_of(const mcp::Plugin& plugin) {
  auto settings = plugin.config_as<Settings>();
  if (settings.folder && !settings.folder->starts_with('/')) {
    throw std::invalid_argument("folder must be an absolute path, not \"" + *settings.folder + "\"");
  }
  if (settings.rescan_milliseconds < min_interval) {
    throw std::invalid_argument("rescanMilliseconds must be at least " + std::to_string(min_interval));
  }
  return settings;
}

// What is there between start and stop.
class Service {
 public:
  Service(mcp::Plugin& plugin, const Settings& settings)
      : library_(plugin, DocumentFolder(settings.folder ? *settings.folder : plugin.data_directory())) {
    rescan_.emplace(
        std::chrono::milliseconds(settings.rescan_milliseconds), [this, &plugin] { refresh(plugin); },
        PeriodicTask::First::at_once);
    // Without file events changes are found by the looks now and then.
    watch_.emplace(std::vector{library_.folder().path()},
                   FolderWatch::Listener{.changed = [this](const std::string&) { rescan_->wake(); },
                                         .degraded = [&plugin](const std::string& reason) { plugin.info(reason); }});
    wait_for_first_look();
  }

  const DocumentLibrary& library() const { return library_; }

 private:
  void refresh(mcp::Plugin& plugin) {
    try {
      library_.refresh();
    } catch (const std::exception& error) {
      plugin.error("the folder " + library_.folder().path() + " could not be looked through: " + error.what());
    }
    {
      const MutexLock lock(mutex_);
      has_looked_ = true;
    }
    looked_.notify_all();
  }

  void wait_for_first_look() {
    MutexLock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + start;
    while (!has_looked_ && looked_.wait_until(lock, end)) {
    }
  }

  DocumentLibrary library_;
  Mutex mutex_;
  Condition looked_;
  bool has_looked_ GUARDED_BY(mutex_) = false;
  std::optional<PeriodicTask> rescan_;
  std::optional<FolderWatch> watch_;  // last, because it uses the others
};

void report_folder(mcp::Plugin& plugin, const DocumentFolder& folder) {
  const auto error = folder.why_unreadable();
  if (!error) {
    plugin.info("serving the Markdown files in " + folder.path());
  } else if (error->is_not_found()) {
    plugin.warn("there is no folder " + folder.path() + " yet; its Markdown files are served once it is there");
  } else {
    plugin.warn("the folder " + folder.path() + " " + error->what());
  }
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  const Settings settings = settings_of(plugin);
  const auto service = std::make_shared<std::optional<Service>>();
  plugin
      .resource_template("docs://*", "document", "A Markdown document by its path: docs://guide/install.md",
                         [service](const mcp::Uri& uri) { return (*service)->library().read(uri["*"]); })
      .title("Document")
      .mime_type("text/markdown")
      .complete("*", [service](std::string_view typed) {
        return mcp::values_that_begin_with(typed, (*service)->library().paths());
      });
  plugin.on_start([&plugin, settings, service] {
    service->emplace(plugin, settings);
    report_folder(plugin, (*service)->library().folder());
  });
  plugin.on_stop([service] { service->reset(); });
}

}  // namespace plugins::docs
