#include "sources/folder/component_scan.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>
#include <vector>

#include "base/regular_file.hpp"
#include "base/similar_name.hpp"
#include "plugin/library/bundle.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

bool is_plugin(const fs::path& file) {
  return file.extension() == library_extension || is_upstream_name(file);
}

// NAME.SO, or NAME.so.1, which a build may make of a library with a version. What plugins link is named libNAME.so.1.
bool is_nearly_plugin(const fs::path& file) {
  const auto extension = file.extension().native();
  if (extension == ".SO" || extension == ".So" || extension == ".sO") return true;
  const auto name = file.filename().native();
  const auto version = name.find(".so.");
  return version != std::string::npos && version + 4 < name.size() && !name.starts_with("lib") &&
         name.find_first_not_of("0123456789.", version + 4) == std::string::npos;
}

// What an upstream says of itself is all that there is.
ConfigurationState configuration_at(const fs::path& file);
ConfigurationState configuration_of(const fs::path& plugin_file) {
  return is_upstream_name(plugin_file) ? ConfigurationState() : configuration_at(configuration_file(plugin_file));
}

// They are order for people: a plugin may export any kind of component from any of them.
constexpr std::array<std::string_view, 3> tops{"prompts", "resources", "tools"};

bool is_top(std::string_view name) {
  return std::ranges::find(tops, name) != tops.end();
}

struct State {
  int error = 0;  // of errno; 0 if the rest is known
  ::mode_t mode = 0;
  FileIdentity identity;
};

State state_of(const fs::path& path) {
  struct ::stat status {};
  if (::stat(path.c_str(), &status) != 0) return {errno, 0, {}};
  return {0, status.st_mode, identity_from(status)};
}

bool is_absent(int error) {
  return error == ENOENT || error == ENOTDIR;
}

using Entries = std::vector<fs::directory_entry>;  // of one folder, sorted by name

// Asked of the file system each time: a list of the folder may lack what is renamed while it is read.
ConfigurationState configuration_at(const fs::path& file) {
  struct ::stat name {};
  if (::lstat(file.c_str(), &name) != 0) {
    // Where a plugin's name is as long as can be, there can be none.
    if (is_absent(errno) || errno == ENAMETOOLONG) return {};
    return {.unusable = "it cannot be read: " + last_error()};
  }
  const auto state = state_of(file);
  if (state.error == 0 && S_ISREG(state.mode)) return {.identity = state.identity};
  if (state.error == 0) return {.unusable = "it is not a regular file"};
  if (!is_absent(state.error)) return {.unusable = "it cannot be read: " + error_words(state.error)};
  if (!S_ISLNK(name.st_mode)) return {};  // removed since
  return {.unusable = "it is a link to a file that does not exist; make that file, or remove the link"};
}

class Scan {
 public:
  Scan(fs::path root, const ScanLimits& limits) : root_(std::move(root)), limits_(limits) {}

  ScanResult run();

 private:
  struct Folder {
    fs::path path;
    std::size_t depth;
  };

  void note_folders_above();
  void scan_linked_folder(const Folder& folder);
  void report_misplaced();
  void report_misnamed();
  Entries regular_entries(const fs::path& folder);
  bool is_served(const fs::path& file) const;
  void scan_folder(const Folder& folder);
  Entries list(const fs::path& folder);
  void scan_entry(const fs::directory_entry& entry, const Folder& folder);
  void add_plugin(const fs::path& file, const State& state);
  void add_bundle(const fs::path& folder);
  void drop_bundles_beside_files();
  std::vector<fs::path> configuration_names() const;
  void drop_configurations();
  void remark_on_misnamed_configurations();
  void count(std::size_t entries, const fs::path& folder);
  void watch_target_of(const fs::path& link);
  void report(const fs::path& path, std::string reason) {
    result_.problems.push_back({path, std::move(reason), false});
  }
  void report_hidden(const fs::path& path, std::string reason) {
    result_.problems.push_back({path, std::move(reason), true});
  }

  const fs::path root_;
  const ScanLimits& limits_;
  ScanResult result_;
  std::size_t entries_ = 0;
  std::size_t misplaced_looked_at_ = 0;
  using Inode = std::pair<std::uint64_t, std::uint64_t>;  // with its device
  std::set<Inode> visited_;                               // folders
  std::set<Inode> above_;                                 // the folders that the root lies in
  std::vector<fs::path> json_files_;                      // that are no servers elsewhere
  std::vector<fs::path> misnamed_;                        // that would be plugins by another name
  std::vector<Folder> linked_;  // scanned after all real folders, so that a folder is found under its real path
};

