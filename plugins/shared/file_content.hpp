// Reading and writing the content of a file that is open. Everything here throws FileError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/stat.h>

#include "shared/descriptor.hpp"

namespace plugins {

struct stat status_of(const Descriptor& file);

// Throws if it is a folder, a pipe, a device or a socket.
void require_regular(const struct stat& status);

// All of it, from where the descriptor is. A file of more than `max_size` bytes is an error, also if it grows
// meanwhile.
std::string read_content(const Descriptor& file, std::uint64_t max_size);

// The whole regular file at a trusted path, whose links are followed; with the same limit.
std::string read_file(const std::string& path, std::uint64_t max_size);

// All of it.
void write_content(const Descriptor& file, std::string_view content);

// The same at the end of a file that is open for appending. After a failure the file is as it was; if others have
// appended meanwhile, the error says how much of the content is there.
void append_content(const Descriptor& file, std::string_view content);

}  // namespace plugins
