// The requests with which the tools of this plugin ask the client, and how to read the answers.
#pragma once

#include <string>
#include <string_view>

#include <mcp/plugin.hpp>

namespace conformance {

// A form. `properties` is the "properties" of its JSON Schema.
mcp::Json elicitation(std::string_view message, mcp::Json properties, mcp::Json required = mcp::Json::array());
mcp::Json sampling(std::string_view prompt, int max_tokens);
mcp::Json roots();

// The answers, if there is one to each of the requests, and an empty object otherwise.
mcp::Json complete_answers(const mcp::Context& context, const mcp::Json& requests);

// A member of an accepted form; empty if the form was not accepted or has no such string.
std::string form_field(const mcp::Json& answer, const char* name);
// The text that the client's model has written; empty if there is none.
std::string sampled_text(const mcp::Json& answer);
std::size_t root_count(const mcp::Json& answer);

}  // namespace conformance