ScanResult Scan::run() {
  const auto root = state_of(root_);
  if (root.error == 0 && !S_ISDIR(root.mode)) report(root_, "it is not a folder");
  if (is_absent(root.error)) report(root_, "the components folder is missing; nothing is served until it is there");
  result_.folders.push_back(root_);
  note_folders_above();
  for (const auto& name : tops) {
    const Folder folder{root_ / name, 0};
    result_.folders.push_back(folder.path);
    std::error_code absent;
    if (fs::is_symlink(folder.path, absent)) {
      linked_.push_back(folder);
    } else {
      scan_folder(folder);
    }
  }
  // Links that are found on the way are appended, which is why each is copied out of the vector.
  for (std::size_t i = 0; i < linked_.size(); ++i)
    scan_linked_folder(Folder(linked_[i]));
  report_misplaced();
  report_misnamed();

  std::ranges::sort(result_.plugins, {}, &PluginFile::file);
  drop_bundles_beside_files();
  drop_configurations();
  remark_on_misnamed_configurations();
  std::ranges::sort(result_.problems, {}, &ScanProblem::path);
  std::ranges::sort(result_.folders);
  result_.folders.erase(std::unique(result_.folders.begin(), result_.folders.end()), result_.folders.end());
  return std::move(result_);
}

void Scan::note_folders_above() {
  std::error_code error;
  for (auto folder = fs::canonical(root_, error); folder.has_relative_path();) {
    folder = folder.parent_path();
    const auto state = state_of(folder);
    above_.emplace(state.identity.device, state.identity.inode);
  }
}

// What lies above holds other things than plugins, the whole disk perhaps, and the components folder once more.
void Scan::scan_linked_folder(const Folder& folder) {
  const auto state = state_of(folder.path);
  if (state.error != 0 || !above_.contains({state.identity.device, state.identity.inode})) return scan_folder(folder);
  report(folder.path,
         "it is a link to a folder that the components folder lies in, and is not followed; link to the folder of the "
         "plugins alone");
}

// A plugin outside of the three folders was meant to be served, and it would be a riddle why it is not. What else lies
// there is nobody's business, so nothing is said of what cannot be read. Links lead to places that have other uses.
void Scan::report_misplaced() {
  for (const auto& entry : regular_entries(root_)) {
    const auto& path = entry.path();
    std::error_code ignored;
    const bool is_bundle = is_bundle_name(path) && entry.is_directory(ignored);
    if (is_bundle || (is_plugin(path) && entry.is_regular_file(ignored))) {
      if (!is_served(path))
        report(path, "it is not loaded; move it into one of the folders tools, resources and prompts");
    } else if (!is_top(path.filename().native()) && entry.is_directory(ignored)) {
      auto inside = regular_entries(path);
      std::erase_if(inside, [](const auto& each) { return !is_plugin(each.path()); });
      const bool used = std::ranges::any_of(inside, [this](const auto& each) { return is_served(each.path()); });
      if (!inside.empty() && !used) {
        report(path, "its plugins are not loaded; it is not one of the folders tools, resources and prompts");
      }
    }
  }
}

// Unless a link beside them has the right name.
void Scan::report_misnamed() {
  constexpr std::size_t most = 100;  // that are looked at
  if (misnamed_.size() > most) misnamed_.resize(most);
  for (const auto& file : misnamed_) {
    if (!is_served(file))
      report(file, "it is not loaded, because its name does not end with .so; if it is a plugin, rename it");
  }
}

// Those that are no links, as long as there are not too many in all: this is a courtesy, and happens at every look.
Entries Scan::regular_entries(const fs::path& folder) {
  constexpr std::size_t most = 1000;
  Entries entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && misplaced_looked_at_ < most;
       entry.increment(error)) {
    ++misplaced_looked_at_;
    std::error_code ignored;
    if (!is_passed_over(entry->path().filename().native()) && !entry->is_symlink(ignored)) entries.push_back(*entry);
  }
  return entries;
}

// By a link in one of the three folders.
bool Scan::is_served(const fs::path& file) const {
  const auto found = state_of(file).identity;
  return std::ranges::any_of(result_.plugins, [&](const PluginFile& each) {
    return each.identity.device == found.device && each.identity.inode == found.inode;
  });
}

