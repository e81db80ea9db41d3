// JSON Schema from C++ types, and values through them: what clients are told, and what handlers get.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

#include "unchecked.hpp"

namespace {

using mcp::Json;
using mcp::testing::Harness;

/// The input schema of the first tool.
std::string input_schema(const Harness& harness) {
  return harness.describe()["tools"][0]["inputSchema"].dump();
}

std::string property(const Harness& harness, const std::string& name) {
  return harness.describe()["tools"][0]["inputSchema"]["properties"][name].dump();
}

/// The reason for which setup refuses.
std::string setup_refusal(const std::function<void(mcp::Plugin&)>& setup) {
  try {
    const Harness harness(setup);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

template <class T>
struct Holder {
  T member;
};

template <class T, auto Value>
concept HasDefault = requires {
  typename std::bool_constant<(static_cast<void>(mcp::field("a", &Holder<T>::member).default_value(Value)), true)>;
};
template <class T, auto Twice>
concept HasHalfAsDefault = requires {
  typename std::bool_constant<(static_cast<void>(mcp::field("a", &Holder<T>::member).default_value(Twice / 2.0)),
                               true)>;
};

// A default that the type does not have is no constant.
static_assert(HasDefault<std::int8_t, 127> && !HasDefault<std::int8_t, 300>);
static_assert(HasDefault<unsigned, 1> && !HasDefault<unsigned, -1>);
static_assert(HasHalfAsDefault<int, 4> && !HasHalfAsDefault<int, 5>);

TEST(Schema, PlainParametersInTheirOrder) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "", [](const std::string&, double, bool, int, std::optional<int>) {}, mcp::arg("zebra", "A text"),
        mcp::arg("apple"), mcp::arg("mango"), mcp::arg("fig"), mcp::arg("kiwi", "May be left out"));
  });
  EXPECT_EQ(input_schema(harness),
            R"({"type":"object","properties":{)"
            R"("zebra":{"type":"string","description":"A text"},"apple":{"type":"number"},"mango":{"type":"boolean"},)"
            R"("fig":{"type":"integer"},"kiwi":{"type":"integer","description":"May be left out"}},)"
            R"("required":["zebra","apple","mango","fig"],"additionalProperties":false})");
}

TEST(Schema, NoParameters) {
  const Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [](mcp::Context&) {}); });
  EXPECT_EQ(input_schema(harness), R"({"type":"object","properties":{},"additionalProperties":false})");
}

TEST(Schema, IntegersOfEveryWidth) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "",
        [](std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
           std::uint64_t, float, long double) {},
        mcp::arg("i8"), mcp::arg("u8"), mcp::arg("i16"), mcp::arg("u16"), mcp::arg("i32"), mcp::arg("u32"),
        mcp::arg("i64"), mcp::arg("u64"), mcp::arg("f"), mcp::arg("ld"));
  });
  EXPECT_EQ(property(harness, "i8"), R"({"type":"integer","minimum":-128,"maximum":127})");
  EXPECT_EQ(property(harness, "u8"), R"({"type":"integer","minimum":0,"maximum":255})");
  EXPECT_EQ(property(harness, "i16"), R"({"type":"integer","minimum":-32768,"maximum":32767})");
  EXPECT_EQ(property(harness, "u16"), R"({"type":"integer","minimum":0,"maximum":65535})");
  EXPECT_EQ(property(harness, "i32"), R"({"type":"integer"})");
  EXPECT_EQ(property(harness, "u32"), R"({"type":"integer","minimum":0})");
  EXPECT_EQ(property(harness, "i64"), R"({"type":"integer"})");
  EXPECT_EQ(property(harness, "u64"), R"({"type":"integer","minimum":0})");
  EXPECT_EQ(property(harness, "f"), R"({"type":"number"})");
  EXPECT_EQ(property(harness, "ld"), R"({"type":"number"})");
}

