// The formats of dates and times (RFC 3339). Plain functions without state.
#pragma once

#include <string>

namespace mcph::schema {

bool is_date(const std::string& text);
bool is_time(const std::string& text);
bool is_date_time(const std::string& text);
bool is_duration(const std::string& text);

}  // namespace mcph::schema
