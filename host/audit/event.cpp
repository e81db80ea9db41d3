#include "audit/event.hpp"

#include "base/json_text.hpp"
#include "base/utf8.hpp"

namespace mcph {
namespace {

// Of most lines, so that they need no more memory while they are made.
constexpr std::size_t usual_length = 1000;
constexpr std::size_t usual_length_of_object = 200;

// A name of ours, which needs no escapes.
void append_name(std::string& json, std::string_view name) {
  json.append("\"").append(name).append("\":");
}

}  // namespace

AuditEvent::AuditEvent(std::string_view event) {
  members_.reserve(usual_length);
  append_name(members_, "event");
  append_json_string(members_, event);
}

AuditEvent& AuditEvent::add(std::string_view name, std::string_view text) {
  if (text.empty()) return *this;
  begin_member(name);
  append_json_string(members_, utf8_prefix(text, max_text));
  return *this;
}

AuditEvent& AuditEvent::add_json(std::string_view name, std::string_view json) {
  if (json.empty()) return *this;
  begin_member(name);
  members_.append(json);
  return *this;
}

AuditEvent& AuditEvent::begin(std::string_view name) {
  without_object_ = members_.size();
  begin_member(name);
  members_ += '{';
  return *this;
}

AuditEvent& AuditEvent::end() {
  if (members_.back() == '{') {
    members_.resize(without_object_);
  } else {
    members_ += '}';
  }
  return *this;
}

void AuditEvent::begin_member(std::string_view name) {
  if (members_.back() != '{') members_ += ',';
  append_name(members_, name);
}

void AuditObject::begin(std::string_view name) {
  if (json_.empty()) json_.reserve(usual_length_of_object);
  append_json_string(json_ += json_.empty() ? '{' : ',', name);
  json_ += ':';
}

AuditObject& AuditObject::add(std::string_view name, std::string_view text) {
  if (text.empty()) return *this;
  begin(name);
  append_json_string(json_, utf8_prefix(text, AuditEvent::max_text));
  return *this;
}

}  // namespace mcph