TEST(Schema, ListsMapsAndAnything) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "",
        [](const std::vector<std::string>&, const std::map<std::string, int>&,
           const std::unordered_map<std::string, std::vector<bool>>&, const std::vector<std::optional<int>>&,
           const Json&) {},
        mcp::arg("list").min_items(1).max_items(3), mcp::arg("map"), mcp::arg("hash"), mcp::arg("holes"),
        mcp::arg("any"));
  });
  EXPECT_EQ(property(harness, "list"), R"({"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3})");
  EXPECT_EQ(property(harness, "map"), R"({"type":"object","additionalProperties":{"type":"integer"}})");
  EXPECT_EQ(property(harness, "hash"),
            R"({"type":"object","additionalProperties":{"type":"array","items":{"type":"boolean"}}})");
  EXPECT_EQ(property(harness, "holes"), R"({"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"null"}]}})");
  EXPECT_EQ(property(harness, "any"), R"({})");
}

TEST(Schema, ModifiersOfArguments) {
  const Harness harness([](mcp::Plugin& plugin) {
    const std::vector<std::string> from_configuration{"red", "green"};
    plugin.tool(
        "t", "", [](int, double, const std::string&, const std::string&, const std::string&, int) {},
        mcp::arg("a").min(1).max(10).default_value(5), mcp::arg("b").min(-0.5).max(0.5),
        mcp::arg("c").min_length(1).max_length(8).pattern("^[a-z]\\d$"), mcp::arg("d").one_of("x", "y").header("D"),
        mcp::arg("e").one_of(from_configuration), mcp::arg("f").one_of(1, 2));
  });
  EXPECT_EQ(property(harness, "a"), R"({"type":"integer","minimum":1,"maximum":10,"default":5})");
  EXPECT_EQ(property(harness, "b"), R"({"type":"number","minimum":-0.5,"maximum":0.5})");
  EXPECT_EQ(property(harness, "c"), R"({"type":"string","minLength":1,"maxLength":8,"pattern":"^[a-z]\\d$"})");
  EXPECT_EQ(property(harness, "d"), R"({"type":"string","enum":["x","y"],"x-mcp-header":"D"})");
  EXPECT_EQ(property(harness, "e"), R"({"type":"string","enum":["red","green"]})");
  EXPECT_EQ(property(harness, "f"), R"({"type":"integer","enum":[1,2]})");
  EXPECT_EQ(harness.describe()["tools"][0]["inputSchema"]["required"].dump(), R"(["b","c","d","e","f"])");
}

enum class Unit { Celsius, Fahrenheit };
constexpr auto mcp_enum(Unit) {
  return mcp::enum_names<Unit>({{Unit::Celsius, "celsius"}, {Unit::Fahrenheit, "fahrenheit"}});
}

struct Point {
  double x = 0;
  double y = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("x", &Point::x, "Across").min(-1).max(1), mcp::field("y", &Point::y)};
  }
};

struct Everything {
  Point point;
  Unit unit = Unit::Fahrenheit;
  std::vector<Point> path;
  std::map<std::string, Unit> units;
  std::optional<std::string> note;
  int count = 0;
  std::uint8_t small = 0;
  bool flag = false;
  std::string size;
  static constexpr auto fields() {
    return std::tuple{mcp::field("point", &Everything::point, "Where"),
                      mcp::field("unit", &Everything::unit).default_value(Unit::Celsius),
                      mcp::field("path", &Everything::path).min_items(1).max_items(7),
                      mcp::field("units", &Everything::units),
                      mcp::field("note", &Everything::note).min_length(1).max_length(80).pattern("^[a-z]+$"),
                      mcp::field("count", &Everything::count).default_value(3).one_of(1, 2, 3),
                      mcp::field("small", &Everything::small).min(1).default_value(200),
                      mcp::field("flag", &Everything::flag).default_value(true).header("Flag"),
                      mcp::field("size", &Everything::size).one_of("small", "large").default_value("small")};
  }
};

void everything(mcp::Plugin& plugin) {
  plugin.tool("t", "", [](const Everything& in) { return in; });
}

