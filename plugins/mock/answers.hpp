// What an outcome is as the answer of a component. Plain functions.
#pragma once

#include <string>
#include <vector>

#include <mcp/plugin.hpp>

#include "mock/settings.hpp"

namespace plugins::mock {

// Throws std::invalid_argument, whose words begin with `place`, where the outcome stands in the file, for content that
// is none, a blob that is no base64, and places for arguments that the prompt does not have.
void require_answerable(const OutcomeSettings& outcome, const std::vector<std::string>& arguments,
                        const std::string& place);

void answer(mcp::Call& call, const OutcomeSettings& outcome);

// Throw what `error` says.
mcp::ResourceContent resource_content(const OutcomeSettings& outcome);
mcp::Messages prompt_messages(const OutcomeSettings& outcome, const mcp::Arguments& arguments);

}  // namespace plugins::mock
