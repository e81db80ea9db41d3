// The file in which this program keeps what it knows of the tokens that it has made: who has each, and its digest. It
// is read and written as a whole; what is written replaces the file at once, so that nobody ever reads a part of it.
// Functions without state; programs that change the file at the same time wait for each other.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace mcph {

struct TokenRecord {
  using Time = std::chrono::system_clock::time_point;

  std::string id;
  std::string subject;
  std::vector<std::string> roles;
  std::string digest;
  Time created;
  std::optional<Time> expiry = {};
  std::optional<Time> revoked = {};

  bool is_good(Time now) const { return !revoked && (!expiry || now < *expiry); }
};
using TokenRecords = std::vector<TokenRecord>;

// For a host, which obeys it. None where there is no file. Refuses one that others than its owner may write to, and one
// whose owner is neither this user nor root.
Result<TokenRecords> read_tokens(const std::filesystem::path& file);

// The same for an operator, who looks: root may do so whosever it is.
Result<TokenRecords> look_at_tokens(const std::filesystem::path& file);

// Looks, changes and writes. Nothing is written if `change` fails, or the file is a link. Whose it is, and who may read
// it, stays as it was; what root makes anew is of whoever has the folder.
Result<> change_tokens(const std::filesystem::path& file, const std::function<Result<>(TokenRecords& tokens)>& change);

}  // namespace mcph
