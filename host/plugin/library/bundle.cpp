#include "plugin/library/bundle.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "base/relative_path.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view bundle_extension = ".plugin";
constexpr const char* manifest_name = "plugin.json";
constexpr std::size_t max_manifest_bytes = std::size_t{64} << 10;

// FNV-1a: what it is compared with is an earlier state of the same folder, so nobody gains by a collision.
class StateHash {
 public:
  void add(std::string_view text) {
    for (const char c : text)
      add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(const FileIdentity& identity) {
    for (const auto number :
         {identity.device, identity.inode, identity.size, static_cast<std::uint64_t>(identity.modified_nanoseconds),
          static_cast<std::uint64_t>(identity.changed_nanoseconds)}) {
      for (int shift = 0; shift < 64; shift += 8)
        add_byte(static_cast<unsigned char>(number >> shift));
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }

  std::uint64_t value_ = 0xcbf29ce484222325U;
};

// So that the digest of a bundle is one of lines that sha256sum writes as they are.
bool is_plain_name(std::string_view name) {
  return std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; });
}

class Listing {
 public:
  Listing(fs::path root, const BundleLimits& limits) : root_(std::move(root)), limits_(limits) {}

  BundleListing run();

 private:
  void list_folder(const fs::path& name, std::size_t depth);
  void look_at(const fs::directory_entry& entry, std::size_t depth);
  void add_file(const fs::path& name, const struct ::stat& status);
  bool leads_outside(const fs::path& link);
  // The first one counts, and ends the listing.
  void refuse(Error why) {
    if (!result_.refusal) result_.refusal = std::move(why);
  }

  const fs::path root_;
  const BundleLimits& limits_;
  fs::path real_root_;
  BundleListing result_;
  StateHash contents_;
  StateHash passed_over_;
};

BundleListing Listing::run() {
  struct ::stat status {};
  if (::stat(root_.c_str(), &status) != 0) {
    refuse(fail_for_now("it cannot be read: " + last_error()));
    return std::move(result_);
  }
  std::error_code error;
  real_root_ = fs::canonical(root_, error);
  list_folder({}, 0);
  std::ranges::sort(result_.files, {}, [](const BundleFile& file) { return file.name.native(); });
  result_.identity.device = status.st_dev;
  result_.identity.inode = status.st_ino;
  result_.identity.contents = contents_.value();
  result_.passed_over = passed_over_.value();
  return std::move(result_);
}

void Listing::list_folder(const fs::path& name, std::size_t depth) {
  const auto folder = name.empty() ? root_ : root_ / name;
  if (depth > limits_.depth) {
    return refuse(fail("its folder " + name.string() + " lies deeper than " + std::to_string(limits_.depth) +
                       " folders; move it up"));
  }
  result_.folders.push_back(folder);
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (++result_.entries > limits_.entries) {
      return refuse(fail("it holds more than " + std::to_string(limits_.entries) +
                         " files and folders; keep only what the plugin needs in it, or pack its data into one file"));
    }
    entries.push_back(*entry);
  }
  if (error) refuse(fail_for_now("its folder " + folder.string() + " cannot be read: " + error.message()));
  // So that the same content is the same hash.
  std::ranges::sort(entries);
  for (const auto& entry : entries) {
    if (result_.refusal) return;
    look_at(entry, depth);
  }
}

void Listing::look_at(const fs::directory_entry& entry, std::size_t depth) {
  const auto name = entry.path().lexically_relative(root_);
  struct ::stat own {};
  if (::lstat(entry.path().c_str(), &own) != 0) return;  // removed since
  if (is_passed_over(entry.path().filename().native())) {
    passed_over_.add(name.native());
    return passed_over_.add(identity_from(own));
  }
  if (!is_plain_name(name.native())) {
    return refuse(fail("a name in it has a backslash or a control character; rename that file: " + name.string()));
  }
  if (S_ISDIR(own.st_mode)) {
    if (!is_bundle_name(name)) return list_folder(name, depth + 1);
    return refuse(fail("another bundle lies in it, " + name.string() +
                       ", as copying a folder over a folder of the same name makes it; move that one out, or copy what "
                       "is in it"));
  }
  struct ::stat status = own;
  if (S_ISLNK(own.st_mode)) {
    if (::stat(entry.path().c_str(), &status) != 0) {
      return refuse(fail("its " + name.string() + " is a link to a file that does not exist"));
    }
    if (leads_outside(entry.path())) {
      return refuse(fail("its " + name.string() + " is a link that leads out of the bundle; copy the file into it"));
    }
    if (S_ISDIR(status.st_mode)) {
      return refuse(fail("its " + name.string() + " is a link to a folder; make it a folder"));
    }
  }
  if (!S_ISREG(status.st_mode)) return refuse(fail("its " + name.string() + " is not a regular file"));
  add_file(name, status);
}

