#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attempts.hpp"

namespace escaping {
namespace {

// Closes itself.
struct Opened {
  explicit Opened(const char* path, int flags, mode_t mode = 0600)
      : descriptor(::open(path, flags | O_CLOEXEC, mode)) {}
  ~Opened() {
    if (descriptor >= 0) ::close(descriptor);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  int error() const { return descriptor < 0 ? errno : 0; }

  int descriptor;
};

int read_byte(const char* path) {
  const Opened file(path, O_RDONLY);
  char byte = 0;
  return file.descriptor < 0 ? file.error() : error_of(::read(file.descriptor, &byte, 1));
}

int create(const Aim& aim) {
  const Opened file(aim.path(), O_WRONLY | O_CREAT | O_EXCL);
  if (file.descriptor >= 0) ::unlink(aim.path());
  return file.error();
}

int list(const Aim& aim) {
  DIR* const folder = ::opendir(aim.path());
  if (folder == nullptr) return errno;
  ::closedir(folder);
  return 0;
}

int map_as_code(const Aim& aim) {
  const Opened file(aim.path(), O_RDONLY);
  if (file.descriptor < 0) return file.error();
  void* const code = ::mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.descriptor, 0);
  return code == MAP_FAILED ? errno : 0;
}

int load(const Aim& aim) {
  return ::dlopen(aim.path(), RTLD_NOW) == nullptr ? EACCES : 0;
}

int through_link(const Aim& aim) {
  ::unlink(aim.other.c_str());
  if (::symlink(aim.path(), aim.other.c_str()) != 0) return 0;  // that much it may
  return read_byte(aim.other.c_str());
}

int through_parents(const Aim& aim) {
  return read_byte((aim.other + "/../../../../../../../../.." + aim.target).c_str());
}

int through_path_descriptor(const Aim& aim) {
  const Opened root("/", O_PATH);
  const int file = ::openat(root.descriptor, aim.path() + 1, O_RDONLY);
  if (file < 0) return errno;
  ::close(file);
  return 0;
}

int chmod_opened(const Aim& aim) {
  const Opened file(aim.path(), O_RDONLY);
  struct ::stat status {};
  if (::fstat(file.descriptor, &status) != 0) return 0;
  return error_of(::fchmod(file.descriptor, status.st_mode & 07777));
}

int set_times_of_opened(const Aim& aim) {
  const Opened file(aim.path(), O_RDONLY);
  constexpr std::array<timespec, 2> as_they_are{{{0, UTIME_OMIT}, {0, UTIME_NOW}}};
  return error_of(::futimens(file.descriptor, as_they_are.data()));
}

int watch(const Aim& aim) {
  const int watches = ::inotify_init1(IN_CLOEXEC);
  if (watches < 0) return errno;
  const int error = error_of(::inotify_add_watch(watches, aim.path(), IN_CREATE));
  ::close(watches);
  return error;
}

int open_to_change(const Aim& aim) {
  const Opened file(aim.path(), O_RDWR);
  return file.error();
}

// "to read", "to write", or neither, which takes the rights to both and gives none.
int empty_by_opening(const Aim& aim) {
  const int mode = aim.other == "to read" ? O_RDONLY : aim.other == "to write" ? O_WRONLY : O_ACCMODE;
  return Opened(aim.path(), mode | O_CREAT | O_TRUNC).error();
}

int take_lease(const Aim& aim) {
  const Opened file(aim.path(), O_RDONLY | O_CREAT);
  return file.descriptor < 0 ? file.error() : error_of(::fcntl(file.descriptor, F_SETLEASE, F_RDLCK));
}

int read_handle(const Aim& aim) {
  alignas(file_handle) std::array<char, sizeof(file_handle) + MAX_HANDLE_SZ> bytes{};
  auto* const handle = reinterpret_cast<file_handle*>(bytes.data());
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  return error_of(::name_to_handle_at(AT_FDCWD, aim.path(), handle, &mount, 0));
}

int make_memory_device(const Aim& aim) {
  constexpr int memory = 1;
  return error_of(::mknod(aim.path(), S_IFCHR | 0600, ::makedev(memory, 1)));
}

int know_variable(const Aim& aim) {
  return ::getenv(aim.path()) == nullptr ? EACCES : 0;
}

// Arguments and environment of a process lie between the program's name as its first argument and as it was started.
int find_on_stack(const Aim& aim) {
  const auto* const begin = ::program_invocation_name;
  const auto* const end = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return ::memmem(begin, static_cast<std::size_t>(end - begin), aim.path(), aim.target.size()) == nullptr ? EACCES : 0;
}

}  // namespace

Attempts on_files() {
  return {
      {"read", [](const Aim& aim) { return read_byte(aim.path()); }},
      {"list", list},
      {"write", [](const Aim& aim) { return Opened(aim.path(), O_WRONLY | O_APPEND).error(); }},
      {"open to read and write", open_to_change},
      {"create", create},
      {"create without a name", [](const Aim& aim) { return Opened(aim.path(), O_WRONLY | O_TMPFILE).error(); }},
      {"truncate", [](const Aim& aim) { return error_of(::truncate(aim.path(), 0)); }},
      {"open anew", empty_by_opening},
      {"take a lease", take_lease},
      {"unlink", [](const Aim& aim) { return error_of(::unlink(aim.path())); }},
      {"make a folder", [](const Aim& aim) { return error_of(::mkdir(aim.path(), 0700)); }},
      {"remove a folder", [](const Aim& aim) { return error_of(::rmdir(aim.path())); }},
      {"rename", [](const Aim& aim) { return error_of(::rename(aim.path(), aim.other.c_str())); }},
      {"exchange",
       [](const Aim& aim) {
         return error_of(::renameat2(AT_FDCWD, aim.path(), AT_FDCWD, aim.other.c_str(), RENAME_EXCHANGE));
       }},
      {"hard link", [](const Aim& aim) { return error_of(::link(aim.path(), aim.other.c_str())); }},
      {"symbolic link", [](const Aim& aim) { return error_of(::symlink(aim.other.c_str(), aim.path())); }},
      {"read through a link", through_link},
      {"read through parents", through_parents},
      {"read through a path descriptor", through_path_descriptor},
      {"make a pipe", [](const Aim& aim) { return error_of(::mkfifo(aim.path(), 0600)); }},
      {"make a device", make_memory_device},
      {"chmod", [](const Aim& aim) { return error_of(::chmod(aim.path(), 0666)); }},
      {"chmod what is open", chmod_opened},
      {"chown", [](const Aim& aim) { return error_of(::chown(aim.path(), ::getuid(), ::getgid())); }},
      {"set times", [](const Aim& aim) { return error_of(::utimes(aim.path(), nullptr)); }},
      {"set times of what is open", set_times_of_opened},
      {"set an attribute", [](const Aim& aim) { return error_of(::setxattr(aim.path(), "user.escaped", "x", 1, 0)); }},
      {"list attributes", [](const Aim& aim) { return error_of(::listxattr(aim.path(), nullptr, 0)); }},
      {"watch", watch},
      {"map as code", map_as_code},
      {"load as a library", load},
      {"take a handle", read_handle},
      {"change the root", [](const Aim& aim) { return refusal_of(::chroot(aim.path())); }},
      {"know a variable", know_variable},
      {"find on the stack", find_on_stack},
  };
}

}  // namespace escaping
