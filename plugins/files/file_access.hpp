// FileAccess: what the tools and the resource template do, in terms of paths as clients give them. Immutable; any
// number of threads may use one. Every error is a PathError that begins with the path as it was given, or says that
// nothing is configured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "files/listing.hpp"
#include "files/roots.hpp"

namespace plugins::files {

class FileAccess {
 public:
  FileAccess(Roots roots, std::uint64_t max_file_bytes) : roots_(std::move(roots)), max_file_bytes_(max_file_bytes) {}

  const Roots& roots() const { return roots_; }

  struct File {
    Location location;
    std::string content;
  };
  // A file of more than `max_size` bytes is refused; nothing: of more than all files may have.
  File read(std::string_view path, std::optional<std::int64_t> max_size = std::nullopt) const;

  enum class Folders { must_exist, are_made };
  Location write(std::string_view path, std::string_view content, Folders folders) const;
  Location append(std::string_view path, std::string_view content, Folders folders) const;

  Listing list(const ListQuery& query, const mcp::Context& context) const;

 private:
  Location locate_writable(std::string_view path) const;
  void require_size(std::string_view path, std::string_view content) const;

  Roots roots_;
  std::uint64_t max_file_bytes_;
};

// The file is not there, rather than one that may not be used.
class FileNotFound : public PathError {
 public:
  using PathError::PathError;
};

}  // namespace plugins::files
