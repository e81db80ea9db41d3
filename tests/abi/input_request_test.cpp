// Asking the client: the requests that are made of C++ types, the rounds, and what comes back.
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

enum class Size { Small, Large };
constexpr auto mcp_enum(Size) {
  return mcp::enum_names<Size>({{Size::Small, "small"}, {Size::Large, "large"}});
}
enum class Topping { Cheese, Olives };
constexpr auto mcp_enum(Topping) {
  return mcp::enum_names<Topping>({{Topping::Cheese, "cheese", "Much cheese"}, {Topping::Olives, "olives"}});
}

namespace {

using mcp::Json;
using mcp::testing::Harness;

struct Pizza {
  Size size = Size::Small;
  std::optional<Topping> first;
  std::vector<Topping> toppings;
  int count = 0;
  std::optional<std::string> mail;

  static constexpr auto fields() {
    return std::tuple{mcp::field("size", &Pizza::size, "How large").title("Size"), mcp::field("first", &Pizza::first),
                      mcp::field("toppings", &Pizza::toppings).min_items(1).max_items(2),
                      mcp::field("count", &Pizza::count).min(1).default_value(1),
                      mcp::field("mail", &Pizza::mail).format("email")};
  }
};

struct Yes {
  bool yes = false;
  static constexpr auto fields() { return std::tuple{mcp::field("yes", &Yes::yes)}; }
};

Json accept(const Json& content) {
  return {{"action", "accept"}, {"content", content}};
}

TEST(InputRequest, FormHasAFieldForEachOfTheStructs) {
  EXPECT_EQ(mcp::form<Pizza>("Which pizza?").json(),
            R"({"method":"elicitation/create","params":{"mode":"form","message":"Which pizza?","requestedSchema":{)"
            R"("type":"object","properties":{)"
            R"("size":{"type":"string","enum":["small","large"],"description":"How large","title":"Size"},)"
            R"("first":{"type":"string","oneOf":[{"const":"cheese","title":"Much cheese"},)"
            R"({"const":"olives","title":"olives"}]},)"
            R"("toppings":{"type":"array","items":{"anyOf":[{"const":"cheese","title":"Much cheese"},)"
            R"({"const":"olives","title":"olives"}]},"minItems":1,"maxItems":2},)"
            R"("count":{"type":"integer","minimum":1,"default":1},)"
            R"("mail":{"type":"string","format":"email"}},"required":["size","toppings"]}}})");
}

TEST(InputRequest, FormMayBeOneValue) {
  EXPECT_EQ(mcp::form<int>("How many?").json(),
            R"({"method":"elicitation/create","params":{"mode":"form","message":"How many?","requestedSchema":{)"
            R"("type":"object","properties":{"value":{"type":"integer"}},"required":["value"]}}})");
  const auto schema = [](const mcp::InputRequest& request) {
    return Json::parse(request.json())["params"]["requestedSchema"]["properties"]["value"].dump();
  };
  EXPECT_EQ(schema(mcp::form<Size>("")), R"({"enum":["small","large"],"type":"string"})");
  EXPECT_EQ(schema(mcp::form<std::chrono::sys_days>("")), R"({"format":"date","type":"string"})");
  EXPECT_EQ(schema(mcp::form<std::chrono::minutes>("")), R"({"type":"string"})");
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("count", "", [](mcp::Context& context) {
      return *context.elicit<int>("How many?") * (context.elicit<bool>("Twice?").value() ? 2 : 1);
    });
  });
  const auto outcome = harness.call_tool("count", Json::object(), [](const Json& request) {
    return request["params"]["message"] == "Twice?" ? accept({{"value", true}}) : accept({{"value", 21}});
  });
  EXPECT_EQ(outcome.text(), "42");
  const auto asked = harness.call_tool("count").json["inputRequests"];
  const auto without =
      harness.invoke("tools/call", {{"name", "count"},
                                    {"arguments", Json::object()},
                                    {"inputResponses", {{asked.begin().key(), accept(Json::object())}}}});
  EXPECT_EQ(without.text(), R"("value" is missing)");
}

