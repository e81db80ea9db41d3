// Plugins answer in the words of the newest revision. What an older one does not have is taken out or said in another
// way, so that no client gets a message that its revision forbids. Free functions; any thread.
#pragma once

#include <string_view>

#include "protocol/message.hpp"

namespace mcph {

// The revision since which messages may have audio in them.
inline constexpr std::string_view audio_since = "2025-03-26";

// Makes a result fit a legacy revision.
void fit_to_revision(Json& result, std::string_view revision);
// Whether that would change nothing.
bool fits_revision(JsonValue result, std::string_view revision);

}  // namespace mcph
