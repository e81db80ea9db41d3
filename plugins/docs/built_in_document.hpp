// The document that is there while the folder has none.
#pragma once

#include <string_view>

namespace plugins::docs {

inline constexpr std::string_view built_in_name = "README.md";

std::string_view built_in_document();

}  // namespace plugins::docs
