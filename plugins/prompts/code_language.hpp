// Programming languages by the names that people give them. A table that never changes; any thread may use it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plugins::prompts {

struct CodeLanguage {
  std::string_view name;
  std::string_view file_ending;
  std::string_view mime_type;
};

// "C++", "cpp" and "CPP" are the same. What is not known is plain text.
CodeLanguage code_language(std::string_view name);

// Of all that are known.
std::vector<std::string> code_language_names();

}  // namespace plugins::prompts