bool Listing::leads_outside(const fs::path& link) {
  std::error_code error;
  const auto target = fs::canonical(link, error);
  return error || !lies_in(target, real_root_);
}

void Listing::add_file(const fs::path& name, const struct ::stat& status) {
  const auto identity = identity_from(status);
  contents_.add(name.native());
  contents_.add(identity);
  auto& all = result_.identity;
  all.size += identity.size;
  all.modified_nanoseconds = std::max(all.modified_nanoseconds, identity.modified_nanoseconds);
  all.changed_nanoseconds = std::max(all.changed_nanoseconds, identity.changed_nanoseconds);
  if (all.size > limits_.bytes) {
    refuse(fail("its files have more than " + std::to_string(limits_.bytes) + " bytes together, as many as a plugin " +
                "may have; keep large data elsewhere, and its place in the configuration"));
  }
  result_.files.push_back({name, identity});
}

Result<Json> read_manifest(const fs::path& file) {
  const auto opened = open_to_read(file);
  if (!opened) return fail_for_now("cannot be opened: " + last_error());
  const auto text = read_regular_file(opened, max_manifest_bytes);
  if (text.has_error()) return fail("cannot be used: " + text.error().message);
  auto json = parse_json(*text, default_json_depth, DuplicateKeys::refuse);
  if (json.has_error()) return fail("is " + json.error().message);
  if (!json->is_object()) return fail("is not a JSON object");
  return *std::move(json);
}

// A path below the bundle, as the listing would name it.
bool is_name_below(const fs::path& path) {
  return !path.empty() && path.is_relative() && path == path.lexically_normal() && *path.begin() != "..";
}

Result<> read_members(const Json& manifest, BundleLibrary& library) {
  for (const auto& [key, value] : manifest.items()) {
    if (key != "library") {
      library.remarks.push_back("its plugin.json has the member " + dump(Json(key)) +
                                ", which means nothing to the host; it knows \"library\"");
      continue;
    }
    if (!value.is_string() || !is_name_below(value.get<std::string>())) {
      return fail(R"(has "library": )" + dump(value) + ", which must be the path of a library in the bundle");
    }
    library.file = value.get<std::string>();
  }
  return {};
}

}  // namespace

bool is_bundle_name(const fs::path& path) {
  return path.extension() == bundle_extension;
}

bool is_passed_over(std::string_view name) {
  return name.starts_with('.') || name.ends_with('~') || name.ends_with(".tmp");
}

BundleListing list_bundle(const fs::path& folder, const BundleLimits& limits) {
  return Listing(folder, limits).run();
}

Result<BundleLibrary> library_of_bundle(const fs::path& folder, const std::string& name) {
  BundleLibrary library{.file = name + std::string(library_extension)};
  std::error_code error;
  if (fs::exists(folder / manifest_name, error)) {
    const auto manifest = read_manifest(folder / manifest_name);
    auto read = manifest.has_error() ? Result<>(manifest.error()) : read_members(*manifest, library);
    if (read.has_error()) {
      auto why = read.error();
      why.message = "its plugin.json " + why.message;
      return why;
    }
  }
  if (!fs::is_regular_file(folder / library.file, error)) {
    return fail("the library " + library.file.string() + " is not in it; a bundle NAME.plugin holds NAME" +
                std::string(library_extension) +
                R"(, or plugin.json, which names another one: {"library": "other.so"})");
  }
  if (fs::exists(folder / (name + ".json"), error) && name + ".json" != manifest_name) {
    library.remarks.push_back("the " + name + ".json in it is not its configuration, which lies beside the bundle");
  }
  return library;
}

}  // namespace mcph
