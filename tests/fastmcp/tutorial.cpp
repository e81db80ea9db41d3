// The half of docs/from-fastmcp.md in C++; tutorial.py is FastMCP's. What follows a mark is that section's.
// section: header
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <variant>

#include <mcp/plugin.hpp>

using namespace std::string_literals;

// section: greet, enum
enum class Tone { warm, dry };

// section: dataclass
struct Person {
  std::string name;
  int age;
  std::optional<std::string> email;
};

static Person birthday(const Person& person) {
  return {person.name, person.age + 1, person.email};
}

// section: nested
struct Team {
  Person leader;
  std::vector<Person> members;
};

static Team promote(const Team& team) {
  return {team.members.at(0), {team.members.begin() + 1, team.members.end()}};
}

// section: union, date
struct Booking {
  std::chrono::sys_days day;
  std::variant<int, std::string> seat;
};

// section: async, progress, log
static std::string copy(const std::vector<std::string>& files, mcp::Context& context) {
  for (int done = 0; const auto& file : files)
    context.progress(++done, static_cast<double>(files.size()), file);
  context.info("copied");
  return std::to_string(files.size()) + " copied";
}

// section: error
static double divide(double a, double b) {
  if (b == 0) throw mcp::ToolError("Nothing can be divided by zero.");
  return a / b;
}

// section: prompt messages
static mcp::Messages debug(const std::string& error) {
  return {mcp::user("What is wrong? " + error), mcp::assistant("When was that?")};
}

// section: typed prompt argument
static std::string quiz(const std::string& topic, int count) {
  return std::to_string(count) + " questions on " + topic + ", please.";
}

// section: elicit
struct Pizza {
  std::string name, size;
  int count;
  static constexpr auto fields() {
    return std::tuple{mcp::field(&Pizza::name, "Whom it is for").title("Name"),
                      mcp::field(&Pizza::size).one_of("small", "large"),
                      mcp::field(&Pizza::count).min(1).max(9).default_value(1)};
  }
};

// section: sets, tuples
static std::set<int> between(const std::set<int>& numbers, const std::pair<int, int>& bounds) {
  return {numbers.lower_bound(bounds.first), numbers.upper_bound(bounds.second)};
}

// section: variants
struct Circle {
  double radius;
};

struct Box {
  double width, height;
};

static double width_of(const std::variant<Circle, Box>& shape) {
  const auto* circle = std::get_if<Circle>(&shape);
  return circle ? 2 * circle->radius : std::get<Box>(shape).width;
}