TEST(InputRequest, OthersAreWhatMcpCallsThem) {
  EXPECT_EQ(
      mcp::web_page("Sign in", "https://example.com/").json(),
      R"({"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://example.com/"}})");
  EXPECT_EQ(mcp::root_list().json(), R"({"method":"roots/list","params":{}})");
  const mcp::InputRequest sampling = mcp::Sampling(100)
                                         .system_prompt("Be terse.")
                                         .user("Hi")
                                         .assistant("Yes?")
                                         .temperature(0.5)
                                         .stop_sequences({"."})
                                         .model_hint("sonnet")
                                         .model_hint("opus")
                                         .tool("add", "Adds.", {{"type", "object"}})
                                         .tool_choice("auto")
                                         .param("includeContext", "none");
  EXPECT_EQ(
      sampling.json(),
      R"({"method":"sampling/createMessage","params":{"messages":[)"
      R"({"role":"user","content":{"type":"text","text":"Hi"}},{"role":"assistant","content":{"type":"text","text":"Yes?"}}],)"
      R"("includeContext":"none","maxTokens":100,"modelPreferences":{"hints":[{"name":"sonnet"},{"name":"opus"}]},)"
      R"("stopSequences":["."],"systemPrompt":"Be terse.","temperature":0.5,"toolChoice":{"mode":"auto"},)"
      R"("tools":[{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}]}})");
}

TEST(InputRequest, RefusesANumberThatJsonCannotSay) {
  const auto refusal_of = [](const std::function<void(mcp::Sampling&)>& change) -> std::string {
    mcp::Sampling sampling(100);
    try {
      change(sampling);
    } catch (const std::domain_error& error) {
      return error.what();
    }
    return "none";
  };
  const std::string no_number = "a number is infinite or not a number, which JSON cannot say";
  EXPECT_EQ(refusal_of([](mcp::Sampling& sampling) { sampling.temperature(std::nan("")); }),
            R"("temperature": )" + no_number);
  EXPECT_EQ(refusal_of([](mcp::Sampling& sampling) {
              sampling.param("bias", Json{{"a", {1, std::nan("")}}});
            }),
            R"("bias.a[1]": )" + no_number);
}

TEST(InputRequest, AResourceThatIsNotThereIsNotFoundWhateverItsPluginSays) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("look", "", [](mcp::Context& context) -> std::string {
      try {
        return context.read_resource("r://a").at(0).text;
      } catch (const mcp::NotFound& error) {
        return "no " + error.uri();
      }
    });
    plugin.tool("ask", "", [](mcp::Context& context) -> std::string {
      const auto answers = context.ask({{"it", mcp::resource("r://b")}});
      try {
        return answers.resource("it").at(0).text;
      } catch (const mcp::NotFound& error) {
        return "no " + error.uri();
      }
    });
    plugin.resource("copy://a", "copy", "",
                    [](mcp::Context& context) { return context.read_resource("r://a").at(0).text; });
  });
  const Json gone{{"error", {{"code", mcp::resource_not_found}, {"message", "There is no resource of this name"}}}};
  const auto answer = [&](const Json&) { return gone; };
  EXPECT_EQ(harness.call_tool("look", Json::object(), answer).text(), "no r://a");
  EXPECT_EQ(harness.call_tool("ask", Json::object(), answer).text(), "no r://b");
  const auto asked = harness.read("copy://a").json["inputRequests"];
  const auto copied =
      harness.invoke("resources/read", {{"uri", "copy://a"}, {"inputResponses", {{asked.begin().key(), gone}}}});
  EXPECT_EQ(copied.error_code(), mcp::resource_not_found);
}

TEST(InputRequest, LeavesTheHandlerUntilItIsAnswered) {
  int began = 0;
  int ended = 0;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.tool("order", "", [&](mcp::Context& context) {
      ++began;
      const auto pizza = context.elicit<Pizza>("Which pizza?").value();
      ++ended;
      return std::to_string(pizza.count) + (pizza.size == Size::Large ? " large" : " small") + " with " +
             std::to_string(pizza.toppings.size()) + (pizza.first ? " and a first" : "");
    });
  });
  EXPECT_EQ(harness.call_tool("order").kind, MCP_OUTCOME_INPUT_REQUIRED);
  EXPECT_EQ(began, 1);
  EXPECT_EQ(ended, 0);
  const auto outcome = harness.call_tool("order", Json::object(), [](const Json& request) {
    EXPECT_EQ(request["params"]["message"], "Which pizza?");
    return accept({{"size", "large"}, {"toppings", {"olives", "cheese"}}});
  });
  EXPECT_EQ(outcome.text(), "1 large with 2");
  EXPECT_EQ(ended, 1);
}