TEST(Schema, DescribedStructWithEverything) {
  const Harness harness(everything);
  EXPECT_EQ(input_schema(harness),
            R"({"type":"object","properties":{)"
            R"("point":{"type":"object","properties":{"x":{"type":"number","description":"Across","minimum":-1,)"
            R"("maximum":1},"y":{"type":"number"}},"required":["x","y"],"additionalProperties":false,)"
            R"("description":"Where"},)"
            R"("unit":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"},)"
            R"("path":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number",)"
            R"("description":"Across","minimum":-1,"maximum":1},"y":{"type":"number"}},"required":["x","y"],)"
            R"("additionalProperties":false},"minItems":1,"maxItems":7},)"
            R"("units":{"type":"object","additionalProperties":{"type":"string","enum":["celsius","fahrenheit"]}},)"
            R"("note":{"type":"string","minLength":1,"maxLength":80,"pattern":"^[a-z]+$"},)"
            R"("count":{"type":"integer","default":3,"enum":[1,2,3]},)"
            R"("small":{"type":"integer","minimum":1,"maximum":255,"default":200},)"
            R"("flag":{"type":"boolean","default":true,"x-mcp-header":"Flag"},)"
            R"("size":{"type":"string","default":"small","enum":["small","large"]}},)"
            R"("required":["point","path","units"],"additionalProperties":false})");
}

TEST(Schema, AResultPromisesEverythingThatIsNotOptional) {
  const Harness harness(everything);
  const auto schema = harness.describe()["tools"][0]["outputSchema"];
  EXPECT_EQ(schema["required"].dump(), R"(["point","unit","path","units","count","small","flag","size"])");
  EXPECT_FALSE(schema.contains("additionalProperties"));
}

TEST(Values, DefaultsAreFilledInAndFieldsKeepTheirOrder) {
  Harness harness(everything);
  const auto outcome = harness.call_tool(
      "t", {{"point", {{"x", 0.5}, {"y", 1}}}, {"path", {{{"x", 1}, {"y", 3}}}}, {"units", Json::object()}});
  EXPECT_EQ(
      outcome.text(),
      R"({"point":{"x":0.5,"y":1},"unit":"celsius","path":[{"x":1,"y":3}],"units":{},"count":3,"small":200,"flag":true,)"
      R"("size":"small"})");
}

TEST(Values, EverythingComesBack) {
  Harness harness(everything);
  const Json in = Json::parse(R"({"point":{"x":1,"y":2},"unit":"fahrenheit","path":[{"x":0.25,"y":-3}],
    "units":{"a":"celsius"},"note":"abc","count":2,"small":7,"flag":false,"size":"large"})");
  EXPECT_EQ(harness.call_tool("t", in).structured(), in);
}

TEST(Values, NullIsTheSameAsAbsentForWhatNeedNotBeGiven) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "", [](std::optional<int> a, int b) { return std::to_string(a.value_or(-1)) + ' ' + std::to_string(b); },
        mcp::arg("a"), mcp::arg("b").default_value(4));
  });
  EXPECT_EQ(unchecked_call(harness, "t", {{"a", nullptr}, {"b", nullptr}}).text(), "-1 4");
  EXPECT_EQ(harness.call_tool("t").text(), "-1 4");
  EXPECT_EQ(harness.call_tool("t", {{"a", 1}, {"b", 2}}).text(), "1 2");
}

struct Node {
  std::string name;
  std::vector<Node> children;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &Node::name), mcp::field("children", &Node::children)};
  }
};

namespace plain {

enum class Colour { Red, Green, dark_blue = 7 };
enum Size : std::uint8_t { Small = 1, Large };

struct Part {
  std::string name;
  std::optional<int> count;
};

struct Whole {
  Colour colour;
  Size size;
  std::vector<Part> parts;
  std::optional<Part> spare;
  std::map<std::string, Colour> by_name;
  Json anything;
  std::vector<Whole> below;
};

/// What is said of the members is said under their names.
struct Said {
  std::string place;
  int days;
  static constexpr auto fields() {
    return std::tuple{mcp::field(&Said::place, "Where").min_length(1), mcp::field(&Said::days).max(7)};
  }
};

}  // namespace plain

TEST(Schema, AStructThatSaysNothingHasTheNamesOfItsMembers) {
  const Harness harness(
      [](mcp::Plugin& plugin) { plugin.tool("t", "", [](const plain::Whole& whole) { return whole; }); });
  EXPECT_EQ(
      input_schema(harness),
      R"({"type":"object","properties":{"colour":{"type":"string","enum":["Red","Green","dark_blue"]},)"
      R"("size":{"type":"string","enum":["Small","Large"]},)"
      R"("parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},)"
      R"("count":{"type":"integer"}},"required":["name"],"additionalProperties":false}},)"
      R"("spare":{"type":"object","properties":{"name":{"type":"string"},"count":{"type":"integer"}},)"
      R"("required":["name"],"additionalProperties":false},)"
      R"("by_name":{"type":"object","additionalProperties":{"type":"string","enum":["Red","Green","dark_blue"]}},)"
      R"("anything":{},"below":{"type":"array","items":{"$ref":"#"}}},)"
      R"("required":["colour","size","parts","by_name","anything","below"],"additionalProperties":false})");
}

