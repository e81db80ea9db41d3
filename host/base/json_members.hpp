// The members of an object, one after the other, as pieces of its text: for what passes JSON on and looks at little of
// it. It checks only what it needs to find where they begin and end; whoever the pieces are given to reads them
// strictly. A value; one thread at a time. The text outlives it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcph {

class JsonMembers {
 public:
  explicit JsonMembers(std::string_view object);

  // False: there are no more.
  bool next();
  // After that: whether it was an object, with nothing but white space around it.
  bool is_whole() const { return is_whole_; }

  // As it is written, without its quotes: one that is escaped has a backslash in it.
  std::string_view key() const { return key_; }
  // As it is written.
  std::string_view value() const { return value_; }
  // Both, as they stand in the object.
  void append_to(std::string& members) const;

 private:
  bool find_end(std::size_t closing);

  std::string_view text_;
  std::size_t at_ = 0;  // npos: there is nothing more to read
  bool is_first_ = true;
  bool is_whole_ = false;
  std::string_view key_;
  std::string_view value_;
};

// The elements of an array, as they are written; nothing: it is none, or has something else than white space around it.
// Of more than `most` only so many, and what follows them is not looked at.
std::optional<std::vector<std::string_view>> json_elements(std::string_view array,
                                                           std::size_t most = std::string_view::npos);

// To the members of another one. The key and the value are as they are to be written, the key without its quotes.
void append_json_member(std::string& members, std::string_view key, std::string_view value);

// The value of a member, as it is written; nothing: there is none.
std::optional<std::string_view> json_member(std::string_view object, std::string_view key);

// What a JSON string says; nothing: it is none.
std::optional<std::string> json_string(std::string_view text);

}  // namespace mcph
