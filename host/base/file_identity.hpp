// Which file a path led to, and in which state: equal identities mean that nothing has replaced or written it between.
// A value; reading it costs one system call and opens nothing. Of a folder that is taken as one file, it is the
// identity of all that it holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/stat.h>

namespace mcph {

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;                 // bytes
  std::int64_t modified_nanoseconds = 0;  // since 1970, as are the others
  std::int64_t changed_nanoseconds = 0;   // of the inode; no program can set it back
  std::uint64_t contents = 0;             // of a folder: a hash of the names and identities of all in it; 0 of a file

  bool operator==(const FileIdentity&) const = default;
};

inline FileIdentity identity_from(const struct ::stat& status) {
  constexpr auto nanoseconds = [](const ::timespec& time) {
    // One beyond 2262 is only to be another one.
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                                     static_cast<std::uint64_t>(time.tv_nsec));
  };
  return {std::uint64_t{status.st_dev}, std::uint64_t{status.st_ino}, static_cast<std::uint64_t>(status.st_size),
          nanoseconds(status.st_mtim),  nanoseconds(status.st_ctim),  0};
}

}  // namespace mcph
