// Opening files that somebody else put there, so that nothing that is no regular file can hold or fill this process: a
// named pipe without a writer, a device without an end. Plain functions without state, callable from any thread. Errors
// do not name the file, because the caller knows the name that people gave it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/file_descriptor.hpp"
#include "base/file_identity.hpp"
#include "base/result.hpp"

namespace mcph {

// Restarts a system call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR)
    result = call();
  return result;
}

// The words for an error of the system; and for errno.
std::string error_words(int error);
std::string last_error();

// Whatever the path leads to; empty, with errno set, if that fails. The descriptor is not passed on to other programs.
FileDescriptor open_file(const std::filesystem::path& file, int flags, ::mode_t mode = 0);

// For reading, without waiting for anybody. The caller asks what was opened: identity_of_regular_file.
FileDescriptor open_to_read(const std::filesystem::path& file);

// An error if it is a folder, a pipe, a device or a socket.
Result<FileIdentity> identity_of_regular_file(const FileDescriptor& file);

// An error if others than its owner may write to it, or, of a secret, others than its owner and its group read it.
Result<> check_owner_only(const FileDescriptor& file, bool is_secret = true);

// Gives a file that this process has made to the owner and the group of another one. False: it has others, and cannot
// be given away; one that has another name, too, may be anybody's, and is not.
bool give_to_owner(const FileDescriptor& made, const struct ::stat& owner);

// All of the text, where the file is now. False: errno says why not, and a part of it may be there.
bool write_all(const FileDescriptor& file, std::string_view text);

// All of a file that has at most `max_size` bytes.
Result<std::string> read_regular_file(const FileDescriptor& file, std::size_t max_size);

}  // namespace mcph
