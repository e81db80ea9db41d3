// Tools that ask the client once and say what it answered.
#include "client_requests.hpp"
#include "components.hpp"

namespace conformance {
namespace {

// Asks `request` of the client and, when that has answered, tells the answer.
mcp::ToolResult ask(const mcp::Context& context, const mcp::Json& request) {
  const mcp::Json requests = {{"question", request}};
  const auto answers = complete_answers(context, requests);
  if (answers.empty()) return mcp::input_required(requests);
  return mcp::ToolResult().text("The client answered: " + mcp::dump_json(answers["question"]));
}

mcp::Json contact_form(std::string_view message) {
  return elicitation(message,
                     {{"username", {{"type", "string"}, {"description", "User's response"}}},
                      {"email", {{"type", "string"}, {"description", "User's email address"}}}},
                     {"username", "email"});
}

mcp::Json form_with_defaults() {
  return elicitation("Please review the form, whose fields have defaults",
                     {{"name", {{"type", "string"}, {"description", "User name"}, {"default", "John Doe"}}},
                      {"age", {{"type", "integer"}, {"description", "User age"}, {"default", 30}}},
                      {"score", {{"type", "number"}, {"description", "User score"}, {"default", 95.5}}},
                      {"status",
                       {{"type", "string"},
                        {"description", "User status"},
                        {"enum", {"active", "inactive", "pending"}},
                        {"default", "active"}}},
                      {"verified", {{"type", "boolean"}, {"description", "Verification status"}, {"default", true}}}});
}

mcp::Json choice(const char* value, const char* title) {
  return {{"const", value}, {"title", title}};
}

// Every way in which a form can let the user choose.
mcp::Json form_with_choices() {
  const mcp::Json options = {"option1", "option2", "option3"};
  const auto titled = mcp::Json::array(
      {choice("value1", "First Option"), choice("value2", "Second Option"), choice("value3", "Third Option")});
  return elicitation(
      "Please select options",
      {{"untitledSingle", {{"type", "string"}, {"description", "Select one option"}, {"enum", options}}},
       {"titledSingle", {{"type", "string"}, {"description", "Select one titled option"}, {"oneOf", titled}}},
       {"legacyEnum",
        {{"type", "string"},
         {"description", "Select one option (legacy)"},
         {"enum", {"opt1", "opt2", "opt3"}},
         {"enumNames", {"Option One", "Option Two", "Option Three"}}}},
       {"untitledMulti",
        {{"type", "array"},
         {"description", "Select several options"},
         {"minItems", 1},
         {"maxItems", 3},
         {"items", {{"type", "string"}, {"enum", options}}}}},
       {"titledMulti",
        {{"type", "array"},
         {"description", "Select several titled options"},
         {"minItems", 1},
         {"maxItems", 3},
         {"items", {{"anyOf", titled}}}}}});
}

}  // namespace

void register_questions(mcp::Plugin& plugin) {
  plugin.tool(
      "test_sampling", "Asks the client's model.",
      [](const std::string& prompt, mcp::Context& context) { return ask(context, sampling(prompt, 100)); },
      mcp::arg("prompt", "What to ask it"));
  plugin.tool(
      "test_elicitation", "Asks the user for name and address.",
      [](const std::string& message, mcp::Context& context) { return ask(context, contact_form(message)); },
      mcp::arg("message", "What the user is shown"));
  plugin.tool("test_elicitation_sep1034_defaults", "Asks the user to fill in a form that has defaults.",
              [](mcp::Context& context) { return ask(context, form_with_defaults()); });
  plugin.tool("test_elicitation_sep1330_enums", "Asks the user to choose in every possible way.",
              [](mcp::Context& context) { return ask(context, form_with_choices()); });
  plugin.tool("test_streaming_elicitation", "Asks the user after some progress.", [](mcp::Context& context) {
    context.progress(1, 2);
    return ask(context, contact_form("Who are you?"));
  });
  plugin.tool("test_missing_capability", "Asks the client's model.",
              [](mcp::Context& context) { return ask(context, sampling("Say hello", 10)); });
}

}  // namespace conformance
