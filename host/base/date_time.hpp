// Whether a text is a date-time of RFC 3339 (section 5.6). A plain function; any thread.
#pragma once

#include <string>

namespace mcph {

bool is_date_time(const std::string& text);

}  // namespace mcph
