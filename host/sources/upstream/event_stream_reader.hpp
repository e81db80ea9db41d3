// Reads the events of a stream of text/event-stream (HTML, section 9.2.6), piece by piece, within bounds. Belongs to
// who reads the stream; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mcph {

class EventStreamReader {
 public:
  struct Event {
    std::string_view type;     // "message" where the server gives it none
    std::string_view data;     // without its last line feed
    bool is_too_long = false;  // then nothing of its data has been kept
  };
  using Listener = std::function<void(const Event&)>;

  // Of an event's data, in bytes. Of all other lines, which are short, the first KiB counts.
  explicit EventStreamReader(std::size_t max_data) : max_data_(max_data) {}

  // Calls `listener` for each event that ends in the piece. Its texts are gone afterwards.
  void read(std::string_view piece, const Listener& listener);
  // The stream broke: what follows is another one, which continues it.
  void begin_again();
  // The server does not know any more what this would continue.
  void forget_place();

  std::size_t max_data() const { return max_data_; }
  // Of the event that has not ended yet.
  bool is_too_long() const { return is_too_long_ || (line_is_cut_ && line_.starts_with("data:")); }

  // Where to continue (Last-Event-ID); empty: the server has not said.
  const std::string& last_id() const { return last_id_; }
  // How long to wait before that; nothing where the server has not said.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  void take(std::string_view part);
  void end_line(const Listener& listener);
  void take_field(std::string_view name, std::string_view value);
  void dispatch(const Listener& listener);

  const std::size_t max_data_;
  std::string line_;           // as far as it has come
  bool line_is_cut_ = false;   // it is longer than that
  bool after_return_ = false;  // a line feed now belongs to the line before
  bool at_begin_ = true;       // of the stream
  std::string type_;
  std::string data_;
  bool has_data_ = false;
  bool is_too_long_ = false;
  std::string id_;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace mcph
