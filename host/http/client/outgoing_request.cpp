#include "http/client/outgoing_request.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace mcph {

void OutgoingRequest::add(std::string_view name, std::string_view value) {
  fields.append(name).append(": ");
  for (const char c : value) {
    const bool has_no_place = (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    fields += has_no_place ? ' ' : c;
  }
  fields += "\r\n";
}

std::string_view AnswerHead::field(std::string_view name) const {
  const std::string_view text = text_;
  std::size_t begin = 0;
  for (const auto& line : lines_) {
    const auto same = [](char a, char b) { return lower_case(a) == lower_case(b); };
    if (std::ranges::equal(text.substr(begin, line.name_end - begin), name, same))
      return text.substr(line.name_end, line.value_end - line.name_end);
    begin = line.value_end;
  }
  return {};
}

void AnswerHead::begin(unsigned new_status) {
  status = new_status;
  text_.clear();
  lines_.clear();
}

void AnswerHead::add(std::string_view name, std::string_view value) {
  text_.append(name);
  const auto name_end = text_.size();
  text_.append(value);
  lines_.push_back({name_end, text_.size()});
}

}  // namespace mcph
