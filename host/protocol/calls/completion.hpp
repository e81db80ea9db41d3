// completion/complete (MCP, server/utilities/completion): from a request to the plugin that knows what a client may
// fill in for an argument of a prompt or a variable of a resource template, and what of its answer a client may be
// told. The same for both eras. Free functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/message.hpp"

namespace mcph {

inline constexpr std::size_t max_completion_values = 100;

// The members of a CompleteResult where nobody knows any values.
inline constexpr std::string_view no_completion = R"("completion":{"values":[],"total":0,"hasMore":false})";

// Nothing if the plugin of the component wants no completion, or a concrete URI has nothing left to fill in: then the
// answer is no_completion.
std::optional<Planned> plan_completion(const Catalog& catalog, JsonValue params);
std::optional<Planned> plan_completion(const Catalog& catalog, const Json& params);

// The error continues the words "answered ... with something invalid: ".
Result<> check_completion_result(JsonValue result);

// Takes out what exceeds max_completion_values, and says that there are more. Expects a result that has been checked.
void cut_completion(Json& result);

}  // namespace mcph