TEST(Values, AStructThatSaysNothingComesBack) {
  Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [](const plain::Whole& whole) { return whole; }); });
  const auto given = Json::parse(R"({"colour":"dark_blue","size":"Large","parts":[{"name":"a","count":2},{"name":"b"}],
      "by_name":{"x":"Green"},"anything":[1,null],"below":[{"colour":"Red","size":"Small","parts":[],
      "spare":{"name":"c"},"by_name":{},"anything":null,"below":[]}]})");
  EXPECT_EQ(harness.call_tool("t", given).json["structuredContent"], given);
  EXPECT_EQ(unchecked_call(harness, "t", {{"colour", "blue"}}).text(),
            R"("colour" is "blue", not one of Red, Green, dark_blue)");
}

TEST(Schema, FieldsMayHaveTheNamesOfTheirMembers) {
  const Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [](const plain::Said&) {}); });
  EXPECT_EQ(input_schema(harness),
            R"({"type":"object","properties":{"place":{"type":"string","description":"Where","minLength":1},)"
            R"("days":{"type":"integer","maximum":7}},"required":["place","days"],"additionalProperties":false})");
}

namespace foreign {

enum class größe { klein, groß };
struct In {
  größe größe_in_cm;
  int $price;
  int straße;
  static constexpr auto fields() {
    return std::tuple{mcp::field(&In::größe_in_cm), mcp::field(&In::$price), mcp::field(&In::straße)};
  }
};
struct Plain {
  größe größe_in_cm;
  int $price;
  int straße;
};

}  // namespace foreign

TEST(Schema, NamesNeedNotBeAscii) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("fields", "", [](const foreign::In&) {});
    plugin.tool("plain", "", [](const foreign::Plain&) {});
  });
  constexpr auto schema = R"({"type":"object","properties":{"größe_in_cm":{"type":"string","enum":["klein","groß"]},)"
                          R"("$price":{"type":"integer"},"straße":{"type":"integer"}},)"
                          R"("required":["größe_in_cm","$price","straße"],"additionalProperties":false})";
  EXPECT_EQ(harness.describe()["tools"][0]["inputSchema"].dump(), schema);
  EXPECT_EQ(harness.describe()["tools"][1]["inputSchema"].dump(), schema);
}

namespace numbered {

enum class Wide { under = -129, least = -128, minus = -1, zero, end_of_first = 127, next, most = 255, over };
enum class Small : std::int8_t { least = -128, most = 127 };
enum class Byte : std::uint8_t { none, all = 255 };
enum class Letter : char { x = 'x' };
enum class Answer : bool { no, yes };
enum Plain : std::uint64_t { first = 200, beyond = 1ULL << 63U };
template <class, class>
struct Of {
  enum class Kind { one = 1, two };
};
// So that clang knows the values.
template struct Of<std::map<int, char>, std::function<void(int, int)>>;

}  // namespace numbered

template <class E>
std::string names() {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "", [](E value) { return value; }, mcp::arg("value"));
  });
  return harness.describe()["tools"][0]["inputSchema"]["properties"]["value"]["enum"].dump();
}

TEST(Schema, EnumsHaveTheNamesOfTheirValuesFromMinus128To255) {
  EXPECT_EQ(names<numbered::Wide>(), R"(["least","minus","zero","end_of_first","next","most"])");
  EXPECT_EQ(names<numbered::Small>(), R"(["least","most"])");
  EXPECT_EQ(names<numbered::Byte>(), R"(["none","all"])");
  EXPECT_EQ(names<numbered::Letter>(), R"(["x"])");
  EXPECT_EQ(names<numbered::Answer>(), R"(["no","yes"])");
  EXPECT_EQ(names<numbered::Plain>(), R"(["first"])");
  using Numeral = numbered::Of<std::map<int, char>, std::function<void(int, int)>>::Kind;
  EXPECT_EQ(names<Numeral>(), R"(["one","two"])");
}

