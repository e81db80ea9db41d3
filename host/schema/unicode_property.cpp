#include "schema/unicode_property.hpp"

#include <algorithm>
#include <array>

namespace mcph::schema {
namespace {

struct Category {
  std::string_view name;
  std::string_view pcre;
};

// The general categories by their long names (UAX #44), of which PCRE2 knows the short ones only.
constexpr std::array categories{
    Category{"Letter", "L"},
    Category{"Cased_Letter", "L&"},
    Category{"LC", "L&"},
    Category{"Uppercase_Letter", "Lu"},
    Category{"Lowercase_Letter", "Ll"},
    Category{"Titlecase_Letter", "Lt"},
    Category{"Modifier_Letter", "Lm"},
    Category{"Other_Letter", "Lo"},
    Category{"Mark", "M"},
    Category{"Combining_Mark", "M"},
    Category{"Nonspacing_Mark", "Mn"},
    Category{"Spacing_Mark", "Mc"},
    Category{"Enclosing_Mark", "Me"},
    Category{"Number", "N"},
    Category{"Decimal_Number", "Nd"},
    Category{"digit", "Nd"},
    Category{"Letter_Number", "Nl"},
    Category{"Other_Number", "No"},
    Category{"Punctuation", "P"},
    Category{"punct", "P"},
    Category{"Connector_Punctuation", "Pc"},
    Category{"Dash_Punctuation", "Pd"},
    Category{"Open_Punctuation", "Ps"},
    Category{"Close_Punctuation", "Pe"},
    Category{"Initial_Punctuation", "Pi"},
    Category{"Final_Punctuation", "Pf"},
    Category{"Other_Punctuation", "Po"},
    Category{"Symbol", "S"},
    Category{"Math_Symbol", "Sm"},
    Category{"Currency_Symbol", "Sc"},
    Category{"Modifier_Symbol", "Sk"},
    Category{"Other_Symbol", "So"},
    Category{"Separator", "Z"},
    Category{"Space_Separator", "Zs"},
    Category{"Line_Separator", "Zl"},
    Category{"Paragraph_Separator", "Zp"},
    Category{"Other", "C"},
    Category{"Control", "Cc"},
    Category{"cntrl", "Cc"},
    Category{"Format", "Cf"},
    Category{"Surrogate", "Cs"},
    Category{"Private_Use", "Co"},
    Category{"Unassigned", "Cn"},
};

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string category_or_itself(std::string_view name) {
  const auto* const found = std::find_if(categories.begin(), categories.end(),
                                         [name](const auto& category) { return category.name == name; });
  return std::string(found == categories.end() ? name : found->pcre);
}

}  // namespace

std::optional<std::string> pcre_property(std::string_view ecma) {
  const auto equals = ecma.find('=');
  if (equals == std::string_view::npos) {
    if (!is_name(ecma)) return std::nullopt;
    return category_or_itself(ecma);
  }
  const auto property = ecma.substr(0, equals);
  const auto value = ecma.substr(equals + 1);
  if (!is_name(value)) return std::nullopt;
  if (property == "General_Category" || property == "gc") return category_or_itself(value);
  if (property == "Script" || property == "sc") return "sc:" + std::string(value);
  if (property == "Script_Extensions" || property == "scx") return "scx:" + std::string(value);
  return std::nullopt;
}

}  // namespace mcph::schema
