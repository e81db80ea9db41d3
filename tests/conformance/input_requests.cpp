// Tools that ask the client once and say what it answered.
#include "components.hpp"

namespace conformance {

enum class Status { Active, Inactive, Pending };
constexpr auto mcp_enum(Status) {
  return mcp::enum_names<Status>(
      {{Status::Active, "active"}, {Status::Inactive, "inactive"}, {Status::Pending, "pending"}});
}

enum class Option { First, Second, Third };
constexpr auto mcp_enum(Option) {
  return mcp::enum_names<Option>({{Option::First, "option1"}, {Option::Second, "option2"}, {Option::Third, "option3"}});
}

enum class Value { First, Second, Third };
constexpr auto mcp_enum(Value) {
  return mcp::enum_names<Value>({{Value::First, "value1", "First Option"},
                                 {Value::Second, "value2", "Second Option"},
                                 {Value::Third, "value3", "Third Option"}});
}

namespace {

struct Contact {
  std::string username;
  std::string email;
  static constexpr auto fields() {
    return std::tuple{mcp::field("username", &Contact::username, "User's response"),
                      mcp::field("email", &Contact::email, "User's email address").format("email")};
  }
};

struct Profile {
  std::string name;
  int age = 0;
  double score = 0;
  Status status = Status::Active;
  bool verified = false;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &Profile::name, "User name").default_value("John Doe"),
                      mcp::field("age", &Profile::age, "User age").default_value(30),
                      mcp::field("score", &Profile::score, "User score").default_value(95.5),
                      mcp::field("status", &Profile::status, "User status").default_value(Status::Active),
                      mcp::field("verified", &Profile::verified, "Verification status").default_value(true)};
  }
};

template <class T>
std::string told(const mcp::Elicited<T>& answer) {
  if (answer) return "The client answered: " + mcp::detail::json_text(*answer);
  return answer.action() == mcp::ElicitAction::Decline ? "The user declined" : "The user closed the question";
}

mcp::Json titled(const char* value, const char* title) {
  return {{"const", value}, {"title", title}};
}

// Every way in which a form can let the user choose, one of them older than the C++ API.
mcp::InputRequest form_with_choices() {
  const mcp::Json options = {"option1", "option2", "option3"};
  const auto values = mcp::Json::array(
      {titled("value1", "First Option"), titled("value2", "Second Option"), titled("value3", "Third Option")});
  const mcp::Json properties = {
      {"untitledSingle", {{"type", "string"}, {"description", "Select one option"}, {"enum", options}}},
      {"titledSingle", {{"type", "string"}, {"description", "Select one titled option"}, {"oneOf", values}}},
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
        {"items", {{"anyOf", values}}}}}};
  const mcp::Json request = {
      {"method", "elicitation/create"},
      {"params",
       {{"message", "Please select options"},
        {"requestedSchema", {{"type", "object"}, {"properties", properties}, {"required", mcp::Json::array()}}}}}};
  return mcp::InputRequest(mcp::dump_json(request));
}

// The same from types.
struct Choices {
  std::optional<Option> one;
  std::optional<Value> titled_one;
  std::optional<std::vector<Option>> several;
  std::optional<std::vector<Value>> titled_several;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("untitledSingle", &Choices::one, "Select one option"),
        mcp::field("titledSingle", &Choices::titled_one, "Select one titled option"),
        mcp::field("untitledMulti", &Choices::several, "Select several options").min_items(1).max_items(3),
        mcp::field("titledMulti", &Choices::titled_several, "Select several titled options").min_items(1).max_items(3)};
  }
};

}  // namespace

void register_input_requests(mcp::Plugin& plugin) {
  plugin.tool(
      "test_sampling", "Asks the client's model.",
      [](const std::string& prompt, mcp::Context& context) {
        return "LLM response: " + context.sample(mcp::Sampling(100).user(prompt)).text();
      },
      mcp::arg("prompt", "What to ask it"));
  plugin.tool(
      "test_elicitation", "Asks the user for name and address.",
      [](const std::string& message, mcp::Context& context) { return told(context.elicit<Contact>(message)); },
      mcp::arg("message", "What the user is shown"));
  plugin.tool("test_elicitation_sep1034_defaults", "Asks the user to fill in a form that has defaults.",
              [](mcp::Context& context) {
                return told(context.elicit<Profile>("Please review the form, whose fields have defaults"));
              });
  plugin.tool("test_elicitation_sep1330_enums", "Asks the user to choose in every possible way.",
              [](mcp::Context& context) {
                const auto answers = context.ask({{"choices", form_with_choices()}});
                return "The client answered: " + mcp::dump_json(answers.json("choices"));
              });
  plugin.tool("test_elicitation_typed_choices", "Asks the user to choose, with a form made of C++ types.",
              [](mcp::Context& context) { return told(context.elicit<Choices>("Please select options")); });
  plugin.tool("test_elicitation_url", "Asks the user to open a page.", [](mcp::Context& context) {
    const auto action = context.elicit_url("Please sign in", "https://example.com/sign-in");
    return action == mcp::ElicitAction::Accept ? "The user opens it" : "The user does not open it";
  });
  plugin.tool("test_streaming_elicitation", "Asks the user after some progress.", [](mcp::Context& context) {
    context.progress(1, 2);
    return told(context.elicit<Contact>("Who are you?"));
  });
  plugin.tool("test_missing_capability", "Asks the client's model.",
              [](mcp::Context& context) { return context.sample(mcp::Sampling(10).user("Say hello")).text(); });
}

}  // namespace conformance
