// Finds out what a JSON-RPC message is, and its id, without keeping the message: for one that is too long to be taken,
// and that is to be answered all the same. Reads each byte once and keeps the id, however long the message is. It does
// not check the message; where it cannot be sure, because a key of its own stands twice or is escaped, it knows
// nothing. A value; one thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/message.hpp"

namespace mcph {

struct Envelope {
  std::optional<Message::Kind> kind = {};  // nothing: it cannot be told
  std::string id = {};                     // of a request or a response, as JSON text
};

class EnvelopeReader {
 public:
  // The next bytes of the message, which may be cut anywhere.
  void feed(std::string_view bytes);

  // What is known by now. That it is a notification is known at its end only.
  Envelope envelope() const;
  // Whether what is still to come would change nothing.
  bool knows_all() const;

 private:
  enum class State {
    before_message,
    before_key,
    in_key,
    before_colon,
    before_value,
    in_string,
    in_escape,  // of such a string
    in_scalar,  // a number, true, false or null
    in_nested,  // an array or an object
    in_nested_string,
    in_nested_escape,
    after_value,
    after_message,
    unknown  // for good
  };
  enum class Key { other, id, method, result, error };

  void take(char c);
  void take_in_key(char c);
  void begin_value(char c);
  void take_in_string(char c);
  void take_in_nested(char c);
  void take_after_value(char c);
  void keep(char c);
  void end_key();
  void end_id();

  State state_ = State::before_message;
  Key key_ = Key::other;  // of the value that is being read
  std::string text_;      // of a key, or of the id
  std::size_t depth_ = 0;
  std::string id_;
  bool has_id_ = false;
  bool has_method_ = false;
  bool has_result_ = false;
  bool has_error_ = false;
};

}  // namespace mcph