TEST(Values, EnumsAreReadByTheirNames) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "", [](numbered::Wide value) { return std::to_string(static_cast<int>(value)); }, mcp::arg("value"));
  });
  const auto number = [&](const char* name) { return harness.call_tool("t", {{"value", name}}).text(); };
  EXPECT_EQ(number("least"), "-128");
  EXPECT_EQ(number("minus"), "-1");
  EXPECT_EQ(number("next"), "128");
  EXPECT_EQ(number("most"), "255");
}

/// Holds a union, which its own form hides.
struct Packed {
  union {
    int whole;
    float part;
  };
};

/// Has no default, and need not have one in a result.
class Ticket {
 public:
  explicit Ticket(int number) : number_(number) {}
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

template <>
struct mcp::JsonForm<Ticket> {
  using As = int;
  static Ticket from(int number) { return Ticket(number); }
  static int to(const Ticket& ticket) { return ticket.number(); }
};
template <>
struct mcp::JsonForm<Packed> {
  using As = int;
  static Packed from(int whole) { return {{whole}}; }
  static int to(const Packed& packed) { return packed.whole; }
};

namespace {

struct Drawn {
  std::string who;
  Ticket ticket;
  bool won;
};

struct Told {
  explicit Told(int at) : minute(at) {}
  int minute;
  static constexpr auto fields() { return std::tuple{mcp::field("minute", &Told::minute)}; }
};

TEST(Values, OfAResultNeedNoDefault) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("draw", "", [] { return Drawn{"Ada", Ticket(7), true}; });
    plugin.tool("tell", "", [] { return Told(8); });
  });
  EXPECT_EQ(harness.call_tool("draw").text(), R"({"who":"Ada","ticket":7,"won":true})");
  EXPECT_EQ(harness.call_tool("tell").text(), R"({"minute":8})");
}

/// Cannot be taken apart, and need not be, because its fields have names.
struct Base {
  int a;
};
struct Derived : Base {
  int values[2];
  int b;
  static constexpr auto fields() { return std::tuple{mcp::field("a", &Derived::a), mcp::field("b", &Derived::b)}; }
};

TEST(Values, FieldsWithNamesMayLieInABaseAndBesideAnArray) {
  Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [](const Derived& in) { return in.a - in.b; }); });
  EXPECT_EQ(harness.call_tool("t", {{"a", 5}, {"b", 3}}).text(), "2");
}

/// One member of each kind for which initialisers are looked for in other ways.
struct Members {
  Json json;
  std::variant<int, std::string> variant;
  std::optional<std::optional<int>> optional;
  std::array<int, 2> array;
  Ticket ticket;
  Packed packed;
  plain::Part part;
  std::tuple<> nothing;
  std::vector<std::byte> bytes;
  std::map<std::string, std::vector<int>> map;
  bool last;
};

TEST(Schema, AllMembersAreFoundWhateverTheirTypes) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("t", "", [] { return Members{{}, 1, {}, {}, Ticket(1), {}, {}, {}, {}, {}, true}; });
  });
  EXPECT_EQ(harness.describe()["tools"][0]["outputSchema"]["required"].dump(),
            R"(["json","variant","array","ticket","packed","part","nothing","bytes","map","last"])");
}

TEST(Schema, StructsInsideOfFunctionsHaveNames) {
  struct Local {
    double first_member;
    bool second;
  };
  const Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [] { return Local{1.5, true}; }); });
  EXPECT_EQ(harness.describe()["tools"][0]["outputSchema"]["required"].dump(), R"(["first_member","second"])");
}

TEST(Schema, AStructThatContainsItselfIsAReference) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool("whole", "", [](const Node& node) { return node; });
    plugin.tool(
        "part", "", [](const Node& node) { return std::vector<Node>{node}; }, mcp::arg("a/b c~", ""));
  });
  const auto tools = harness.describe()["tools"];
  EXPECT_EQ(tools[0]["inputSchema"]["properties"]["children"]["items"]["$ref"], "#");
  EXPECT_EQ(tools[1]["inputSchema"]["properties"]["a/b c~"]["properties"]["children"]["items"]["$ref"],
            "#/properties/a~1b%20c~0");
  EXPECT_EQ(tools[1]["outputSchema"]["properties"]["result"]["items"]["properties"]["children"]["items"]["$ref"],
            "#/properties/result/items");
  const Json tree = Json::parse(R"({"name":"a","children":[{"name":"b","children":[]}]})");
  EXPECT_EQ(harness.call_tool("whole", tree).structured(), tree);
}