void Scan::scan_folder(const Folder& folder) {
  if (entries_ > limits_.entries) return;
  const auto state = state_of(folder.path);
  if (is_absent(state.error)) return;
  if (state.error != 0) return report_hidden(folder.path, "the folder cannot be read: " + error_words(state.error));
  if (!S_ISDIR(state.mode)) return report(folder.path, "it is not a folder");
  if (!visited_.emplace(state.identity.device, state.identity.inode).second) return;
  if (folder.depth > limits_.depth) {
    return report_hidden(folder.path, "it lies deeper than " + std::to_string(limits_.depth) +
                                          " folders and is not looked into; move it up");
  }
  result_.folders.push_back(folder.path);
  for (const auto& entry : list(folder.path))
    scan_entry(entry, folder);
}

Entries Scan::list(const fs::path& folder) {
  Entries entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    count(1, folder);
    if (entries_ > limits_.entries) break;
    if (!is_passed_over(entry->path().filename().native())) entries.push_back(*entry);
  }
  if (error && !is_absent(error.value())) {
    report_hidden(folder, "the folder cannot be read: " + error.message());
  }
  std::ranges::sort(entries);
  return entries;
}

void Scan::scan_entry(const fs::directory_entry& entry, const Folder& folder) {
  const auto& path = entry.path();
  const Folder below{path, folder.depth + 1};
  std::error_code ignored;
  const bool is_link = entry.is_symlink(ignored);
  if (is_bundle_name(path) && entry.is_directory(ignored)) {
    if (is_link) watch_target_of(path);
    return add_bundle(path);
  }
  if (!is_link && entry.is_directory(ignored)) return scan_folder(below);
  if (path.extension() == ".json" && !is_plugin(path)) json_files_.push_back(path);
  if (!is_link && is_nearly_plugin(path)) misnamed_.push_back(path);
  if (!is_link && !is_plugin(path)) return;

  const auto state = state_of(path);
  if (is_bundle_name(path) && is_absent(state.error) && fs::is_symlink(path, ignored)) {
    watch_target_of(path);
    return report(path, "it is a link to a folder that does not exist");
  }
  if (state.error == 0 && S_ISDIR(state.mode)) {
    linked_.push_back(below);
  } else if (is_plugin(path)) {
    if (is_link) watch_target_of(path);
    add_plugin(path, state);
  }
}

void Scan::add_plugin(const fs::path& file, const State& state) {
  std::error_code ignored;
  if (is_absent(state.error)) {
    // Removed since it was listed, unless its name is still there.
    if (fs::is_symlink(file, ignored)) report(file, "it is a link to a file that does not exist");
  } else if (state.error != 0) {
    report_hidden(file, "it cannot be read: " + error_words(state.error));
  } else if (!S_ISREG(state.mode)) {
    report(file, "it is not a regular file");
  } else {
    auto configuration = configuration_of(file);
    if (!configuration.is_absent()) watch_target_of(configuration_file(file));
    result_.plugins.push_back({file, state.identity, std::move(configuration), 0});
  }
}

void Scan::add_bundle(const fs::path& folder) {
  if (entries_ > limits_.entries) return;  // which has been told
  const auto listing = list_bundle(folder);
  auto configuration = configuration_at(configuration_file(folder));
  if (!configuration.is_absent()) watch_target_of(configuration_file(folder));
  result_.folders.insert(result_.folders.end(), listing.folders.begin(), listing.folders.end());
  result_.plugins.push_back({folder, listing.identity, std::move(configuration), listing.passed_over});
  count(listing.entries, folder);
}

// They would have one configuration and one data directory.
void Scan::drop_bundles_beside_files() {
  const auto is_beside_file = [this](const PluginFile& each) {
    if (!is_bundle_name(each.file)) return false;
    const auto file = fs::path(each.file).replace_extension(library_extension);
    return std::ranges::binary_search(result_.plugins, file, {}, &PluginFile::file);
  };
  std::vector<fs::path> dropped;
  for (const auto& each : result_.plugins) {
    if (is_beside_file(each)) dropped.push_back(each.file);
  }
  for (const auto& folder : dropped) {
    report(folder, "it is not loaded, because " + folder.stem().string() + std::string(library_extension) +
                       " beside it has the same name; remove that file, or rename one of the two");
  }
  std::erase_if(result_.plugins,
                [&](const PluginFile& each) { return std::ranges::binary_search(dropped, each.file); });
}

// Of all plugins, sorted, whether they are there or not.
std::vector<fs::path> Scan::configuration_names() const {
  std::vector<fs::path> names;
  for (const auto& each : result_.plugins) {
    if (!is_upstream_name(each.file)) names.push_back(configuration_file(each.file));
  }
  std::ranges::sort(names);
  return names;
}

