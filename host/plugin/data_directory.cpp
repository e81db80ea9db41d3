#include "plugin/data_directory.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>

#include "base/regular_file.hpp"

namespace mcph {
namespace {

constexpr int as_a_folder = O_PATH | O_DIRECTORY | O_CLOEXEC;

// Opened before it is made, because who may only use it may not make it.
FileDescriptor open_below(const FileDescriptor& parent, const std::filesystem::path& name) {
  const auto open = [&] { return FileDescriptor(::openat(parent.get(), name.c_str(), as_a_folder | O_NOFOLLOW)); };
  auto folder = open();
  if (folder || errno != ENOENT) return folder;
  constexpr ::mode_t all = S_IRWXU | S_IRWXG | S_IRWXO;
  if (::mkdirat(parent.get(), name.c_str(), all) != 0 && errno != EEXIST) return {};
  return open();
}

}  // namespace

Result<FileDescriptor> DataDirectory::open() const {
  const auto cannot = [this](const std::string& why) {
    return fail_for_now("its data directory " + path().string() + " cannot be used: " + why);
  };
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error) return cannot(root.string() + " cannot be made: " + error.message());
  FileDescriptor folder(::open(root.c_str(), as_a_folder));
  if (!folder) return cannot(root.string() + " cannot be opened: " + last_error());
  auto reached = root;
  for (const auto& name : place) {
    reached /= name;
    auto next = open_below(folder, name);
    if (!next && errno == ENOTDIR) return cannot(reached.string() + " is a link or no folder; put a folder there");
    if (!next) return cannot(reached.string() + " cannot be made or opened: " + last_error());
    folder = std::move(next);
  }
  return folder;
}

}  // namespace mcph
