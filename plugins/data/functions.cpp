#include "data/functions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <unordered_set>

namespace plugins::data {
namespace {

std::string_view text_of(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

// The two-way search of the C library, where std::string_view::find tries each place anew.
std::size_t place_of(std::string_view text, std::string_view what, std::size_t from) {
  const auto* const found = ::memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool has_null(sqlite3_value** values, int count) {
  return std::any_of(values, values + count, [](auto* value) { return sqlite3_value_type(value) == SQLITE_NULL; });
}

// The first character of X at which Y begins, from 1; 0: it does not occur.
void instr(sqlite3_context* context, int count, sqlite3_value** values) {
  if (has_null(values, count)) return sqlite3_result_null(context);
  const auto text = text_of(values[0]);
  const auto what = text_of(values[1]);
  if (what.empty()) return sqlite3_result_int(context, 1);
  const auto at = text.empty() ? std::string_view::npos : place_of(text, what, 0);
  if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto before = text.substr(0, at);
  sqlite3_result_int64(context, 1 + std::count_if(before.begin(), before.end(), begins_character));
}

void replace(sqlite3_context* context, int count, sqlite3_value** values) {
  if (has_null(values, count)) return sqlite3_result_null(context);
  const auto text = text_of(values[0]);
  const auto what = text_of(values[1]);
  const auto instead = text_of(values[2]);
  if (text.empty() || what.empty()) return sqlite3_result_value(context, values[0]);
  const auto most =
      static_cast<std::size_t>(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
  std::string replaced;
  std::size_t begin = 0;
  for (auto at = place_of(text, what, 0); at != std::string_view::npos; at = place_of(text, what, begin)) {
    replaced.append(text, begin, at - begin).append(instead);
    if (replaced.size() > most) return sqlite3_result_error_toobig(context);
    begin = at + what.size();
  }
  replaced.append(text, begin);
  sqlite3_result_text64(context, replaced.data(), replaced.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Of a character of UTF-8. Where a text is none, no more bytes are looked at either.
constexpr std::size_t max_character = 4;

// The size of the first character; what does not continue one is one itself.
std::size_t size_of_first(std::string_view text) {
  std::size_t size = 1;
  if (static_cast<unsigned char>(text.front()) >= 0xC0U) {
    while (size < std::min(text.size(), max_character) && continues_character(text[size]))
      ++size;
  }
  return size;
}

std::size_t size_of_last(std::string_view text) {
  const auto least = text.size() - std::min(text.size(), max_character);
  auto begin = text.size() - 1;
  while (begin > least && continues_character(text[begin]))
    --begin;
  return size_of_first(text.substr(begin)) == text.size() - begin ? text.size() - begin : 1;
}

enum class Side { left, right, both };

// X without what begins it and ends it of the characters of Y.
template <Side side>
void trim(sqlite3_context* context, int count, sqlite3_value** values) {
  if (has_null(values, count)) return sqlite3_result_null(context);
  auto text = text_of(values[0]);
  std::unordered_set<std::string_view> taken;
  for (auto characters = text_of(values[1]); !characters.empty(); characters.remove_prefix(size_of_first(characters)))
    taken.insert(characters.substr(0, size_of_first(characters)));
  while (side != Side::right && !text.empty() && taken.contains(text.substr(0, size_of_first(text))))
    text.remove_prefix(size_of_first(text));
  while (side != Side::left && !text.empty() && taken.contains(text.substr(text.size() - size_of_last(text))))
    text.remove_suffix(size_of_last(text));
  sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Of LIKE and GLOB.
constexpr std::size_t max_pattern = 500;
// A text of so many bytes times a pattern of so many takes a third of a second.
constexpr std::size_t max_comparisons = 67'108'864;
// From so many on it takes longer than a look at the time.
constexpr std::size_t comparisons_without_look = 65'536;

// Says why not, if a text may not be compared with a pattern.
bool may_compare(sqlite3_context* context, std::string_view text, std::string_view pattern) {
  if (pattern.size() > max_pattern) {
    const auto why = "a pattern of LIKE or GLOB has at most " + std::to_string(max_pattern) + " bytes";
    sqlite3_result_error(context, why.c_str(), -1);
    return false;
  }
  const auto comparisons = text.size() * pattern.size();
  if (comparisons > max_comparisons) {
    const auto why = "LIKE or GLOB would take too long with a text of " + std::to_string(text.size()) +
                     " bytes and a pattern of " + std::to_string(pattern.size()) + ": their product may be " +
                     std::to_string(max_comparisons) +
                     ". Take a shorter pattern, a part of the text with substr, or instr";
    sqlite3_result_error(context, why.c_str(), -1);
    return false;
  }
  if (comparisons <= comparisons_without_look) return true;
  const auto& is_over = *static_cast<const std::function<bool()>*>(sqlite3_user_data(context));
  if (!is_over()) return true;
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return false;
}

// A blob is like nothing.
bool has_blob(sqlite3_value** values) {
  return sqlite3_value_type(values[0]) == SQLITE_BLOB || sqlite3_value_type(values[1]) == SQLITE_BLOB;
}

unsigned int code_point_of(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  unsigned int code = character.size() == 1 ? lead : lead & (0x7FU >> character.size());
  for (const char c : character.substr(1))
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

// The same pattern with a backslash in place of an escape character that is a wildcard, as which sqlite3_strlike takes
// it.
std::string with_backslash(std::string_view pattern, char escape) {
  std::string same;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool is_escape = pattern[at] == escape;
    if (is_escape || pattern[at] == '\\') same += '\\';
    if (is_escape) ++at;
    if (at < pattern.size()) same += pattern[at];
  }
  return same;
}

// `X LIKE Y` is like(Y, X).
void like(sqlite3_context* context, int count, sqlite3_value** values) {
  if (has_blob(values)) return sqlite3_result_int(context, 0);
  const auto text = text_of(values[1]);
  const auto pattern = text_of(values[0]);
  if (text.data() == nullptr || pattern.data() == nullptr) return sqlite3_result_null(context);
  if (!may_compare(context, text, pattern)) return;
  const auto escape = count == 3 ? text_of(values[2]) : std::string_view();
  if (count == 3 && escape.data() == nullptr) return sqlite3_result_null(context);
  if (count == 3 && (escape.empty() || size_of_first(escape) != escape.size())) {
    return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
  }
  const bool is_wildcard = escape == "%" || escape == "_";
  const int difference = is_wildcard
                             ? sqlite3_strlike(with_backslash(pattern, escape.front()).c_str(), text.data(), '\\')
                             : sqlite3_strlike(pattern.data(), text.data(), escape.empty() ? 0 : code_point_of(escape));
  sqlite3_result_int(context, difference == 0 ? 1 : 0);
}

// `X GLOB Y` is glob(Y, X).
void glob(sqlite3_context* context, int, sqlite3_value** values) {
  if (has_blob(values)) return sqlite3_result_int(context, 0);
  const auto text = text_of(values[1]);
  const auto pattern = text_of(values[0]);
  if (text.data() == nullptr || pattern.data() == nullptr) return sqlite3_result_null(context);
  if (!may_compare(context, text, pattern)) return;
  sqlite3_result_int(context, sqlite3_strglob(pattern.data(), text.data()) == 0 ? 1 : 0);
}

// Of a later SQLite: what is left out of the digits, too, takes the product of two lengths.
void unhex(sqlite3_context* context, int, sqlite3_value**) {
  sqlite3_result_error(context, "unhex takes one argument here", -1);
}

}  // namespace

void replace_slow_functions(sqlite3* connection, const std::function<bool()>& is_over) {
  constexpr int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  sqlite3_create_function(connection, "instr", 2, flags, nullptr, instr, nullptr, nullptr);
  sqlite3_create_function(connection, "replace", 3, flags, nullptr, replace, nullptr, nullptr);
  sqlite3_create_function(connection, "ltrim", 2, flags, nullptr, trim<Side::left>, nullptr, nullptr);
  sqlite3_create_function(connection, "rtrim", 2, flags, nullptr, trim<Side::right>, nullptr, nullptr);
  sqlite3_create_function(connection, "trim", 2, flags, nullptr, trim<Side::both>, nullptr, nullptr);
  auto* const look = const_cast<std::function<bool()>*>(&is_over);
  sqlite3_create_function(connection, "like", 2, flags, look, like, nullptr, nullptr);
  sqlite3_create_function(connection, "like", 3, flags, look, like, nullptr, nullptr);
  sqlite3_create_function(connection, "glob", 2, flags, look, glob, nullptr, nullptr);
  sqlite3_create_function(connection, "unhex", 2, flags, nullptr, unhex, nullptr, nullptr);
}

}  // namespace plugins::data
