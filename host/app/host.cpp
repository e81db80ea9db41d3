#include "app/host.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <utility>

#include "base/absolute_path.hpp"
#include "base/version.hpp"
#include "plugin/library/crash_report.hpp"
#include "sources/finder/tool_finder.hpp"
#include "sources/upstream/http_upstream.hpp"

namespace mcph {
namespace {

// Threads and processes that the groups may have which this process belongs to: that of a service or a container, and
// those around it.
rlim_t limit_of_groups() {
  rlim_t least = RLIM_INFINITY;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    constexpr std::string_view unified = "0::/";
    if (!line.starts_with(unified)) continue;
    const std::filesystem::path all = "/sys/fs/cgroup";
    for (auto group = all / line.substr(unified.size());; group = group.parent_path()) {
      rlim_t limit = 0;
      if (std::ifstream(group / "pids.max") >> limit) least = std::min(least, limit);
      if (group == all || !group.has_relative_path()) break;
    }
  }
  return least;
}

// Calls of plugins that may block at once, over all plugins; at most a quarter of the threads and processes that the
// system gives, so that clients never take those that workers, reloads and the operator need.
unsigned blocked_threads() {
  constexpr rlim_t least = 8;
  constexpr rlim_t most = 128;
  rlim_t all = RLIM_INFINITY;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NPROC, &limit) == 0) all = limit.rlim_cur;
  all = std::min(all, limit_of_groups());
  return static_cast<unsigned>(std::clamp(all / 4, least, most));
}

constexpr std::chrono::seconds stop_patience{10};
// More than a plugin's stop may take.
constexpr std::chrono::milliseconds end_patience{15'000};
constexpr std::chrono::milliseconds cut_off_patience{500};
// Some of which may have gone.
constexpr std::chrono::milliseconds farewell_to_upstreams{2000};
unsigned loops(unsigned wanted) {
  constexpr unsigned most = 4;
  return wanted > 0 ? wanted : std::clamp(std::thread::hardware_concurrency(), 1U, most);
}

// Of plugins. A load waits in turn for the disk, its worker and its worker's answers, so one for each processor leaves
// processors idle; far more would each take longer, and the first of them is waited for.
unsigned loads_at_once() {
  constexpr unsigned most = 32;
  return std::clamp(2 * std::thread::hardware_concurrency(), 2U, most);
}

// Its patterns have been read before, with the configuration.
std::shared_ptr<const ToolListing> listing_of(const CatalogOptions& options) {
  if (options.list_at_most == 0) return nullptr;
  ToolListing listing{.at_most = options.list_at_most, .pinned = {}};
  for (const auto& pattern : options.pinned)
    listing.pinned.push_back(ComponentPattern::read(pattern).value());
  return std::make_shared<const ToolListing>(std::move(listing));
}

PluginLoader::Options loader_options(const HostOptions& options, NamedLimits limits, NamedFeatures features,
                                     PluginStores& stores, const PublishedCatalog& catalog,
                                     const std::vector<std::unique_ptr<PublishedCatalog>>& more_catalogs) {
  const PluginLimits per_plugin;
  limits.insert({{"concurrentCallsPerPlugin", per_plugin.concurrent_calls},
                 {"callsInFlightPerPlugin", per_plugin.calls_in_flight},
                 {"blockedThreads", blocked_threads()},
                 {"pageSize", options.serving.page_size}});
  features.insert({{"sandbox", options.sandbox != SandboxProfile::none},
                   {"tasks", options.serving.tasks.count > 0},
                   {"workers", options.isolation == Isolation::worker}});
  return {.data_root = options.data_root,
          .components = options.components,
          // No plugin's data directory, because none has a name that begins with a dot.
          .required_sandboxes = options.data_root / ".required-sandboxes",
          .limits = per_plugin,
          .isolation = options.isolation,
          .errors = options.errors,
          .sandbox = options.sandbox,
          .trust = options.trust,
          .server_info =
              [&catalog, &more_catalogs, identity = options.identity, root = options.components,
               limits = std::move(limits), features = std::move(features), began = std::chrono::steady_clock::now(),
               kept = std::make_shared<KeptServerInfo>()] {
                // Who asks is not known, and so not what he may see.
                const bool some_see_less = catalog.is_governed() || !more_catalogs.empty();
                const auto shown = some_see_less ? std::make_shared<const Catalog>() : catalog.current();
                const auto now = std::chrono::steady_clock::now();
                return kept->text(shown->generation(), now, [&] {
                  return server_info_json(identity, *shown, root, limits, features,
                                          std::chrono::duration_cast<std::chrono::seconds>(now - began));
                });
              },
          .stores = &stores};
}

// Where nothing is, a folder may come, but not where there is something else.
Result<> look_for_folder(const std::filesystem::path& components) {
  std::error_code error;
  const auto found = std::filesystem::status(components, error);
  if (!std::filesystem::exists(found) || std::filesystem::is_directory(found)) return {};
  return fail("the components folder " + absolute_path(components).string() +
              " is no folder; name one with --components");
}

// Where a project beside the folder that is missing has built one. Empty: nowhere.
std::filesystem::path find_built_components(const std::filesystem::path& missing) {
  for (const auto* const preset : {"release", "debug", "dev"}) {
    auto built = missing.parent_path() / "build" / preset / "mcp_components";
    std::error_code error;
    if (std::filesystem::is_directory(built, error)) return built;
  }
  return {};
}

}  // namespace

