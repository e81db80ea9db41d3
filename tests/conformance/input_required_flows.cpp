// Tools whose rounds of question and answer the suite follows one by one.
#include "client_requests.hpp"
#include "components.hpp"

namespace conformance {
namespace {

mcp::Json ask_for_string(std::string_view message, const char* field) {
  return elicitation(message, {{field, {{"type", "string"}}}}, {field});
}

mcp::ToolResult greet(mcp::Context& context) {
  const mcp::Json requests = {{"user_name", ask_for_string("What is your name?", "name")}};
  const auto answers = complete_answers(context, requests);
  if (answers.empty()) return mcp::input_required(requests);
  return mcp::ToolResult().text("Hello, " + form_field(answers["user_name"], "name") + "!");
}

mcp::ToolResult ask_the_model(mcp::Context& context) {
  const mcp::Json requests = {{"sample_request", sampling("What is the capital of France?", 100)}};
  const auto answers = complete_answers(context, requests);
  if (answers.empty()) return mcp::input_required(requests);
  return mcp::ToolResult().text("Sampling result: " + sampled_text(answers["sample_request"]));
}

mcp::ToolResult count_roots(mcp::Context& context) {
  const mcp::Json requests = {{"roots_request", roots()}};
  const auto answers = complete_answers(context, requests);
  if (answers.empty()) return mcp::input_required(requests);
  return mcp::ToolResult().text("Found " + std::to_string(root_count(answers["roots_request"])) + " root(s)");
}

// The host keeps the state between the rounds; the tool has no part in it but to ask and be answered.
mcp::ToolResult confirm(mcp::Context& context) {
  const mcp::Json requests = {{"confirm", elicitation("Please confirm", {{"ok", {{"type", "boolean"}}}}, {"ok"})}};
  if (complete_answers(context, requests).empty()) return mcp::input_required(requests);
  return mcp::ToolResult().text("state-ok: confirmed");
}

mcp::ToolResult ask_everything_at_once(mcp::Context& context) {
  const mcp::Json requests = {{"user_name", ask_for_string("What is your name?", "name")},
                              {"greeting", sampling("Generate a greeting", 50)},
                              {"client_roots", roots()}};
  const auto answers = complete_answers(context, requests);
  if (answers.empty()) return mcp::input_required(requests);
  return mcp::ToolResult().text("Name: " + form_field(answers["user_name"], "name") +
                                "; Greeting: " + sampled_text(answers["greeting"]) +
                                "; Roots: " + std::to_string(root_count(answers["client_roots"])));
}

mcp::ToolResult two_rounds(mcp::Context& context) {
  const mcp::Json first = {{"step1", ask_for_string("Step 1: What is your name?", "name")}};
  const mcp::Json second = {{"step2", ask_for_string("Step 2: What is your favorite color?", "color")}};
  const auto name = complete_answers(context, first);
  if (name.empty()) return mcp::input_required(first);
  const auto color = complete_answers(context, second);
  if (color.empty()) return mcp::input_required(second);
  return mcp::ToolResult().text(form_field(name["step1"], "name") + " likes " + form_field(color["step2"], "color"));
}

// Asks only what this client has said it can answer.
mcp::ToolResult ask_what_the_client_can(mcp::Context& context) {
  const auto capabilities = context.caller().value("clientCapabilities", mcp::Json::object());
  auto requests = mcp::Json::object();
  if (capabilities.contains("elicitation")) requests["elicit_input"] = ask_for_string("Elicitation input", "value");
  if (capabilities.contains("sampling")) requests["sample_input"] = sampling("Sample request", 50);
  if (requests.empty()) return mcp::ToolResult().text("The client can answer nothing");
  if (complete_answers(context, requests).empty()) return mcp::input_required(requests);
  return mcp::ToolResult().text("capabilities-ok");
}

}  // namespace

void register_input_required_flows(mcp::Plugin& plugin) {
  plugin.tool("test_input_required_result_elicitation", "Asks the user's name and greets.", greet);
  plugin.tool("test_input_required_result_sampling", "Asks the client's model.", ask_the_model);
  plugin.tool("test_input_required_result_list_roots", "Counts the client's roots.", count_roots);
  plugin.tool("test_input_required_result_request_state", "Asks for confirmation.", confirm);
  plugin.tool("test_input_required_result_tampered_state", "Asks for confirmation.", confirm);
  plugin.tool("test_input_required_result_multiple_inputs", "Asks three things at once.", ask_everything_at_once);
  plugin.tool("test_input_required_result_multi_round", "Asks one thing after the other.", two_rounds);
  plugin.tool("test_input_required_result_capabilities", "Asks what the client can answer.", ask_what_the_client_can);
}

}  // namespace conformance
