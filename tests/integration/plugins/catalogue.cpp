// One of everything that a client can list, call, read and get.
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin.hpp>

namespace {

constexpr std::array<std::uint8_t, 4> bytes = {0x00, 0x01, 0xfe, 0xff};

enum class Unit { Celsius, Fahrenheit };
constexpr auto mcp_enum(Unit) {
  return mcp::enum_names<Unit>({{Unit::Celsius, "celsius"}, {Unit::Fahrenheit, "fahrenheit"}});
}

struct Place {
  std::string city;
  std::optional<std::string> country;
  static constexpr auto fields() {
    return std::tuple{mcp::field("city", &Place::city, "Its name").min_length(1).max_length(20),
                      mcp::field("country", &Place::country, "If the name is not enough")};
  }
};

struct Forecast {
  Place place;
  int days = 3;
  Unit unit = Unit::Celsius;
  static constexpr auto fields() {
    return std::tuple{mcp::field("place", &Forecast::place, "Where"),
                      mcp::field("days", &Forecast::days, "How many").min(1).max(7).default_value(3),
                      mcp::field("unit", &Forecast::unit, "Of temperatures").default_value(Unit::Celsius)};
  }
};

mcp::Contents all_contents() {
  return {mcp::text("text"), mcp::image(bytes, "image/png"), mcp::audio(bytes, "audio/wav"),
          mcp::resource_link("catalogue://text", "text"), mcp::embedded("catalogue://text", "text/plain", "embedded")};
}

std::map<std::string, std::string> who_is_calling(mcp::Context& context) {
  const auto known = context.request_context();
  const auto deadline = context.deadline();
  return {{"protocolVersion", known.value("protocolVersion", std::string())},
          {"client", known.value("client", mcp::Json::object()).value("name", std::string())},
          {"principal", context.caller().id},
          {"traceparent", context.trace().value_or(mcp::TraceContext{}).traceparent},
          {"deadline", deadline && *deadline > std::chrono::system_clock::now() ? "to come" : "none"}};
}

// More than a client is told at once.
std::vector<std::string> many_notes() {
  std::vector<std::string> notes;
  for (int i = 1; i <= 150; ++i)
    notes.push_back("note" + std::to_string(i));
  return notes;
}

void setup(mcp::Plugin& plugin) {
  plugin.instructions("One of everything.");

  plugin
      .tool(
          "add", "Adds two numbers.", [](double a, double b) { return a + b; }, mcp::arg("a", "First addend"),
          mcp::arg("b", "Second addend"))
      .title("Add")
      .read_only();
  plugin.tool("forecast", "Returns what it was asked.", [](const Forecast& asked) { return asked; });
  plugin.tool("contents", "Returns every kind of content.", all_contents);
  plugin.tool("caller", "Says who is calling.", who_is_calling);
  plugin.tool("ask_name", "Asks the user.", [](mcp::Context& context) {
    const auto answers = context.input_responses();
    if (answers.contains("name")) return mcp::ToolResult().text(mcp::dump_json(answers["name"]));
    return mcp::input_required(
        {{"name",
          {{"method", "elicitation/create"},
           {"params",
            {{"message", "Name?"}, {"requestedSchema", {{"type", "object"}, {"properties", mcp::Json::object()}}}}}}}});
  });

  plugin.resource("catalogue://text", "text", "A text.", [] { return "text"; }).mime_type("text/plain").size(4);
  plugin.resource("catalogue://bytes", "bytes", "Four bytes.", [] { return mcp::blob_resource(bytes); })
      .mime_type("application/octet-stream");
  plugin.resource("catalogue://cached", "cached", "May be kept.", [] { return "kept"; })
      .cache(std::chrono::minutes(1), mcp::CacheScope::Public);
  plugin
      .resource_template("catalogue://notes/{name}", "note", "A note.",
                         [](const mcp::Uri& uri) -> std::optional<std::string> {
                           if (uri["name"] == "missing") return std::nullopt;
                           return "Note " + uri["name"];
                         })
      .complete("name", many_notes());
  plugin.resource_template("catalogue-files://*", "file", "A file.",
                           [](const mcp::Uri& uri) { return "File " + uri["*"]; });
  plugin.resource_template("catalogue://other/{+path}", "other", "Another.",
                           [](const mcp::Uri& uri) { return "Other " + uri["path"]; });

  plugin
      .prompt("review", "Asks for a review.", {mcp::arg("code", "The code").required(), mcp::arg("style", "A style")},
              [](const mcp::Arguments& arguments) {
                return mcp::user("Review in " + arguments.value_or("style", "plain") + " style: " + arguments["code"]);
              })
      .complete("style", {"brief", "broad", "thorough"})
      .complete("code", [](std::string_view typed, const mcp::Arguments& chosen) {
        return std::vector<std::string>{std::string(typed) + " in " + chosen.value_or("style", "any") + " style"};
      });
  plugin.prompt("dialogue", "Two messages.", [] { return mcp::Messages{mcp::user("Hello"), mcp::assistant("Hi")}; });
  plugin.prompt_text("greet", "Greets.", "Hello {name}").title("Greet");
}

}  // namespace

MCP_PLUGIN("catalogue", "1.0.0", setup,
           mcp::About{.id = "org.example.catalogue",
                      .vendor = "Example",
                      .description = "One of everything.",
                      .url = "https://example.org/catalogue"})
