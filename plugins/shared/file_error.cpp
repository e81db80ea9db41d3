#include "shared/file_error.hpp"

#include <cerrno>
#include <system_error>

namespace plugins {
namespace {

std::string meaning(int error) {
  switch (error) {
    case ENOENT:
      return "does not exist";
    case EACCES:
    case EPERM:
      return "cannot be accessed: permission denied";
    case EXDEV:
      return "goes through a symbolic link that is absolute or leads out of its root";
    case ELOOP:
      return "goes through a symbolic link that cannot be followed";
    case ENOTDIR:
      return "is not a folder, or goes through something that is not a folder";
    case EISDIR:
      return "is a folder, not a file";
    case ENXIO:
      return "is not a regular file";
    case ENAMETOOLONG:
      return "is too long for a path";
    case EROFS:
      return "cannot be written: the file system is read-only";
    case ENOSPC:
    case EDQUOT:
      return "cannot be written: there is no space left";
    default:
      return "cannot be used: " + std::generic_category().message(error);
  }
}

}  // namespace

FileError::FileError(int error) : FileError(error, meaning(error)) {}

bool FileError::is_not_found() const {
  return error_ == ENOENT;
}

bool FileError::is_denied() const {
  return error_ == EACCES || error_ == EPERM;
}

bool FileError::is_not_a_folder() const {
  return error_ == ENOTDIR;
}

bool FileError::is_of_the_moment() const {
  switch (error_) {
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case EIO:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ESTALE:
    case ETIMEDOUT:
      return true;
    default:
      return false;
  }
}

}  // namespace plugins
