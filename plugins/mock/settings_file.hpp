// SettingsFile: the file that the configuration names. An immutable value; any number of threads may use one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "mock/settings.hpp"

namespace plugins::mock {

class SettingsFile {
 public:
  static constexpr std::uint64_t max_size = 4194304;

  // An absolute path.
  explicit SettingsFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // What tells one content of the file from another without reading it: device, inode, size, and nanoseconds of its
  // last change. Nothing if it is not there.
  using Stamp = std::optional<std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>>;
  Stamp stamp() const;

  // Throws std::invalid_argument that says what is wrong with it.
  MockSettings read() const;

 private:
  std::string path_;
};

}  // namespace plugins::mock
