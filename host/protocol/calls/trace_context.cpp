#include "protocol/calls/trace_context.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "base/hexadecimal.hpp"
#include "base/http_token.hpp"

namespace mcph {
namespace {

// In bytes, of each: what Baggage wants to be passed on at least, and sixteen times what Trace Context does.
constexpr std::size_t max_text = 8192;
constexpr std::size_t max_states = 32;
constexpr std::size_t max_baggage = 64;

std::string_view text_of(const Json& meta, const char* key) {
  const auto found = meta.find(key);
  return found == meta.end() || !found->is_string() ? std::string_view() : found->get_ref<const std::string&>();
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of(hexadecimal_digits) == std::string_view::npos;
}

bool is_hex_but_not_zero(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

// Whether each part between separators is right, with spaces around it, and there are not more of them.
template <class IsRight>
bool all_right(std::string_view list, char separator, std::size_t most, IsRight is_right) {
  for (std::size_t count = 1; count <= most; ++count) {
    const auto end = list.find(separator);
    if (!is_right(trimmed(list.substr(0, end)))) return false;
    if (end == std::string_view::npos) return true;
    list.remove_prefix(end + 1);
  }
  return false;
}

bool is_state_key(std::string_view key) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_-*/@";
  return !key.empty() && key.size() <= 256 && allowed.substr(0, 36).find(key[0]) != std::string_view::npos &&
         key.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_state_value(std::string_view value) {
  return !value.empty() && value.size() <= 256 &&
         std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F && c != ',' && c != '='; });
}

bool is_state(std::string_view member) {
  if (member.empty()) return true;
  const auto equals = member.find('=');
  return equals != std::string_view::npos && is_state_key(member.substr(0, equals)) &&
         is_state_value(member.substr(equals + 1));
}

bool is_baggage_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\'; });
}

// Of a member, "key=value", or of one of its properties, which may be a key alone.
bool is_pair(std::string_view text, bool needs_value) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return !needs_value && is_token(text);
  return is_token(trimmed(text.substr(0, equals))) && is_baggage_value(trimmed(text.substr(equals + 1)));
}

bool is_baggage(std::string_view member) {
  const auto end = member.find(';');
  if (!is_pair(trimmed(member.substr(0, end)), true)) return false;
  return end == std::string_view::npos ||
         all_right(member.substr(end + 1), ';', member.size(), [](auto property) { return is_pair(property, false); });
}

}  // namespace

// "00-" 32 digits "-" 16 digits "-" 2 digits; a later version may go on after another "-".
bool is_trace_parent(std::string_view text) {
  constexpr std::size_t size = 55;
  if (text.size() < size || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  const auto version = text.substr(0, 2);
  if (!is_hex(version) || version == "ff") return false;
  if (text.size() > size && (version == "00" || text[size] != '-' || text.size() > max_text)) return false;
  return is_hex_but_not_zero(text.substr(3, 32)) && is_hex_but_not_zero(text.substr(36, 16)) &&
         is_hex(text.substr(53, 2)) &&
         std::all_of(text.begin() + size, text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

std::string trace_parent_of(const TraceSpan& span) {
  return "00-" + span.trace_id + "-" + span.span_id + "-01";
}

Json trace_context_in(const Json& meta) {
  const auto parent = text_of(meta, "traceparent");
  if (!is_trace_parent(parent)) return nullptr;
  Json trace{{"traceparent", parent}};
  const auto state = text_of(meta, "tracestate");
  if (!state.empty() && state.size() <= max_text && all_right(state, ',', max_states, is_state)) {
    trace["tracestate"] = state;
  }
  const auto baggage = text_of(meta, "baggage");
  if (!baggage.empty() && baggage.size() <= max_text && all_right(baggage, ',', max_baggage, is_baggage)) {
    trace["baggage"] = baggage;
  }
  return trace;
}

}  // namespace mcph
