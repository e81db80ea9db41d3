// Small questions about text that more than one plugin asks. Pure functions.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace plugins {

// Well-formed UTF-8 (table 3-7 of the Unicode standard) without NUL.
bool is_text(std::string_view bytes);

// Of a text that may have been cut off inside a character: takes away the part of it that is left.
void drop_half_character(std::string& text);

// Of a code point that is one.
void append_utf8(std::string& text, std::uint32_t point);

// ASCII letters only, which is what file endings and zone names are made of.
std::string lower_case(std::string_view text);

// RFC 3986: everything but unreserved characters and "/" becomes %XX.
std::string percent_encoded_path(std::string_view path);

// "2026-01-12T15:00:58Z"
std::string utc_text(std::time_t time);

}  // namespace plugins
