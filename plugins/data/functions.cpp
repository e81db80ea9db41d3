#include "data/functions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sqlite3.h>
#include <string>
#include <string_view>

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

}  // namespace

void replace_slow_functions(sqlite3* connection) {
  constexpr int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  sqlite3_create_function(connection, "instr", 2, flags, nullptr, instr, nullptr, nullptr);
  sqlite3_create_function(connection, "replace", 3, flags, nullptr, replace, nullptr, nullptr);
}

}  // namespace plugins::data
