// What goes to a server and what comes back. Values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plugins::http {

struct Header {
  std::string name;
  std::string value;
  bool is_secret;  // not for another server than the one it was meant for
};

struct Request {
  std::string method;
  std::string url;
  std::vector<Header> headers;
  std::optional<std::string> body;
  std::vector<std::string> secrets;  // what must not be told of it

  // Everything that the answer may depend on.
  std::string key() const;
};

struct FetchLimits {
  std::chrono::milliseconds time;  // from the call to the answer, with all attempts and redirects
  std::size_t max_bytes;           // of the answer, after decompression
  int retries;
  int redirects;
};

struct Response {
  long status = 0;
  std::string reason;  // "Not Found", or empty; up to 100 KB, as libcurl bounds a line of the header
  std::string content_type;
  std::string body;
  std::string host;
  bool is_cut_off = false;  // there is more of the body, of an error or a redirect, and nobody reads that
};

// Why there is no response, for a model.
struct FetchError {
  std::string message;
};

using FetchOutcome = std::variant<Response, FetchError>;

struct FetchProgress {
  std::string host;
  std::chrono::milliseconds elapsed;
  std::chrono::milliseconds time_limit;
  std::uint64_t received;
  std::uint64_t expected;  // 0: it is not known
};

}  // namespace plugins::http
