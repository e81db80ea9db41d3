#include "prompts/code_language.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace plugins::prompts {
namespace {

constexpr std::array languages{
    CodeLanguage{"c", "c", "text/x-c"},
    CodeLanguage{"c++", "cpp", "text/x-c++"},
    CodeLanguage{"c#", "cs", "text/x-csharp"},
    CodeLanguage{"css", "css", "text/css"},
    CodeLanguage{"go", "go", "text/x-go"},
    CodeLanguage{"html", "html", "text/html"},
    CodeLanguage{"java", "java", "text/x-java"},
    CodeLanguage{"javascript", "js", "text/javascript"},
    CodeLanguage{"json", "json", "application/json"},
    CodeLanguage{"kotlin", "kt", "text/x-kotlin"},
    CodeLanguage{"php", "php", "application/x-php"},
    CodeLanguage{"python", "py", "text/x-python"},
    CodeLanguage{"ruby", "rb", "text/x-ruby"},
    CodeLanguage{"rust", "rs", "text/x-rust"},
    CodeLanguage{"shell", "sh", "application/x-sh"},
    CodeLanguage{"sql", "sql", "application/sql"},
    CodeLanguage{"swift", "swift", "text/x-swift"},
    CodeLanguage{"typescript", "ts", "text/x-typescript"},
};

bool is_same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

CodeLanguage code_language(std::string_view name) {
  const auto* const found = std::find_if(languages.begin(), languages.end(), [name](const CodeLanguage& each) {
    return is_same(each.name, name) || is_same(each.file_ending, name);
  });
  return found == languages.end() ? CodeLanguage{name, "txt", "text/plain"} : *found;
}

std::vector<std::string> code_language_names() {
  std::vector<std::string> names;
  names.reserve(std::size(languages));
  for (const CodeLanguage& language : languages)
    names.emplace_back(language.name);
  return names;
}

}  // namespace plugins::prompts
