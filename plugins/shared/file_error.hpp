// FileError: why a file could not be used. what() is a clause without the path, such as "does not exist", for the
// caller to put behind the path in the words in which it was given.
#pragma once

#include <stdexcept>
#include <string>

namespace plugins {

class FileError : public std::runtime_error {
 public:
  // `error` is an errno.
  explicit FileError(int error);
  FileError(int error, const std::string& reason) : std::runtime_error(reason), error_(error) {}

  bool is_not_found() const;
  bool is_denied() const;
  // A folder was needed, at the end of the path or on the way, where there is something else.
  bool is_not_a_folder() const;
  // Of the system and not of the file: too many descriptors, no memory, a disk that does not answer.
  bool is_of_the_moment() const;

 private:
  int error_;
};

}  // namespace plugins