TEST(InputRequest, TellsWhatTheUserDid) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("ask", "", [](mcp::Context& context) -> std::string {
      const auto answer = context.elicit<Yes>("Go on?");
      if (answer) return answer->yes ? "yes" : "no";
      return answer.action() == mcp::ElicitAction::Decline ? "declined" : "closed";
    });
    plugin.tool("insist", "", [](mcp::Context& context) { return context.elicit<Yes>("Go on?").value().yes; });
    plugin.tool("page", "", [](mcp::Context& context) {
      return context.elicit_url("Sign in", "https://example.com/") == mcp::ElicitAction::Accept ? "opened"
                                                                                                : "not opened";
    });
  });
  const auto answer_with = [](Json answer) { return [answer](const Json&) { return answer; }; };
  const auto text = [&](const char* tool, const Json& answer) {
    return harness.call_tool(tool, Json::object(), answer_with(answer)).text();
  };
  EXPECT_EQ(text("ask", accept({{"yes", true}})), "yes");
  EXPECT_EQ(text("ask", accept({{"yes", false}})), "no");
  EXPECT_EQ(text("ask", {{"action", "decline"}}), "declined");
  EXPECT_EQ(text("ask", {{"action", "cancel"}}), "closed");
  EXPECT_EQ(text("page", {{"action", "accept"}}), "opened");
  const auto insisted = harness.call_tool("insist", Json::object(), answer_with({{"action", "decline"}}));
  EXPECT_EQ(insisted.text(), "The user declined to answer.");
  EXPECT_FALSE(insisted.ok());
}

TEST(InputRequest, MayFollowAnotherAndBeTheSameAgain) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("count", "", [](mcp::Context& context) {
      int count = 0;
      while (context.elicit<Yes>("Another?").value().yes)
        ++count;
      return std::to_string(count) + (context.elicit<Yes>("Sure?").value().yes ? "!" : "?");
    });
  });
  int asked = 0;
  const auto outcome = harness.call_tool("count", Json::object(), [&](const Json& request) {
    if (request["params"]["message"] == "Sure?") return accept({{"yes", true}});
    return accept({{"yes", ++asked < 4}});
  });
  EXPECT_EQ(outcome.text(), "3!");
}

TEST(InputRequest, ThatSaysSomethingElseIsAnother) {
  bool first = true;
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.tool("ask", "", [&](mcp::Context& context) {
      return context.elicit<Yes>(first ? "Delete 1 file?" : "Delete 7 files?").value().yes;
    });
  });
  const auto asked = harness.call_tool("ask").json["inputRequests"];
  first = false;
  const auto again = harness.call_tool("ask", Json::object(), {{asked.begin().key(), accept({{"yes", true}})}});
  ASSERT_EQ(again.kind, MCP_OUTCOME_INPUT_REQUIRED);
  EXPECT_NE(again.json["inputRequests"].begin().key(), asked.begin().key());
}

TEST(InputRequest, SeveralAtOnceAreFoundByTheirNames) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("ask", "", [](mcp::Context& context) {
      const auto answers = context.ask({{"form", mcp::form<Yes>("Go on?")},
                                        {"model", mcp::Sampling(10).user("Hi")},
                                        {"roots", mcp::root_list()},
                                        {"page", mcp::web_page("Sign in", "https://example.com/")}});
      const auto sampled = answers.sampled("model");
      const auto roots = answers.roots("roots");
      EXPECT_THROW(answers.json("other"), std::out_of_range);
      EXPECT_EQ(sampled.tool_uses().at(0).name, "add");
      EXPECT_EQ(sampled.tool_uses().at(0).id, "u1");
      EXPECT_EQ(sampled.tool_uses().at(0).input->dump(), R"({"a":1})");
      return sampled.text() + '|' + sampled.model() + '|' + sampled.stop_reason() + '|' + roots.at(0).uri +
             roots.at(0).name + roots.at(1).name + '|' +
             (answers.web_page("page") == mcp::ElicitAction::Cancel ? "closed" : "");
    });
  });
  const auto asked = harness.call_tool("ask").json["inputRequests"];
  EXPECT_EQ(asked.size(), 4U);
  const Json blocks = {{{"type", "text"}, {"text", "a"}},
                       {{"type", "tool_use"}, {"id", "u1"}, {"name", "add"}, {"input", {{"a", 1}}}},
                       {{"type", "text"}, {"text", "b"}}};
  const Json responses = {
      {"form", accept({{"yes", true}})},
      {"model", {{"role", "assistant"}, {"model", "m"}, {"stopReason", "toolUse"}, {"content", blocks}}},
      {"roots", {{"roots", {{{"uri", "file:///a"}, {"name", "A"}}, {{"uri", "file:///b"}}}}}}};
  // What is missing is asked for alone.
  const auto rest = harness.call_tool("ask", Json::object(), responses).json["inputRequests"];
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_TRUE(rest.contains("page"));
  auto all = responses;
  all["page"] = {{"action", "cancel"}};
  EXPECT_EQ(harness.call_tool("ask", Json::object(), all).text(), "a\nb|m|toolUse|file:///aA|closed");
}

