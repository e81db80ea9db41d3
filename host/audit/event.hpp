// What a line of the audit log says, as whoever has seen something makes it. A value.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace mcph {

class AuditEvent {
 public:
  // Longer texts are cut off, in bytes.
  static constexpr std::size_t max_text = 1024;

  explicit AuditEvent(std::string_view event);

  // Names need no escapes. Nothing where the text is empty.
  AuditEvent& add(std::string_view name, std::string_view text);
  template <std::integral T>
  AuditEvent& add(std::string_view name, T number) {
    return add_json(name, std::to_string(number));
  }
  // A JSON text in one line. Nothing where it is empty.
  AuditEvent& add_json(std::string_view name, std::string_view json);
  // What is added up to the end is an object's. Nothing where it is empty. An object has none in it.
  AuditEvent& begin(std::string_view name);
  AuditEvent& end();

  // The inside of a JSON object, from "event" on.
  const std::string& members() const { return members_; }

 private:
  void begin_member(std::string_view name);

  std::string members_;
  std::size_t without_object_ = 0;  // how long they were before it began
};

// Members of a JSON object, each text of which is bounded likewise: "" or {"name":"text",...}.
class AuditObject {
 public:
  AuditObject& add(std::string_view name, std::string_view text);
  template <std::integral T>
  AuditObject& add(std::string_view name, T number) {
    begin(name);
    json_ += std::to_string(number);
    return *this;
  }
  std::string json() const { return json_.empty() ? std::string() : json_ + "}"; }

 private:
  void begin(std::string_view name);

  std::string json_;
};

}  // namespace mcph
