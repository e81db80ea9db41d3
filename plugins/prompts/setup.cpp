#include "prompts/setup.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin/typed.hpp>

#include "prompts/code_language.hpp"

namespace plugins::prompts {
namespace {

// A greeting around a name, which may be left out.
struct Style {
  std::string_view name;
  std::string_view opening;
  std::string_view before_name;
  std::string_view rest;
};

constexpr std::array styles{
    Style{"formal", "Good day", ", ", ". It is a pleasure to welcome you. How may I be of assistance today?"},
    Style{"casual", "Hey", " ", "! Good to see you. What are we up to today?"},
    Style{"friendly", "Hello", " ", "! \U0001F44B It is lovely to have you here. What would you like to do today?"},
    Style{"pirate", "Ahoy", ", ", "! Welcome aboard. Which way do we sail today?"},
};

std::vector<std::string> style_names() {
  std::vector<std::string> names;
  names.reserve(std::size(styles));
  for (const Style& style : styles)
    names.emplace_back(style.name);
  return names;
}

// Expects one of style_names, which the prompt's argument is limited to.
const Style& style_named(std::string_view name) {
  return *std::find_if(styles.begin(), styles.end(), [name](const Style& style) { return style.name == name; });
}

mcp::Message greeting(const mcp::Arguments& given) {
  const Style& style = style_named(given.value_or("style", "friendly"));
  std::string text(style.opening);
  if (given.has("name")) text.append(style.before_name).append(given["name"]);
  return mcp::assistant(text.append(style.rest));
}

mcp::Messages code_review(const mcp::Arguments& given) {
  const CodeLanguage language = code_language(given["language"]);
  std::string request = "Review the ";
  if (!language.name.empty()) request += std::string(language.name) + ' ';
  request += "code in the attached resource.";
  if (given.has("focus")) request += " Look at this above all: " + given["focus"] + '.';
  request +=
      "\n\nReport what is wrong before what could be nicer: bugs, security holes, undefined or surprising behaviour, "
      "missing error handling, then clarity and simplicity. For each finding give the place, what happens because of "
      "it, and the corrected lines. If you are not sure of something, say so and say what would settle it. If the code "
      "is good, say that in one sentence and stop.";
  const std::string uri = "snippet://code." + std::string(language.file_ending);
  return {mcp::user(request), mcp::user(mcp::embedded(uri, language.mime_type, given["code"]))};
}

mcp::Message summarize(const mcp::Arguments& given) {
  return mcp::user("Summarize the text below in " + given.value_or("length", "one paragraph") + ", for " +
                   given.value_or("audience", "a reader who does not know the subject") +
                   ". Begin with the most important point. Keep names, numbers and dates as they are, add nothing that "
                   "the text does not say, and tell it apart when the text is unsure of something.\n\n---\n" +
                   given["text"]);
}

mcp::Message explain_error(const mcp::Arguments& given) {
  std::string request =
      "Explain the error message below: what it means in plain words, its most likely cause here, how to confirm that "
      "cause, and how to fix it. If several causes are plausible, order them by likelihood, with a check for each.\n\n"
      "Error message:\n" +
      given["error"];
  if (given.has("context")) request += "\n\nWhat led to it:\n" + given["context"];
  return mcp::user(request);
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  plugin
      .prompt("greeting", "A greeting for somebody, in a style of your choice",
              {mcp::arg("name", "Whom to greet. Left out: nobody by name"),
               mcp::arg("style", "Left out: friendly").one_of(style_names())},
              greeting)
      .title("Greeting");
  plugin
      .prompt("code_review", "A thorough review of a piece of code",
              {mcp::arg("code", "The code").required(), mcp::arg("language", "Its language, such as C++ or Python"),
               mcp::arg("focus", "What matters most, such as thread safety")},
              code_review)
      .title("Code review")
      .complete("language", code_language_names());
  plugin
      .prompt("summarize", "A faithful summary of a text",
              {mcp::arg("text", "The text").required(), mcp::arg("audience", "Who is going to read it"),
               mcp::arg("length", "Such as \"three bullet points\". Left out: one paragraph")},
              summarize)
      .title("Summary");
  plugin
      .prompt("explain_error", "What an error message means and what to do",
              {mcp::arg("error", "The message, with its stack trace if there is one").required(),
               mcp::arg("context", "What you did, and the code or command that it is about")},
              explain_error)
      .title("Explain an error");
}

}  // namespace plugins::prompts