TEST(InputRequest, IsForPromptsResourcesAndAsynchronousToolsToo) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.prompt("p", "", [](mcp::Context& context) { return context.roots().empty() ? "none" : "some"; });
    plugin.resource("r://", "r", "", [](mcp::Context& context) { return context.roots().empty() ? "none" : "some"; });
    plugin.async_tool("t", "", [](mcp::Call call) {
      const bool empty = call.roots().empty();
      call.complete(empty ? "none" : "some");
    });
  });
  const auto prompt = harness.get_prompt("p");
  ASSERT_EQ(prompt.kind, MCP_OUTCOME_INPUT_REQUIRED);
  const auto name = prompt.json["inputRequests"].begin().key();
  EXPECT_EQ(prompt.json["inputRequests"][name], (Json{{"method", "roots/list"}, {"params", Json::object()}}));
  EXPECT_EQ(harness.read("r://").kind, MCP_OUTCOME_INPUT_REQUIRED);
  const Json responses = {{name, {{"roots", Json::array()}}}};
  EXPECT_EQ(harness.invoke("prompts/get", {{"name", "p"}, {"inputResponses", responses}}).text(), "none");
  EXPECT_EQ(harness.invoke("resources/read", {{"uri", "r://"}, {"inputResponses", responses}}).text(), "none");
  EXPECT_EQ(harness.call_tool("t").kind, MCP_OUTCOME_INPUT_REQUIRED);
  EXPECT_EQ(harness.call_tool("t", Json::object(), responses).text(), "none");
}

TEST(InputRequest, IsNotCaughtWithTheExceptionsOfAHandler) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("ask", "", [](mcp::Context& context) -> std::string {
      try {
        return std::to_string(context.roots().size());
      } catch (const std::exception&) {
        return "caught";
      }
    });
  });
  EXPECT_EQ(harness.call_tool("ask").kind, MCP_OUTCOME_INPUT_REQUIRED);
}

// Of every kind of handler: it would answer without having asked anybody.
TEST(InputRequest, ThatIsCaughtFailsTheCallInWords) {
  Harness harness([](mcp::Plugin& plugin) {
    const auto count = [](mcp::Context& context) -> std::string {
      try {
        return std::to_string(context.roots().size());
      } catch (...) {
        return "caught";
      }
    };
    plugin.tool("tool", "", count);
    plugin.resource("r://", "r", "", count);
    plugin.prompt("prompt", "", count);
    plugin.tool("throws", "", [](mcp::Context& context) {
      try {
        return context.roots().size();
      } catch (...) {
        throw std::runtime_error("it did not work");
      }
    });
    plugin.async_tool("async", "", [count](mcp::Call call) { call.complete(count(call)); });
    plugin.async_tool("async_fails", "", [](mcp::Call call) {
      try {
        call.roots();
      } catch (...) {
        call.fail("it did not work");
      }
    });
    plugin.tool("throws_on", "", [](mcp::Context& context) {
      try {
        return context.roots().size();
      } catch (...) {
        throw;
      }
    });
  });
  const std::string words =
      "The handler caught the exception by which it asks the client (context.elicit, elicit_url, sample, roots or "
      "ask): do not catch (...) around an input request, or throw it on with \"throw;\".";
  for (const char* tool : {"tool", "throws", "async", "async_fails"}) {
    const auto outcome = harness.call_tool(tool);
    EXPECT_FALSE(outcome.ok()) << tool;
    EXPECT_EQ(outcome.text(), words) << tool;
  }
  for (const auto& outcome : {harness.read("r://"), harness.get_prompt("prompt")}) {
    EXPECT_EQ(outcome.kind, MCP_OUTCOME_ERROR);
    EXPECT_EQ(outcome.json["message"], words);
  }
  EXPECT_EQ(harness.call_tool("throws_on").kind, MCP_OUTCOME_INPUT_REQUIRED);
}

}  // namespace
