#include "mock/setup.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <mcp/plugin.hpp>
#include <mcp/plugin/executor.hpp>

#include "mock/mock_components.hpp"
#include "mock/settings_file.hpp"
#include "shared/mutex.hpp"
#include "shared/periodic_task.hpp"

namespace plugins::mock {
namespace {

// File events are not to be had in the strict sandbox, so the file is looked at: its status only.
constexpr std::chrono::milliseconds look_interval{250};

// Keeps the components the same as the file says. Every function may be called from any thread.
class FollowedFile {
 public:
  FollowedFile(SettingsFile file, MockComponents components)
      : file_(std::move(file)), components_(std::move(components)) {}

  // Registers what the file says now, if that is not what it said when it was registered. Throws std::invalid_argument
  // that says why it cannot be; then everything is as before.
  void register_components() {
    const MutexLock lock(mutex_);
    tried_ = file_.stamp();
    if (tried_ && tried_ == registered_) return;
    try {
      components_.replace(file_.read(), {});
    } catch (const std::invalid_argument& error) {
      const std::string why = error.what();
      throw std::invalid_argument(why.starts_with("the file ") ? why : "the file " + file_.path() + ": " + why);
    }
    registered_ = tried_;
  }

  // True once for each change: when the file has stayed as it is from one look to the next, so that a writer is done.
  bool has_settled_anew() {
    const MutexLock lock(mutex_);
    const auto now = file_.stamp();
    const bool is_settled = now == std::exchange(seen_, now);
    if (!is_settled || now == tried_) return false;
    tried_ = now;
    return true;
  }

 private:
  Mutex mutex_;
  const SettingsFile file_;
  MockComponents components_ GUARDED_BY(mutex_);
  SettingsFile::Stamp registered_ GUARDED_BY(mutex_);
  SettingsFile::Stamp tried_ GUARDED_BY(mutex_);
  SettingsFile::Stamp seen_ GUARDED_BY(mutex_);
};

void follow(mcp::Plugin& plugin, const std::string& path, MockComponents components) {
  if (!path.starts_with('/')) {
    throw std::invalid_argument("\"configuration.file\" must be an absolute path, not \"" + path + '"');
  }
  const auto file = std::make_shared<FollowedFile>(SettingsFile(path), std::move(components));
  plugin.on_describe([file] { file->register_components(); });
  const auto looks = std::make_shared<std::optional<PeriodicTask>>();
  plugin.on_start([&plugin, file, looks] {
    looks->emplace(look_interval, [&plugin, file] {
      if (file->has_settled_anew()) plugin.components_changed();
    });
  });
  plugin.on_stop([looks] { looks->reset(); });
}

}  // namespace

// Without a configuration it has nothing to mock, and exports nothing.
void setup(mcp::Plugin& plugin) {
  const auto configuration = mcp::read_json<Configuration>(plugin.config(), "configuration");
  const bool has_components = configuration.tools || configuration.resources || configuration.prompts;
  if (!configuration.file && !has_components) return;
  if (configuration.file && has_components) {
    throw std::invalid_argument("\"configuration\" must have either file, or tools, resources and prompts");
  }
  MockComponents components(plugin, mcp::Executor::make(plugin));
  if (configuration.file) return follow(plugin, *configuration.file, std::move(components));
  components.replace(configuration, "configuration");
}

}  // namespace plugins::mock