// section: header
static void setup(mcp::Plugin& plugin) {
  // The indented lines of the sections stand here.

  // section: lifespan
  const auto notes = std::make_shared<std::map<int, std::string>>();
  plugin.on_start([notes] { *notes = {{1, "buy milk"}, {2, "call Ada"}}; });
  plugin.on_stop([notes] { notes->clear(); });

  // section: add
  plugin.tool(
      "add", "Adds two numbers.", [](int a, int b) { return a + b; }, mcp::arg("a"), mcp::arg("b"));

  // section: greet, enum
  plugin.tool(
      "greet", "Greets somebody.",
      [](const std::string& name, Tone tone) { return tone == Tone::warm ? "Dear " + name + "!" : name + "."; },
      mcp::arg("name"), mcp::arg("tone").default_value(Tone::warm));

  // section: constraints
  plugin.tool(
      "resize", "Resizes a picture.",
      [](const std::string& file, int width) { return file + " is " + std::to_string(width) + " pixels wide"; },
      mcp::arg("file", "The picture").pattern("\\.png$").max_length(80),
      mcp::arg("width", "In pixels").min(1).max(2000).default_value(800));

  // section: choices
  plugin.tool(
      "hello", "Says hello.", [](std::string_view language) { return language == "de" ? "Hallo!" : "Hello!"; },
      mcp::arg("language").one_of("en", "de").default_value("en"));

  // section: dataclass
  plugin.tool("birthday", "Makes somebody a year older.", birthday, mcp::arg("person"));

  // section: nested
  plugin.tool("promote", "Makes the first member the leader.", promote, mcp::arg("team"));

  // section: union, date
  plugin.tool("rebook", "Moves a booking to the next day.", [](const Booking& old) {
    return Booking{old.day + std::chrono::days(1), old.seat};
  });

  // section: image
  plugin.tool("picture", "A picture.", [] { return mcp::image("\x89PNG"s, "image/png"); });

  // section: ToolResult
  plugin.tool("check", "Checks that all is well.", [] {
    return mcp::ToolResult().text("All is well.").structured(mcp::Json{{"faults", 0}}).meta({{"ms", 3}});
  });

  // section: async, progress, log
  plugin.tool("copy", "Copies files.", copy, mcp::arg("files"));

  // section: error
  plugin.tool("divide", "Divides one number by another.", divide, mcp::arg("a"), mcp::arg("b"));

  // section: annotations
  plugin
      .tool(
          "double", "Doubles a number.", [](int number) { return 2 * number; }, mcp::arg("number"))
      .title("Double it")
      .read_only()
      .open_world(false);

  // section: lifespan use
  plugin.tool(
      "note", "One of the notes.", [notes](int number) { return notes->at(number); }, mcp::arg("number"));

  // section: add a tool at run time
  plugin.tool("unlock", "Adds a tool.", [&plugin] {
    plugin.tool("open_safe", "Opens the safe.", [] { return "opened"; });
    plugin.components_changed();
  });

  // section: resource
  plugin.resource("config://version", "version", "The version.", [] { return "1.0.0"; });

  // section: binary
  plugin.resource("config://logo", "logo", "The logo.", [] { return mcp::blob_resource("\x89PNG"s, "image/png"); });

  // section: template
  plugin.resource_template("users://{name}", "user", "One user.",
                           [](const std::string& name) { return name + " is a user."; });

  // section: typed variable
  plugin.resource_template("squares://{number}", "square", "The square of a number.",
                           [](int number) { return std::to_string(number * number); });

  // section: wildcard
  plugin.resource_template("docs://{path*}", "document", "One document.",
                           [](const std::string& path) { return "This is " + path + "."; });

  // section: wildcard in the middle
  plugin.resource_template("repos://{path*}/license", "license", "The license of a repository.",
                           [](const std::string& path) { return path + " is free."; });

  // section: query
  plugin.resource_template("search://notes{?words,limit}", "search", "Finds notes.",
                           [](const std::optional<std::string>& words, std::optional<int> limit) {
                             return std::to_string(limit.value_or(10)) + " notes of " + words.value_or("");
                           });

  // section: prompt
  plugin.prompt_text("explain", "Asks for an explanation.", "Explain {topic} to a child.");

  // section: prompt messages
  plugin.prompt("debug", "Asks what is wrong.", debug, mcp::arg("error"));

  // section: typed prompt argument
  plugin.prompt("quiz", "Asks for a quiz.", quiz, mcp::arg("topic"), mcp::arg("count").default_value(3));

  // section: elicit
  plugin.tool("order", "Orders a pizza.", [](mcp::Context& context) {
    const auto pizza = context.elicit<Pizza>("What shall it be?");
    if (!pizza) return "Nothing was ordered."s;
    return std::to_string(pizza->count) + " " + pizza->size + " for " + pizza->name;
  });

  // section: elicit a scalar
  plugin.tool("clear", "Clears all.", [](mcp::Context& context) {
    const auto sure = context.elicit<bool>("Really?");
    return sure && *sure ? "cleared" : "kept";
  });

  // section: sampling
  plugin.tool(
      "poem", "Has the client's model write a poem.",
      [](const std::string& topic, mcp::Context& context) {
        return context.sample(mcp::Sampling(200).system_prompt("You are terse.").user("A poem on " + topic)).text();
      },
      mcp::arg("topic"));

  // section: times, durations
  plugin.tool(
      "finish", "When something ends.",
      [](std::chrono::sys_seconds start, std::chrono::seconds takes) { return start + takes; }, mcp::arg("start"),
      mcp::arg("takes"));

  // section: paths, UUIDs
  plugin.tool(
      "place", "Where the file of an id lies.",
      [](const std::filesystem::path& folder, const mcp::Uuid& id) { return folder / id.text(); }, mcp::arg("folder"),
      mcp::arg("id"));

  // section: sets, tuples
  plugin.tool("between", "Those of the numbers that are between two others.", between, mcp::arg("numbers"),
              mcp::arg("bounds"));

  // section: variants
  plugin.tool("width_of", "How wide a shape is.", width_of, mcp::arg("shape"));

  // section: bytes
  plugin.tool(
      "size_of", "The size of data.", [](const std::vector<std::byte>& data) { return data.size(); }, mcp::arg("data"));

  // section: header
}

MCP_PLUGIN("tutorial", "1.0.0", setup)
