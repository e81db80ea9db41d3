// Tools and a prompt whose rounds of request and answer the suite follows one by one. Where the suite wants to see
// certain names of requests, they ask by name.
#include "components.hpp"

namespace conformance {
namespace {

struct Name {
  std::string name;
  static constexpr auto fields() { return std::tuple{mcp::field("name", &Name::name)}; }
};

struct Color {
  std::string color;
  static constexpr auto fields() { return std::tuple{mcp::field("color", &Color::color)}; }
};

struct Confirmation {
  bool ok = false;
  static constexpr auto fields() { return std::tuple{mcp::field("ok", &Confirmation::ok)}; }
};

struct PromptContext {
  std::string context;
  static constexpr auto fields() { return std::tuple{mcp::field("context", &PromptContext::context)}; }
};

std::string greet(mcp::Context& context) {
  const auto answers = context.ask({{"user_name", mcp::form<Name>("What is your name?")}});
  return "Hello, " + answers.form<Name>("user_name").value().name + "!";
}

std::string ask_the_model(mcp::Context& context) {
  return "Sampling result: " + context.sample(mcp::Sampling(100).user("What is the capital of France?")).text();
}

std::string count_roots(mcp::Context& context) {
  return "Found " + std::to_string(context.roots().size()) + " root(s)";
}

// The host keeps the state between the rounds; the tool has no part in it but to ask and be answered.
std::string confirm(mcp::Context& context) {
  const auto answer = context.elicit<Confirmation>("Please confirm");
  return answer.accepted() ? "state-ok: confirmed" : "state-ok: not confirmed";
}

std::string ask_everything_at_once(mcp::Context& context) {
  const auto answers = context.ask({{"user_name", mcp::form<Name>("What is your name?")},
                                    {"greeting", mcp::Sampling(50).user("Generate a greeting")},
                                    {"client_roots", mcp::root_list()}});
  return "Name: " + answers.form<Name>("user_name").value().name + "; Greeting: " + answers.sampled("greeting").text() +
         "; Roots: " + std::to_string(answers.roots("client_roots").size());
}

std::string two_rounds(mcp::Context& context) {
  const auto name = context.ask({{"step1", mcp::form<Name>("Step 1: What is your name?")}}).form<Name>("step1");
  const auto color =
      context.ask({{"step2", mcp::form<Color>("Step 2: What is your favorite color?")}}).form<Color>("step2");
  return name.value().name + " likes " + color.value().color;
}

// Asks only what this client has said it can answer.
std::string ask_what_the_client_can(mcp::Context& context) {
  const auto capabilities = context.request_context().value("clientCapabilities", mcp::Json::object());
  mcp::InputRequests requests;
  if (capabilities.contains("elicitation")) requests.emplace("elicit_input", mcp::form<Name>("Elicitation input"));
  if (capabilities.contains("sampling")) requests.emplace("sample_input", mcp::Sampling(50).user("Sample request"));
  if (requests.empty()) return "The client can answer nothing";
  context.ask(requests);
  return "capabilities-ok";
}

mcp::Message prompt_that_asks(mcp::Context& context) {
  return mcp::user("Use this: " + context.elicit<PromptContext>("What context should the prompt use?").value().context);
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
  plugin.prompt("test_input_required_result_prompt", "A prompt that asks the user.", prompt_that_asks);
}

}  // namespace conformance
