// Unanswered: what a Context throws to leave a handler whose input request has no answer yet. Not a std::exception, so
// that a handler that catches those does not catch this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/input_request.hpp>
#include <mcp/plugin/tool_result.hpp>

namespace mcp::detail {

struct Unanswered {
  /// {name: {"method", "params"}}, as JSON text.
  std::string requests;

  Answer answer() const;
};

/// What becomes of a call whose handler caught that and went on, so that its input request reaches nobody.
inline constexpr std::string_view input_request_caught =
    "The handler caught the exception by which it asks the client (context.elicit, elicit_url, sample, roots or ask): "
    "do not catch (...) around an input request, or throw it on with \"throw;\".";

/// A name for an input request that is asked without one.
std::string name_of(const InputRequest& request);
std::vector<Root> roots_of(const Json& answer);
/// Throws what Context::read_resource throws of `uri`.
std::vector<ReadContent> contents_of(const Json& answer, const std::string& uri);

}  // namespace mcp::detail
