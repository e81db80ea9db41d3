// Asks its client everything that can be asked, and takes long where it is told to.
#include <chrono>
#include <thread>

#include <mcp/plugin.hpp>

enum class Size { Small, Large };
constexpr auto mcp_enum(Size) {
  return mcp::enum_names<Size>({{Size::Small, "small"}, {Size::Large, "large"}});
}
enum class Topping { Cheese, Olives };
constexpr auto mcp_enum(Topping) {
  return mcp::enum_names<Topping>({{Topping::Cheese, "cheese", "Much cheese"}, {Topping::Olives, "olives", "Olives"}});
}

namespace {

struct Order {
  std::string name;
  int count = 0;
  double tip = 0;
  bool hurry = false;
  Size size = Size::Small;
  Topping favourite = Topping::Cheese;

  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &Order::name, "Whom it is for").min_length(2),
                      mcp::field("count", &Order::count, "How many").min(1).max(9).default_value(1),
                      mcp::field("tip", &Order::tip).default_value(0.5),
                      mcp::field("hurry", &Order::hurry).default_value(false),
                      mcp::field("size", &Order::size).default_value(Size::Large),
                      mcp::field("favourite", &Order::favourite)};
  }
};

// Several may be chosen, which 2025-06-18 does not have.
struct Pizza {
  std::vector<Topping> toppings;
  static constexpr auto fields() { return std::tuple{mcp::field("toppings", &Pizza::toppings).min_items(1)}; }
};

struct Name {
  std::string name;
  static constexpr auto fields() { return std::tuple{mcp::field("name", &Name::name)}; }
};

template <class T>
std::string told(const mcp::Elicited<T>& answer) {
  if (answer) return mcp::detail::json_text(*answer);
  return answer.action() == mcp::ElicitAction::Decline ? "declined" : "closed";
}

std::string sample(mcp::Context& context) {
  const auto sampled = context.sample(mcp::Sampling(50).system_prompt("Be terse.").user("Who are you?"));
  return sampled.model() + ": " + sampled.text();
}

// As a tool's author does it: the model asks for a tool, gets its result, and answers.
std::string sample_with_tools(mcp::Context& context) {
  const mcp::Json schema = {{"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}};
  auto request = mcp::Sampling(50).user("What is the weather in Paris?").tool("weather", "The weather.", schema);
  const auto first = context.sample(request);
  const auto uses = first.tool_uses();
  if (uses.empty()) return first.text();
  const mcp::Json asked = {{"role", "assistant"}, {"content", first.json()["content"]}};
  const mcp::Json text = {{"type", "text"}, {"text", "Sunny in " + (*uses[0].input)["city"].get<std::string>()}};
  const mcp::Json result = {
      {"role", "user"},
      {"content", {{{"type", "tool_result"}, {"toolUseId", uses[0].id}, {"content", mcp::Json::array({text})}}}}};
  return context.sample(request.message(asked).message(result)).text();
}

std::string roots(mcp::Context& context) {
  std::string text;
  for (const auto& root : context.roots())
    text += root.name + "=" + root.uri + ";";
  return text;
}

std::string all_at_once(mcp::Context& context) {
  const auto answers = context.ask({{"name", mcp::form<Name>("Your name?")},
                                    {"greeting", mcp::Sampling(20).user("Greet")},
                                    {"roots", mcp::root_list()}});
  return answers.form<Name>("name").value().name + ", " + answers.sampled("greeting").text() + ", " +
         std::to_string(answers.roots("roots").size());
}

std::string two_rounds(mcp::Context& context) {
  context.progress(1, 3, "asking");
  const auto first = context.elicit<Name>("First name?").value().name;
  context.progress(2, 3, "asking again");
  return first + " " + context.elicit<Name>("Second name?").value().name;
}

bool work(const mcp::Context& context, int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) {
    if (context.cancelled()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::string take_long(int milliseconds, mcp::Context& context) {
  context.progress(1, 2, "half way");
  if (!work(context, milliseconds)) context.warn("cancelled: " + std::to_string(milliseconds) + " ms");
  return "worked for " + std::to_string(milliseconds) + " ms";
}

std::string work_and_ask(mcp::Context& context) {
  work(context, 300);
  return "worked for " + context.elicit<Name>("For whom?").value().name;
}

void setup(mcp::Plugin& plugin) {
  plugin.tool("order", "A form.", [](mcp::Context& context) { return told(context.elicit<Order>("Your order?")); });
  plugin.tool("pizza", "A form with a choice of several.",
              [](mcp::Context& context) { return told(context.elicit<Pizza>("Which pizza?")); });
  plugin.tool("sign_in", "A page.", [](mcp::Context& context) {
    return context.elicit_url("Please sign in", "https://example.com/sign-in") == mcp::ElicitAction::Accept ? "opened"
                                                                                                            : "refused";
  });
  plugin.tool("sample", "A message.", sample);
  plugin.tool("sample_with_tools", "A message with the help of a tool.", sample_with_tools);
  plugin.tool("roots", "The roots.", roots);
  plugin.tool("all_at_once", "Three questions.", all_at_once);
  plugin.tool("two_rounds", "One question after the other.", two_rounds);
  plugin.prompt("asking", "A prompt that asks.",
                [](mcp::Context& context) { return "Write to " + context.elicit<Name>("To whom?").value().name; });
  plugin.resource("asking://name", "name", "A resource that asks.",
                  [](mcp::Context& context) { return context.elicit<Name>("Whose?").value().name; });

  plugin.tool("take_long", "Takes long, and says nothing of it.", take_long,
              mcp::arg("milliseconds", "How long").min(0));
  plugin.tool("declared_long", "Takes long, and says so.", take_long, mcp::arg("milliseconds", "How long").min(0))
      .task_support(mcp::TaskSupport::Optional);
  plugin.tool("never_a_task", "Takes long, and must not be a task.", take_long, mcp::arg("milliseconds", "How long"))
      .task_support(mcp::TaskSupport::Forbidden);
  plugin.tool("only_a_task", "Cannot be called otherwise.", [] { return "done"; })
      .task_support(mcp::TaskSupport::Required);
  plugin.tool("work_and_ask", "Asks when it has worked.", work_and_ask).task_support(mcp::TaskSupport::Optional);
}

}  // namespace

MCP_PLUGIN("asking", "1.0.0", setup)