Result<> find_components(const HostOptions& options) {
  if (auto looked = look_for_folder(options.components); looked.has_error()) return looked;
  std::error_code error;
  if (std::filesystem::exists(options.components, error)) return {};
  const auto missing = absolute_path(options.components);
  const auto built = find_built_components(missing);
  return fail("the components folder " + missing.string() +
              " is missing; make it, or name another one with --components" +
              (built.empty() ? "" : "; the project there has built " + built.string()));
}

Result<std::unique_ptr<Host>> Host::create(const HostOptions& options, Log& log, NamedLimits limits,
                                           NamedFeatures features) {
  if (auto looked = look_for_folder(options.components); looked.has_error()) return looked.error();
  // A program behind this host may end before it has been told anything.
  std::signal(SIGPIPE, SIG_IGN);
  if (options.log_level != Log::Level::off) report_crashes_to_log(options.log_format);
  auto copies = PrivateFolder::create();
  if (copies.has_error()) return copies.error();
  return std::unique_ptr<Host>(new Host(options, *std::move(copies), std::move(limits), std::move(features), log));
}

Host::Host(const HostOptions& options, PrivateFolder copies, NamedLimits limits, NamedFeatures features, Log& log)
    : log_(log),
      root_(absolute_path(options.components)),
      threads_(loops(options.threads), blocked_threads()),
      workers_(
          {.program = Workers::default_program(), .tell_crash_places = options.tell_crash_places, .fork_server = true},
          [this]() -> boost::asio::io_context& { return threads_.next_context(); }, threads_),
      reaper_(stop_patience, log),
      publisher_(catalog_, options.instructions, log, listing_of(options.catalog)),
      drainer_({}, log),
      // No plugin's data directory, as above.
      stores_(absolute_path(options.data_root) / ".stores", log),
      loader_(std::move(copies),
              loader_options(options, std::move(limits), std::move(features), stores_, catalog_, more_catalogs_),
              threads_, workers_, reaper_, log),
      http_upstreams_(threads_),
      configured_upstreams_(options.upstreams_folder, options.upstreams, options.upstream_places),
      upstreams_(
          {.data_root = options.data_root,
           .components = options.components,
           .errors = options.errors,
           .sandbox = options.sandbox,
           .trust = options.trust,
           .has_one_client = options.has_one_client,
           .configured = configured_upstreams_.texts(),
           .places = configured_upstreams_.places()},
          [this](const HttpUpstreamSettings& settings, std::shared_ptr<UpstreamHttp>& http) {
            return http_upstreams_.make(settings, http);
          },
          threads_, workers_, reaper_, log),
      plugin_files_(options.components),
      watch_(FolderWatch::create()),
      load_threads_({.at_once = loads_at_once()}),
      folder_({.root = options.components},
              {.folder = components_,
               .watch = *watch_,
               .loader = loaders_,
               .plugin_executor = load_threads_,
               .resource_updated = [this](const std::string& uri) { catalog_.resource_updates()->updated(uri); },
               .publisher = publisher_,
               .drainer = drainer_,
               .log = log}) {
  // After the folder, whose tool of the same name would count.
  if (options.catalog.find_tools) publisher_.publish(publisher_.add_source(), {make_tool_finder(threads_)}, [] {});
}

Host::~Host() = default;

PublishedCatalog& Host::add_catalog(std::string instructions) {
  auto& added = *more_catalogs_.emplace_back(
      std::make_unique<PublishedCatalog>(catalog_.resource_updates(), std::move(instructions)));
  publisher_.publish_to(added);
  return added;
}

void Host::load_components() {
  const auto begin = std::chrono::steady_clock::now();
  folder_.load_all(std::chrono::seconds(1));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  const auto catalog = catalog_.current();
  log_.info("components loaded", {{"folder", root_.string()},
                                  {"plugins", catalog->plugins().size()},
                                  {"refused", folder_.refused().size()},
                                  {"ms", took.count()}});
}

void Host::end_calls(std::chrono::milliseconds grace, const std::function<bool()>& quiet) {
  folder_.stop({});
  const auto served = [this] {
    Drainer::Plugins plugins;
    for (const auto& each : catalog_.current()->plugins())
      plugins.push_back(each.plugin);
    return plugins;
  };
  threads_are_stuck_ = !drainer_.end_calls(served, grace, quiet);
}

bool Host::end() {
  const bool loads_ended = folder_.stop(end_patience);
  if (!loads_ended) {
    log_.error("reloading does not end",
               {{"reason", "a plugin that is being loaded, started or described does not come back"}});
  }
  http_upstreams_.close(farewell_to_upstreams);
  threads_.stop();
  // A thread in a call that was cut off has been waited for already.
  const bool joined = threads_.join(threads_are_stuck_ ? cut_off_patience : end_patience);
  catalog_.clear();
  for (const auto& catalog : more_catalogs_)
    catalog->clear();
  folder_.release_plugins();
  if (loads_ended && joined) return reaper_.wait_until_empty(end_patience);
  // Plugins that are well still get their time to stop.
  reaper_.wait_until_idle(end_patience);
  return false;
}

int Host::finish(int status, const std::function<void()>& last) {
  const bool has_ended = end();
  if (last) last();
  if (has_ended) return status;
  log_.warning("exit without unwinding", {{"reason", "code of a plugin still runs"}});
  std::cout.flush();
  std::_Exit(status);
}

}  // namespace mcph
