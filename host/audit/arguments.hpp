// What the audit log says of a call's arguments. Free functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "audit/options.hpp"
#include "base/result.hpp"

namespace mcph {

// In bytes of JSON; of longer ones the audit log has the hash.
inline constexpr std::size_t max_audited_arguments = std::size_t{16} << 10;

// An error if it is no pattern of components that have arguments.
Result<> check_arguments_pattern(std::string_view pattern);

// For "tool:NAME" or "prompt:NAME": of the patterns that match the longest one decides.
AuditedArguments arguments_rule(const AuditedArgumentRules& rules, std::string_view component);

// JSON of one line: {"sha256":"…"} of the arguments with their keys in order and without spaces, or what else is wanted
// of them. Empty: nothing.
std::string audited_arguments(AuditedArguments how, const nlohmann::json& arguments);

}  // namespace mcph
