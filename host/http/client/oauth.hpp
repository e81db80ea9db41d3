// What OAuth has its clients write and where they look. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcph {

// As a form has it (application/x-www-form-urlencoded).
std::string form_encoded(std::string_view text);

// Where an issuer's metadata may be, in the order in which MCP has its clients look (2026-07-28, basic/authorization,
// "Authorization Server Metadata Discovery").
std::vector<std::string> issuer_metadata_urls(const std::string& issuer);

}  // namespace mcph
