// What is asked of another server, and who hears the answer while it comes. Values, and an interface.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "http/client/http_url.hpp"

namespace mcph {

// How long the server may take. 0: as long as it likes.
struct HttpTimes {
  std::chrono::milliseconds connect{10'000};  // to be found and reached, with the handshake of TLS
  std::chrono::milliseconds head{30'000};     // from there to the end of the answer's head
  std::chrono::milliseconds silence{30'000};  // between two pieces of its body
  std::chrono::milliseconds whole{0};         // for all of it
};

struct OutgoingRequest {
  HttpUrl url;
  std::string_view method = "POST";  // a literal
  std::string fields = {};           // lines of its own, besides Host and User-Agent, written by add
  std::string body = {};
  std::size_t max_body = std::size_t{1} << 20;  // of the answer, in bytes; 0: as many as come
  HttpTimes times = {};
  bool is_idempotent = false;  // it may be sent again where nobody knows whether it has arrived
  bool closes = false;         // the connection serves no other request

  // What a value cannot have (RFC 9110 section 5.5) becomes a space, so that none can end its line.
  void add(std::string_view name, std::string_view value);
};

// The status and the fields of an answer.
class AnswerHead {
 public:
  unsigned status = 0;

  // Of the first line with this name, whatever its case; empty: there is none, or it is.
  std::string_view field(std::string_view name) const;

  void begin(unsigned new_status);
  void add(std::string_view name, std::string_view value);

 private:
  struct Line {
    std::size_t name_end;
    std::size_t value_end;
  };
  std::string text_;  // all names and values, one behind the other
  std::vector<Line> lines_;
};

// Hears one answer, on an event loop that must not be kept for long: one thing at a time, in this order.
class AnswerListener {
 public:
  virtual ~AnswerListener() = default;

  virtual void head_came(const AnswerHead& head) = 0;

  // A piece of the body, which is gone afterwards. False: nothing more is read until the request is resumed, but what
  // has been read already, at most 32 KiB, still comes.
  virtual bool body_came(std::string_view piece) = 0;

  // Once, and last. An error: the answer has not come, or not as a whole.
  virtual void ended(const Result<>& whole) = 0;
};

}  // namespace mcph