TEST(Values, WhatTheTypeCannotHoldIsRefusedByPlace) {
  Harness harness(everything);
  const auto error = [&](const char* pointer, const Json& value) {
    Json in = Json::parse(R"({"point":{"x":1,"y":2},"path":[{"x":1,"y":2}],"units":{"a":"celsius"}})");
    in[Json::json_pointer(pointer)] = value;
    const auto outcome = unchecked_call(harness, "t", in);
    EXPECT_TRUE(outcome.json["isError"]) << outcome.json;
    return outcome.text();
  };
  EXPECT_EQ(error("/point/x", "1"), R"("point.x" must be a number, but is "1")");
  EXPECT_EQ(error("/path/0/y", nullptr), R"("path[0].y" is missing)");
  EXPECT_EQ(error("/path", Json::object()), R"("path" must be an array, but is an object)");
  EXPECT_EQ(error("/point", Json::array()), R"("point" must be an object, but is an array)");
  EXPECT_EQ(error("/units/a", "kelvin"), R"("units.a" is "kelvin", not one of celsius, fahrenheit)");
  EXPECT_EQ(error("/small", 256), R"("small" is 256, outside of 0 to 255)");
  EXPECT_EQ(error("/small", -1), R"("small" is -1, outside of 0 to 255)");
  EXPECT_EQ(error("/count", 3000000000), R"("count" is 3000000000, outside of -2147483648 to 2147483647)");
  EXPECT_EQ(error("/count", 1.5), R"("count" must be an integer, but is 1.5)");
  EXPECT_EQ(error("/flag", 1), R"("flag" must be a boolean, but is 1)");
}

TEST(Values, IntegersAtTheirLimits) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "t", "", [](std::int64_t a, std::uint64_t b) { return std::to_string(a) + ' ' + std::to_string(b); },
        mcp::arg("a"), mcp::arg("b"));
  });
  const auto text = [&](const char* json) { return unchecked_call(harness, "t", Json::parse(json)).text(); };
  EXPECT_EQ(text(R"({"a":-9223372036854775808,"b":18446744073709551615})"),
            "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(text(R"({"a":9223372036854775807,"b":0})"), "9223372036854775807 0");
  EXPECT_EQ(text(R"({"a":3.0,"b":4.0})"), "3 4");
  EXPECT_EQ(text(R"({"a":9223372036854775808,"b":0})"),
            R"("a" is 9223372036854775808, outside of -9223372036854775808 to 9223372036854775807)");
  const std::string in_digits =
      ": write an integer from -9223372036854775808 to 9223372036854775807 with all its digits";
  EXPECT_EQ(text(R"({"a":1e300,"b":0})"), R"("a" is 1e+300)" + in_digits);
  EXPECT_EQ(text(R"({"a":1e16,"b":0})"), R"("a" is 1e+16)" + in_digits);
  EXPECT_EQ(text(R"({"a":18446744073709551616,"b":0})"), R"("a" is 1.8446744073709552e+19)" + in_digits);
  EXPECT_EQ(text(R"({"a":0,"b":18446744073709551616})"),
            R"("b" is 1.8446744073709552e+19: write an integer from 0 to 18446744073709551615 with all its digits)");
  EXPECT_EQ(text(R"({"a":0,"b":-2.0})"), R"("b" must be an integer that is not negative, but is -2.0)");
}

