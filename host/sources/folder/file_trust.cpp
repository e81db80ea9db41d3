#include "sources/folder/file_trust.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/absolute_path.hpp"
#include "base/regular_file.hpp"
#include "base/relative_path.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_digest_bytes = std::size_t{1} << 20;
constexpr std::size_t digest_size = 64;

// Nothing where only the host's user and root can change it.
std::optional<std::string> weakness(const struct ::stat& status) {
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return "belongs to the user " + std::to_string(status.st_uid) + ", who is neither the host's user nor root";
  }
  const bool is_kept_apart = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & S_IWOTH) != 0 && !is_kept_apart) return "can be written by everybody";
  return std::nullopt;
}

Error refusal(const std::string& what, const std::string& why) {
  // The mode of a folder may be mended without any change of the file.
  return fail_for_now(
      what + " " + why +
      "; whoever can write there can do what the host can. Change that (chmod o-w, chown), or start the "
      "host with --allow-writable-components");
}

bool is_digest(const std::string& text) {
  return text.size() == digest_size && std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

FileTrust::FileTrust(const fs::path& components, Options options)
    : components_(absolute_path(components).lexically_normal()), options_(std::move(options)) {}

Result<> FileTrust::check(const fs::path& file, const FileDescriptor& opened) const {
  if (!lies_in(absolute_path(file).lexically_normal(), components_)) return {};
  std::error_code error;
  const auto real = fs::read_symlink("/proc/self/fd/" + std::to_string(opened.get()), error);
  const auto root = fs::canonical(components_, error);
  if (error) return fail_for_now("where it lies cannot be found out: " + error.message());
  const bool is_inside = lies_in(real, root);
  if (!is_inside && !options_.outside_links) {
    return fail("it is reached by a link that leads out of the components folder, to " + real.string() +
                "; copy the file, or start the host with --allow-outside-links");
  }
  if (options_.writable_by_others) return {};
  struct ::stat status {};
  if (::fstat(opened.get(), &status) != 0) return fail_for_now("it cannot be looked at: " + last_error());
  if (const auto why = weakness(status)) return refusal("it", *why);
  for (auto folder = real.parent_path();; folder = folder.parent_path()) {
    if (::stat(folder.c_str(), &status) != 0) return fail_for_now("its folder cannot be looked at: " + last_error());
    if (const auto why = weakness(status)) return refusal("its folder " + folder.string(), *why);
    if (folder == root || folder == folder.root_path()) return {};
  }
}

Result<> FileTrust::check_digest(const std::string& digest) const {
  if (!options_.digests || options_.digests->contains(digest)) return {};
  return fail("its SHA-256 digest " + digest +
              " is not among those that may be loaded; if it should be, add it to the "
              "file that --allowed-digests names and start the host again");
}

Result<std::set<std::string>> read_digests(const fs::path& file) {
  const auto opened = open_to_read(file);
  if (!opened) return fail(file.string() + " cannot be opened: " + last_error());
  const auto text = read_regular_file(opened, max_digest_bytes);
  if (text.has_error()) return fail(file.string() + " cannot be used: " + text.error().message);
  std::set<std::string> digests;
  std::istringstream lines(*text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    auto digest = line.substr(0, line.find_first_of(" \t\r"));
    if (!is_digest(digest)) {
      return fail(file.string() + ", line " + std::to_string(number) + " does not begin with a SHA-256 digest, 64 " +
                  "hexadecimal digits");
    }
    std::ranges::transform(digest, digest.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    digests.insert(std::move(digest));
  }
  return digests;
}

}  // namespace mcph
