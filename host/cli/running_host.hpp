// A host that runs, as a command asks it over its control socket. Free functions; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "admin/line_socket.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "cli/options.hpp"

namespace mcph {

inline constexpr std::size_t max_answer_bytes = std::size_t{64} << 20;
// For an answer that is there at once.
inline constexpr std::chrono::seconds ask_patience{10};

struct HostAnswer {
  std::string text;
  OrderedJson json;
};

// The one that is named, or the only one that runs.
Result<std::filesystem::path> socket_of(const OperatorOptions& options);

// A plugin's name, or a path, which so means the same to a host that runs in another folder.
std::string as_the_host_knows_it(const std::string& plugin);

// A host that has been asked.
Result<LineSocket> begin_asking(const std::filesystem::path& socket, const OrderedJson& request);

// Its answer; an error is what it says or why it does not answer.
Result<HostAnswer> ask_host(const std::filesystem::path& socket, const OrderedJson& request,
                            std::chrono::milliseconds patience);

// A host that tells lines until somebody has seen enough: those of trace and log.
class ToldLines {
 public:
  static Result<ToldLines> begin(const OperatorOptions& options, const OrderedJson& request);

  const std::filesystem::path& socket() const { return path_; }
  // What the host has to say of what is wanted. Empty: nothing.
  const std::string& remark() const { return remark_; }
  // The next one, whenever it comes; nothing: the host says no more, or has ended.
  Result<std::optional<std::string>> next();

 private:
  ToldLines(std::filesystem::path path, LineSocket host, std::string remark)
      : path_(std::move(path)), host_(std::move(host)), remark_(std::move(remark)) {}

  std::filesystem::path path_;
  LineSocket host_;
  std::string remark_;
};

}  // namespace mcph