TEST(Setup, RefusesModifiersThatDoNotFitTheirArgument) {
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool(
                  "t", "", [](const std::string&) {}, mcp::arg("a").min(1));
            }),
            R"(setup failed: tool "t": argument "a": its type has no "minimum")");
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool(
                  "t", "", [](int) {}, mcp::arg("a").min_length(1));
            }),
            R"(setup failed: tool "t": argument "a": its type has no "minLength")");
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool(
                  "t", "", [](int) {}, mcp::arg("a").default_value("x"));
            }),
            R"(setup failed: tool "t": the default of "a" must be an integer, but is "x")");
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool(
                  "t", "", [](int, int) {}, mcp::arg("a"), mcp::arg("a"));
            }),
            R"(setup failed: tool "t": two arguments are named "a")");
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool(
                  "t", "", [](int) {}, mcp::arg(""));
            }),
            R"(setup failed: tool "t": argument 1 has no name)");
}

struct AtItsBounds {
  float least = 0;
  float most = 0;
  float chosen = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("least", &AtItsBounds::least).min(0.7).default_value(0.7),
                      mcp::field("most", &AtItsBounds::most).max(0.1).default_value(0.1),
                      mcp::field("chosen", &AtItsBounds::chosen).one_of(0.1, 0.2).default_value(0.1)};
  }
};

TEST(Setup, TakesADefaultThatIsABound) {
  EXPECT_NE(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool("t", "", [](const AtItsBounds&) {});
              throw std::invalid_argument("all of it was taken");
            }).find("all of it was taken"),
            std::string::npos);
}

struct Contradictory {
  int count = 0;
  static constexpr auto fields() { return std::tuple{mcp::field("count", &Contradictory::count).min(5).max(1)}; }
};

TEST(Setup, RefusesModifiersThatContradictOneAnother) {
  const auto refusal_of = [](const mcp::Arg& arg) {
    return setup_refusal([&](mcp::Plugin& plugin) {
      plugin.tool(
          "t", "", [](int) {}, arg);
    });
  };
  EXPECT_EQ(refusal_of(mcp::arg("a").min(5).max(1)),
            R"(setup failed: tool "t": argument "a": its minimum 5 is more than its maximum 1)");
  EXPECT_EQ(refusal_of(mcp::arg("a").min(1).max(5).default_value(0)),
            R"(setup failed: tool "t": argument "a": its default 0 is not what its minimum 1 allows)");
  EXPECT_EQ(refusal_of(mcp::arg("a").min(1).max(5).default_value(6)),
            R"(setup failed: tool "t": argument "a": its default 6 is not what its maximum 5 allows)");
  EXPECT_EQ(refusal_of(mcp::arg("a").one_of(1, 2).default_value(3)),
            R"(setup failed: tool "t": argument "a": its default 3 is not what its enum [1,2] allows)");
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool(
                  "t", "", [](const std::string&) {}, mcp::arg("a").max_length(2).default_value("\u00e4\u00f6\u00fc"));
            }),
            "setup failed: tool \"t\": argument \"a\": its default \"\u00e4\u00f6\u00fc\" is not what its maxLength 2 "
            "allows");
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) { plugin.tool("t", "", [](const Contradictory&) {}); }),
            R"(setup failed: tool "t": field "count": its minimum 5 is more than its maximum 1)");
}

TEST(Setup, RefusesChoicesThatAreNoValues) {
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool(
                  "t", "", [](Unit) {}, mcp::arg("a").one_of("celsius", "kelvin"));
            }),
            R"(setup failed: tool "t": a choice of "a" is "kelvin", not one of celsius, fahrenheit)");
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) {
              plugin.tool(
                  "t", "", [](int) {}, mcp::arg("a").one_of(1, 2.5));
            }),
            R"(setup failed: tool "t": a choice of "a" must be an integer, but is 2.5)");
}

TEST(Setup, RefusesSchemasThatAreNoJsonObject) {
  EXPECT_EQ(
      setup_refusal([](mcp::Plugin& plugin) { plugin.raw_tool("t", "", "[]", [](const Json& in) { return in; }); }),
      R"(setup failed: tool "t": the input schema is not a JSON object)");
  EXPECT_NE(setup_refusal([](mcp::Plugin& plugin) {
              plugin.raw_tool("t", "", "{,}", [](const Json& in) { return in; });
            }).find(R"(setup failed: tool "t": the input schema is not valid JSON: )"),
            std::string::npos);
  EXPECT_EQ(setup_refusal([](mcp::Plugin& plugin) { plugin.tool("t", "", [] {}).output_schema("1"); }),
            R"(setup failed: tool "t": the output schema is not a JSON object)");
}

}  // namespace
