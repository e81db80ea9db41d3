#include "audit/arguments.hpp"

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "base/wildcard.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_redacted_items = 16;

const char* type_of(const Json& value) {
  if (value.is_number_integer()) return "integer";
  return value.type_name();  // as JSON Schema calls it
}

// Each value becomes the name of its type. Of long arrays the beginning shows what they are made of.
Json redacted(const Json& value) {
  if (value.is_object()) {
    auto object = Json::object();
    for (const auto& [key, member] : value.items())
      object[key] = redacted(member);
    return object;
  }
  if (!value.is_array()) return type_of(value);
  auto list = Json::array();
  for (const auto& item : value) {
    if (list.size() == max_redacted_items) {
      list.push_back("and more");
      break;
    }
    list.push_back(redacted(item));
  }
  return list;
}

std::string hash_json(std::string_view text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return R"({"sha256":")" + hash.hex() + "\"}";
}

}  // namespace

Result<> check_arguments_pattern(std::string_view pattern) {
  if (pattern == "*" || (pattern.starts_with("tool:") && pattern.size() > 5) ||
      (pattern.starts_with("prompt:") && pattern.size() > 7))
    return {};
  return fail("is no pattern of components with arguments; write tool:deploy, tool:read_*, prompt:* or *");
}

AuditedArguments arguments_rule(const AuditedArgumentRules& rules, std::string_view component) {
  auto decides = rules.end();
  for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
    if (!matches_wildcard(rule->first, component)) continue;
    const bool decides_more = decides == rules.end() || rule->first.size() > decides->first.size() ||
                              (rule->first.size() == decides->first.size() && rule->second < decides->second);
    if (decides_more) decides = rule;
  }
  return decides == rules.end() ? AuditedArguments::off : decides->second;
}

std::string audited_arguments(AuditedArguments how, const Json& arguments) {
  if (how == AuditedArguments::off) return {};
  const auto text = dump(arguments);
  if (how == AuditedArguments::hash) return hash_json(text);
  const auto shown = how == AuditedArguments::redacted ? dump(redacted(arguments)) : text;
  return shown.size() <= max_audited_arguments ? shown : hash_json(text);
}

}  // namespace mcph