// NAME.mcp.json is the configuration of NAME.mcp.so, where somebody calls a plugin so.
void Scan::drop_configurations() {
  const auto configurations = configuration_names();
  std::erase_if(result_.plugins, [&](const PluginFile& each) {
    return is_upstream_name(each.file) && std::ranges::binary_search(configurations, each.file);
  });
}

// A plugin whose configuration has a mistyped name runs without what that asks for, a sandbox perhaps. This is a guess:
// other JSON files may lie there for what they are.
void Scan::remark_on_misnamed_configurations() {
  constexpr std::size_t most = 100;  // that are looked at
  const auto configurations = configuration_names();
  std::erase_if(json_files_, [&](const auto& file) { return std::ranges::binary_search(configurations, file); });
  if (json_files_.size() > most) json_files_.resize(most);
  if (json_files_.empty()) return;
  std::map<fs::path, std::vector<const PluginFile*>> unconfigured;  // by folder
  for (const auto& each : result_.plugins) {
    if (!is_upstream_name(each.file) && each.configuration.is_absent())
      unconfigured[each.file.parent_path()].push_back(&each);
  }
  for (const auto& file : json_files_) {
    auto name = file.stem();
    if (name.extension() == library_extension) name = name.stem();  // NAME.so.json
    const auto& beside = unconfigured[file.parent_path()];
    std::vector<std::string> names;
    for (const auto* const each : beside)
      names.push_back(each->file.stem().string());
    const auto nearest = std::ranges::find(names, similar_name(name.string(), names));
    if (nearest == names.end()) continue;
    result_.remarks[beside[static_cast<std::size_t>(nearest - names.begin())]->file].push_back(
        "it has no configuration; should " + file.filename().string() + " be " + *nearest + ".json?");
  }
}

void Scan::count(std::size_t entries, const fs::path& folder) {
  const bool is_first = entries_ <= limits_.entries;
  entries_ += entries;
  if (!is_first || entries_ <= limits_.entries) return;
  report_hidden(root_, "it holds more than " + std::to_string(limits_.entries) + " files and folders; those from " +
                           folder.string() + " on are not looked at; keep only plugins here");
}

// A change of a link's target shows only in the folder that the target lies in, and so does its coming if it is
// missing.
void Scan::watch_target_of(const fs::path& link) {
  std::error_code error;
  const auto next = fs::read_symlink(link, error);
  if (error) return;
  const auto target = fs::weakly_canonical(link.parent_path() / next, error);
  if (!error) result_.folders.push_back(target.parent_path());
}

}  // namespace

bool ScanResult::may_be_hidden(const fs::path& file) const {
  return std::any_of(problems.begin(), problems.end(), [&file](const ScanProblem& problem) {
    return problem.hides_content &&
           std::mismatch(problem.path.begin(), problem.path.end(), file.begin(), file.end()).first ==
               problem.path.end();
  });
}

bool is_upstream_name(const fs::path& file) {
  const auto name = file.filename().native();
  return name.size() > upstream_ending.size() && name.ends_with(upstream_ending);
}

fs::path configuration_file(const fs::path& plugin_file) {
  return fs::path(plugin_file).replace_extension(".json");
}

PluginFile plugin_file_at(const fs::path& named) {
  // A person may end the name of a folder with a slash.
  const auto file = named.has_filename() ? named : named.parent_path();
  auto configuration = configuration_of(file);
  const auto state = state_of(file);
  if (!is_bundle_name(file) || !S_ISDIR(state.mode)) return {file, state.identity, std::move(configuration), 0};
  const auto listing = list_bundle(file);
  return {file, listing.identity, std::move(configuration), listing.passed_over};
}

std::string_view words_for_change(const std::optional<PluginFile>& before, const PluginFile& now) {
  if (!before) return "it is new";
  const bool is_same_configuration = before->configuration == now.configuration;
  if (before->identity != now.identity) {
    return is_same_configuration ? "its file has changed" : "its file and its configuration have changed";
  }
  if (is_same_configuration) return "it was tried again";
  return now.configuration.is_absent() ? "its configuration is gone" : "its configuration has changed";
}

ScanResult scan_components(const fs::path& root, const ScanLimits& limits) {
  // Without a slash at its end, so that it is a prefix of the paths below it.
  return Scan(root.has_filename() ? root : root.parent_path(), limits).run();
}

}  // namespace mcph
