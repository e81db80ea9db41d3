#include "base/regular_file.hpp"

#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace mcph {

std::string error_words(int error) {
  return std::generic_category().message(error);
}

std::string last_error() {
  return error_words(errno);
}

FileDescriptor open_file(const std::filesystem::path& file, int flags, ::mode_t mode) {
  return FileDescriptor(uninterrupted([&] { return ::open(file.c_str(), flags | O_CLOEXEC, mode); }));
}

FileDescriptor open_to_read(const std::filesystem::path& file) {
  // Not to wait for the writer of a named pipe; regular files know no waiting.
  return open_file(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

Result<FileIdentity> identity_of_regular_file(const FileDescriptor& file) {
  struct ::stat status {};
  if (::fstat(file.get(), &status) != 0) return fail_for_now("it cannot be read: " + last_error());
  if (!S_ISREG(status.st_mode)) return fail("it is not a regular file");
  return identity_from(status);
}

Result<> check_owner_only(const FileDescriptor& file, bool is_secret) {
  struct ::stat status {};
  if (::fstat(file.get(), &status) != 0) return fail("cannot be looked at: " + last_error());
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return fail("others than its owner may write to it; chmod go-w it");
  if (is_secret && (status.st_mode & S_IROTH) != 0) return fail("everybody may read it; chmod o-r it");
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) return fail("it is another user's; chown it to this one");
  return {};
}

bool give_to_owner(const FileDescriptor& made, const struct ::stat& owner) {
  struct ::stat status {};
  if (::fstat(made.get(), &status) != 0) return false;
  if (status.st_uid == owner.st_uid && status.st_gid == owner.st_gid) return true;
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1) return false;
  return ::fchown(made.get(), owner.st_uid, owner.st_gid) == 0;
}

bool write_all(const FileDescriptor& file, std::string_view text) {
  while (!text.empty()) {
    const auto written = uninterrupted([&] { return ::write(file.get(), text.data(), text.size()); });
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<std::string> read_regular_file(const FileDescriptor& file, std::size_t max_size) {
  const auto identity = identity_of_regular_file(file);
  if (identity.has_error()) return identity.error();
  const auto too_large = [max_size] {
    return fail("it has more than the " + std::to_string(max_size) + " bytes that it may have");
  };
  if (identity->size > max_size) return too_large();
  // One byte more than it says it has, to see its end; and it may grow while it is read.
  std::string text(static_cast<std::size_t>(identity->size) + 1, '\0');
  std::size_t size = 0;
  for (;;) {
    const auto got = uninterrupted([&] { return ::read(file.get(), text.data() + size, text.size() - size); });
    if (got < 0) return fail_for_now("it cannot be read: " + last_error());
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > max_size) return too_large();
    if (size == text.size()) text.resize(max_size + 1);
  }
  text.resize(size);
  return text;
}

}  // namespace mcph
