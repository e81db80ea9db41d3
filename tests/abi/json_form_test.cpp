// Values that are none of JSON's own kinds: how they are described, read and written.
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <random>
#include <ratio>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

#include "unchecked.hpp"

namespace {

struct Money {
  std::int64_t cents = 0;
};

}  // namespace

template <>
struct mcp::JsonForm<Money> {
  using As = double;
  static Money from(double amount) {
    if (amount < 0) throw std::invalid_argument("must be an amount that is not negative");
    return {static_cast<std::int64_t>(amount * 100)};
  }
  static double to(const Money& money) { return static_cast<double>(money.cents) / 100; }
};

namespace {

using namespace std::chrono_literals;
using mcp::Json;
using mcp::testing::Harness;

/// A tool that gives back what it is given.
template <class T>
Harness echo() {
  return Harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "echo", "", [](const T& value) { return value; }, mcp::arg("value"));
  });
}

template <class T>
std::string schema() {
  return echo<T>().describe()["tools"][0]["inputSchema"]["properties"]["value"].dump();
}

/// The value as it comes back, or why it does not.
template <class T>
std::string back(const Json& value) {
  auto harness = echo<T>();
  const auto outcome = unchecked_call(harness, "echo", {{"value", value}});
  return outcome.ok() ? outcome.json["structuredContent"]["result"].dump() : outcome.text();
}

template <class T>
void expect_same(const Json& value) {
  auto harness = echo<T>();
  const auto outcome = harness.call_tool("echo", {{"value", value}});
  EXPECT_TRUE(outcome.ok() && outcome.structured()["result"] == value) << outcome.json;
}

TEST(JsonForm, OfADate) {
  EXPECT_EQ(schema<std::chrono::year_month_day>(), R"({"type":"string","format":"date"})");
  EXPECT_EQ(schema<std::chrono::sys_days>(), R"({"type":"string","format":"date"})");
  for (const auto* const date : {"2026-11-24", "2024-02-29", "0000-01-01", "9999-12-31", "1969-12-31"}) {
    expect_same<std::chrono::year_month_day>(date);
    expect_same<std::chrono::sys_days>(date);
  }
  for (const auto* const text : {"", "2026-11-31", "2023-02-29", "2026-1-1", "26-11-24", "2026-11-24 ", "2026/11/24",
                                 "2026-11-24T00:00:00Z", "-026-11-24", "2026-00-10", "today"})
    EXPECT_EQ(back<std::chrono::sys_days>(text), R"("value" must be a date such as 2026-11-24)") << text;
  EXPECT_EQ(back<std::chrono::sys_days>(20261124), R"("value" must be a string, but is 20261124)");
}

TEST(JsonForm, OfATime) {
  using Seconds = std::chrono::sys_seconds;
  using Nanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;
  EXPECT_EQ(schema<Seconds>(), R"({"type":"string","format":"date-time"})");
  for (const auto* const time : {"2026-11-24T09:30:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"})
    expect_same<Seconds>(time);
  for (const auto* const time : {"2026-11-24T09:30:00Z", "1969-12-31T23:59:59.999999999Z", "2026-11-24T09:30:00.25Z"})
    expect_same<Nanoseconds>(time);
  EXPECT_EQ(back<Seconds>("2026-11-24T00:30:00+01:00"), R"("2026-11-23T23:30:00Z")");
  EXPECT_EQ(back<Seconds>("2026-11-24t23:30:00.9-01:30"), R"("2026-11-25T01:00:00Z")");
  EXPECT_EQ(back<Seconds>("1969-12-31T23:59:58.9Z"), R"("1969-12-31T23:59:58Z")");
  EXPECT_EQ(back<Seconds>("2016-12-31T23:59:60Z"), R"("2017-01-01T00:00:00Z")");
  EXPECT_EQ(back<Nanoseconds>("2026-11-24T09:30:00.1234567899Z"), R"("2026-11-24T09:30:00.123456789Z")");
  EXPECT_EQ(back<Nanoseconds>("3026-11-24T09:30:00Z"), R"("value" is farther away than this can be counted)");
  for (const auto* const text : {"", "2026-11-24", "2026-11-24T09:30:00", "2026-11-24T09:30Z", "2026-11-24T24:00:00Z",
                                 "2026-11-24T09:60:00Z", "2026-11-24T09:30:61Z", "2026-11-24T09:30:00.Z",
                                 "2026-11-24T09:30:00+1:00", "2026-11-24T09:30:00Zx", "2026-11-24T09:30:00+24:00"})
    EXPECT_EQ(back<Seconds>(text),
              "\"value\" must be a time with its offset, such as 2026-11-24T09:30:00Z or "
              "2026-11-24T10:30:00+01:00")
        << text;
}

TEST(JsonForm, OfATimeOfDay) {
  using Clock = std::chrono::hh_mm_ss<std::chrono::milliseconds>;
  EXPECT_EQ(schema<Clock>(), R"({"type":"string","pattern":"^\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?$"})");
  for (const auto* const time : {"00:00:00", "23:59:59.999", "09:30:00.5"})
    expect_same<Clock>(time);
  // A leap second is in no day that can be written.
  for (const auto* const text : {"", "9:30:00", "24:00:00", "09:30", "09:30:00Z", "-1:30:00", "23:59:60", "09:30:60"})
    EXPECT_EQ(back<Clock>(text), R"("value" must be a time of day such as 09:30:00)") << text;
}

TEST(JsonForm, OfADuration) {
  for (const auto* const duration : {"PT0S", "PT1H30M", "P2D", "P2DT1S", "-PT5M", "PT59S"})
    expect_same<std::chrono::seconds>(duration);
  for (const auto* const duration : {"PT0.5S", "-PT0.000000001S", "PT1M0.25S"})
    expect_same<std::chrono::nanoseconds>(duration);
  EXPECT_EQ(back<std::chrono::seconds>("P1W"), R"("P7D")");
  EXPECT_EQ(back<std::chrono::seconds>("PT90M"), R"("PT1H30M")");
  EXPECT_EQ(back<std::chrono::minutes>("PT90S"), R"("PT1M")");
  EXPECT_EQ(back<std::chrono::minutes>("-PT90S"), R"("-PT2M")");
  EXPECT_EQ(back<std::chrono::duration<double>>("PT0.25S"), R"("PT0.25S")");
  EXPECT_EQ(back<std::chrono::seconds>("PT9223372036854775807S"),
            R"("value" is farther away than this can be counted)");
  EXPECT_EQ(back<std::chrono::nanoseconds>("P365000D"), R"("value" is farther away than this can be counted)");
  for (const auto* const text : {"", "P", "PT", "P1Y", "P1M", "PT1", "1H", "PT1M1H", "PT1H1H", "PT0.5M", "P1.5D",
                                 "PT-1S", "P1DT", "PT99999999999999999999S", "PT9223372036854775807M", "PT1S "})
    EXPECT_EQ(back<std::chrono::seconds>(text), R"("value" must be a duration such as PT1H30M, P2D or PT0.5S)") << text;
}

TEST(JsonForm, OfADurationSaysInItsPatternExactlyWhatIsRead) {
  const auto published = Json::parse(schema<std::chrono::minutes>());
  ASSERT_EQ(published.size(), 2U) << published;
  EXPECT_EQ(published["type"], "string");
  const std::regex pattern(published["pattern"].get<std::string>(), std::regex::ECMAScript);
  // All texts of up to four of these parts, behind each of these beginnings.
  const std::vector<std::string> parts{"",   "-",  "P",    "T",   "1W",   "1D", "1H",
                                       "1M", "1S", "1.5S", "1.S", "1.5M", "1Y", "1"};
  std::set<std::string> texts{"", "P", "-P", " P"};
  for (int length = 0; length < 4; ++length) {
    for (const auto& text : std::vector<std::string>(texts.begin(), texts.end())) {
      for (const auto& part : parts)
        texts.insert(text + part);
    }
  }
  std::size_t read = 0;
  for (const auto& text : texts) {
    bool is_read = true;
    try {
      mcp::JsonForm<std::chrono::nanoseconds>::from(text);
      ++read;
    } catch (const std::invalid_argument&) {
      is_read = false;
    }
    ASSERT_EQ(std::regex_search(text, pattern), is_read) << text;
  }
  EXPECT_GT(read, 50U);
}

TEST(JsonForm, OfFloatingDurationsLosesNothing) {
  using Seconds = std::chrono::duration<double>;
  EXPECT_EQ(mcp::JsonForm<Seconds>::from("PT4.067S").count(), 4.067);
  EXPECT_EQ(mcp::JsonForm<Seconds>::from("-PT4.067S").count(), -4.067);
  for (const auto* const duration : {"PT4.067S", "-PT3.3S", "PT0.1S", "P1DT0.000000001S", "-PT0.999999999S"})
    expect_same<Seconds>(duration);
  EXPECT_EQ(mcp::JsonForm<Seconds>::to(Seconds(1.9999999999)), "PT2S");
  expect_same<std::chrono::duration<double, std::ratio<3600>>>("PT1H30M");
  expect_same<std::chrono::duration<float, std::milli>>("PT0.25S");
  expect_same<std::chrono::hh_mm_ss<Seconds>>("23:59:59.067");
  expect_same<std::chrono::sys_time<Seconds>>("2026-11-24T09:30:00.25Z");
  expect_same<std::chrono::sys_time<Seconds>>("1969-12-31T23:59:59.75Z");
}

TEST(JsonForm, OfWhatATypeCannotCountIsRefused) {
  constexpr auto refusal = R"("value" is farther away than this can be counted)";
  EXPECT_EQ((back<std::chrono::duration<unsigned>>("-PT5M")), refusal);
  EXPECT_EQ((back<std::chrono::duration<std::uint64_t, std::milli>>("-PT0.0001S")), refusal);
  EXPECT_EQ((back<std::chrono::duration<std::int8_t>>("PT300S")), refusal);
  EXPECT_EQ((back<std::chrono::duration<std::int32_t, std::milli>>("PT2147483.9S")), refusal);
  EXPECT_EQ(back<std::chrono::sys_time<std::chrono::nanoseconds>>("0001-01-01T00:00:00Z"), refusal);
  expect_same<std::chrono::duration<unsigned>>("PT5M");
  expect_same<std::chrono::duration<unsigned>>("PT0S");
  expect_same<std::chrono::duration<std::int8_t>>("-PT2M8S");
  EXPECT_EQ(mcp::JsonForm<std::chrono::hours>::from("-PT9223372036854775807S").count(), -2562047788015216);
}

/// Why a value cannot be written.
template <class T>
std::string refusal_to_write(const T& value) {
  Harness harness([&](mcp::Plugin& plugin) { plugin.tool("give", "", [value] { return value; }); });
  const auto outcome = harness.call_tool("give");
  return outcome.ok() ? outcome.json.dump() : outcome.text();
}

TEST(JsonForm, OfTimesAndDurationsBeyondAllBoundsIsRefused) {
  constexpr auto distance = "a time or a duration is not a number, or too long to be counted in seconds";
  EXPECT_EQ(refusal_to_write(std::chrono::hours::max()), distance);
  EXPECT_EQ(refusal_to_write(std::chrono::hours::min()), distance);
  EXPECT_EQ(refusal_to_write(std::chrono::duration<double>(1e300)), distance);
  EXPECT_EQ(refusal_to_write(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())), distance);
  EXPECT_EQ(refusal_to_write(std::chrono::sys_time<std::chrono::hours>(std::chrono::hours::max())), distance);
  constexpr auto year = "a date does not exist, or its year has not four digits";
  const std::chrono::sys_days last = std::chrono::year(9999) / 12 / 31;
  EXPECT_EQ(refusal_to_write(last + std::chrono::days(1)), year);
  EXPECT_EQ(refusal_to_write(last + std::chrono::days(70'000'000)), year);
  EXPECT_EQ(refusal_to_write(std::chrono::sys_seconds(last) + 24h), year);
  EXPECT_EQ(refusal_to_write(std::chrono::sys_days::max()), year);
  EXPECT_EQ(refusal_to_write(std::chrono::sys_time<std::chrono::milliseconds>::max()), year);
  EXPECT_EQ(refusal_to_write(std::chrono::sys_time<std::chrono::milliseconds>::min()), year);
  EXPECT_EQ(refusal_to_write(std::chrono::hh_mm_ss(24h)), "a time of day is not between 00:00:00 and 24:00:00");
  EXPECT_EQ(refusal_to_write(std::chrono::hh_mm_ss(-1ns)), "a time of day is not between 00:00:00 and 24:00:00");
}

TEST(JsonForm, OfAnyTimeAndDurationComesBack) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> nanoseconds(std::numeric_limits<std::int64_t>::min() + 1'000'000'000,
                                                          std::numeric_limits<std::int64_t>::max() - 1'000'000'000);
  for (int i = 0; i < 20'000; ++i) {
    const std::chrono::nanoseconds value(nanoseconds(random) >> (random() % 40));
    using Duration = mcp::JsonForm<std::chrono::nanoseconds>;
    ASSERT_EQ(Duration::from(Duration::to(value)), value) << value.count();
    using Time = mcp::JsonForm<std::chrono::sys_time<std::chrono::nanoseconds>>;
    const std::chrono::sys_time<std::chrono::nanoseconds> time(value);
    ASSERT_EQ(Time::from(Time::to(time)), time) << value.count();
  }
}

TEST(JsonForm, OfAPathBytesAndAUuid) {
  EXPECT_EQ(schema<std::filesystem::path>(), R"({"type":"string"})");
  expect_same<std::filesystem::path>("/home/ada/../notes.txt");
  EXPECT_EQ(back<std::filesystem::path>(std::string("secret.key\0.csv", 15)), R"("value" must have no NUL character)");

  EXPECT_EQ(schema<std::vector<std::byte>>(), R"({"type":"string","contentEncoding":"base64"})");
  for (const auto* const text : {"", "AA==", "AAE=", "AAEC", "/+8A", "aGVsbG8gd29ybGQ="})
    expect_same<std::vector<std::byte>>(text);
  for (const auto* const text : {"A", "AA", "AAA", "A===", "AA=A", "A*==", "AAE", "AAEC=", "____"})
    EXPECT_EQ(back<std::vector<std::byte>>(text), R"("value" must be base64, with its padding)") << text;

  EXPECT_EQ(schema<mcp::Uuid>(), R"({"type":"string","format":"uuid"})");
  expect_same<mcp::Uuid>("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  EXPECT_EQ(back<mcp::Uuid>("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"), R"("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")");
  for (const auto* const text : {"", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
                                 "f81d4fae-7dec-11d0-a76500-a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf}"})
    EXPECT_EQ(back<mcp::Uuid>(text), R"("value" must be a UUID such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6)") << text;
  const auto random = mcp::Uuid::random();
  EXPECT_NE(random, mcp::Uuid::random());
  EXPECT_EQ(random.text()[14], '4');
  EXPECT_EQ(mcp::Uuid(random.text()), random);
}

TEST(JsonForm, OfSetsListsAndArrays) {
  EXPECT_EQ(schema<std::set<int>>(), R"({"type":"array","items":{"type":"integer"},"uniqueItems":true})");
  EXPECT_EQ(schema<std::unordered_set<std::string>>(),
            R"({"type":"array","items":{"type":"string"},"uniqueItems":true})");
  EXPECT_EQ(back<std::set<int>>({3, 1, 2}), "[1,2,3]");
  EXPECT_EQ(back<std::set<int>>({3, 1, 3}), R"("value[2]" is there twice)");
  expect_same<std::deque<bool>>({true, false});
  expect_same<std::list<std::string>>({"b", "a"});
  EXPECT_EQ(schema<std::vector<double>>(), R"({"type":"array","items":{"type":"number"}})");

  using Three = std::array<int, 3>;
  EXPECT_EQ(schema<Three>(), R"({"type":"array","items":{"type":"integer"},"minItems":3,"maxItems":3})");
  expect_same<Three>({1, 2, 3});
  EXPECT_EQ(back<Three>({1, 2}), R"("value" must have 3 items, but has 2)");
  EXPECT_EQ(back<Three>({1, "2", 3}), R"("value[1]" must be an integer, but is "2")");
}

enum class Colour { red, green };

TEST(JsonForm, OfMapsWithEnumsAsKeys) {
  using Counts = std::map<Colour, int>;
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "echo", "", [](const Counts& counts) { return counts; }, mcp::arg("value"));
  });
  EXPECT_EQ(schema<Counts>(), R"({"type":"object","additionalProperties":{"type":"integer"},)"
                              R"("propertyNames":{"type":"string","enum":["red","green"]}})");
  EXPECT_EQ(harness.call_tool("echo", {{"value", {{"green", 2}, {"red", 1}}}}).json["structuredContent"].dump(),
            R"({"green":2,"red":1})");
  EXPECT_EQ(unchecked_call(harness, "echo", {{"value", {{"blue", 2}}}}).text(),
            R"("value.blue" is not one of red, green)");
}

TEST(JsonForm, OfAMapWithAKeyThatHasNoNameIsRefused) {
  EXPECT_EQ(refusal_to_write(std::map<Colour, int>{{static_cast<Colour>(7), 1}}),
            "a value of an enum has no name in the source, or is not from -128 to 255");
  EXPECT_EQ(refusal_to_write(std::vector<std::map<Colour, int>>{{{Colour::red, 1}, {static_cast<Colour>(7), 1}}}),
            "\"[0]\": a value of an enum has no name in the source, or is not from -128 to 255");
}

TEST(JsonForm, OfTuples) {
  using Tuple = std::tuple<int, std::string, std::optional<bool>>;
  EXPECT_EQ(schema<Tuple>(), R"({"type":"array","prefixItems":[{"type":"integer"},{"type":"string"},)"
                             R"({"anyOf":[{"type":"boolean"},{"type":"null"}]}],"minItems":3,"maxItems":3})");
  expect_same<Tuple>({1, "a", nullptr});
  expect_same<std::pair<std::string, double>>({"a", 0.5});
  EXPECT_EQ(back<Tuple>({1, 2, true}), R"("value[1]" must be a string, but is 2)");
  EXPECT_EQ(back<Tuple>({1, "a"}), R"("value" must have 3 items, but has 2)");
}

struct Circle {
  double radius;
};
struct Ring {
  double radius;
  double inner;
};

TEST(JsonForm, OfVariants) {
  using Shape = std::variant<std::monostate, Circle, Ring, std::string>;
  EXPECT_EQ(schema<Shape>(), R"({"anyOf":[{"type":"null"},{"type":"object","properties":{"radius":{"type":"number"}},)"
                             R"("required":["radius"],"additionalProperties":false},{"type":"object","properties":{)"
                             R"("radius":{"type":"number"},"inner":{"type":"number"}},"required":["radius","inner"],)"
                             R"("additionalProperties":false},{"type":"string"}]})");
  expect_same<Shape>("a square");
  expect_same<Shape>({{"radius", 2.5}});
  expect_same<Shape>({{"inner", 1.5}, {"radius", 2.5}});
  EXPECT_EQ(back<Shape>(7),
            R"("value" fits none of its types: "value" must be null, but is 7; "value" must be an object, but is 7; )"
            R"("value" must be an object, but is 7; "value" must be a string, but is 7)");
  EXPECT_EQ((back<std::variant<int, double>>(1.5)), "1.5");
}

/// Tells by the first field what it is.
struct TaggedCircle {
  std::string kind;
  double size;
  static constexpr auto fields() {
    return std::tuple{mcp::field(&TaggedCircle::kind).one_of("circle"), mcp::field(&TaggedCircle::size).max(10)};
  }
};
struct TaggedSquare {
  std::string kind;
  double size;
  static constexpr auto fields() {
    return std::tuple{mcp::field(&TaggedSquare::kind).one_of("square"), mcp::field(&TaggedSquare::size)};
  }
};
struct Large {
  int size;
  std::optional<std::string> name;
  static constexpr auto fields() {
    return std::tuple{mcp::field(&Large::size).min(100).one_of(100, 200), mcp::field(&Large::name).max_length(3)};
  }
};
struct Any {
  int size;
  std::optional<std::string> name;
};

TEST(JsonForm, OfAVariantIsToldByWhatItsFieldsAllow) {
  using Shape = std::variant<TaggedCircle, TaggedSquare>;
  const auto index = []<class T>(const T&, const Json& value) {
    Harness harness([](mcp::Plugin& plugin) {
      plugin.tool(
          "index", "", [](const T& given) { return std::to_string(given.index()); }, mcp::arg("value"));
    });
    return unchecked_call(harness, "index", {{"value", value}}).text();
  };
  EXPECT_EQ(index(Shape(), {{"kind", "circle"}, {"size", 1}}), "0");
  EXPECT_EQ(index(Shape(), {{"kind", "square"}, {"size", 1}}), "1");
  EXPECT_EQ(index(Shape(), {{"kind", "circle"}, {"size", 11}}),
            R"("value" fits none of its types: "value.size" must be at most 10, but is 11; )"
            R"("value.kind" is "circle", not one of square)");
  using Sized = std::variant<Large, Any>;
  EXPECT_EQ(index(Sized(), {{"size", 100}}), "0");
  EXPECT_EQ(index(Sized(), {{"size", 99}}), "1");
  EXPECT_EQ(index(Sized(), {{"size", 150}}), "1");
  EXPECT_EQ(index(Sized(), {{"size", 200}, {"name", "Ada"}}), "0");
  EXPECT_EQ(index(Sized(), {{"size", 200}, {"name", "Alan"}}), "1");
  EXPECT_EQ(index(Sized(), {{"size", 200}, {"name", nullptr}}), "0");
}

TEST(JsonForm, OfAVariantIsToldByWhatLiesDeepInIt) {
  const Json square{{"kind", "square"}, {"size", 1}};
  const auto is_second = []<class C, class S>(std::variant<C, S>, const Json& value) {
    Harness harness([](mcp::Plugin& plugin) {
      plugin.tool(
          "index", "", [](const std::variant<C, S>& given) { return given.index() == 1 ? "yes" : "no"; },
          mcp::arg("value"));
    });
    return harness.call_tool("index", {{"value", value}}).text();
  };
  using C = TaggedCircle;
  using S = TaggedSquare;
  using Circles = std::map<std::string, C>;
  using Squares = std::map<std::string, S>;
  EXPECT_EQ(is_second(std::variant<std::vector<C>, std::vector<S>>(), Json::array({square})), "yes");
  EXPECT_EQ(is_second(std::variant<Circles, Squares>(), {{"a", square}}), "yes");
  EXPECT_EQ(is_second(std::variant<std::array<C, 1>, std::array<S, 1>>(), Json::array({square})), "yes");
  EXPECT_EQ(is_second(std::variant<std::tuple<int, C>, std::tuple<int, S>>(), {1, square}), "yes");
  EXPECT_EQ(is_second(std::variant<std::pair<C, int>, std::pair<S, int>>(), {square, 1}), "yes");
  // And by names.
  EXPECT_EQ(is_second(std::variant<std::map<std::string, Circle>, std::map<std::string, Ring>>(),
                      {{"a", {{"radius", 2}, {"inner", 1}}}}),
            "yes");
  // What is absent has no names.
  EXPECT_EQ(is_second(std::variant<std::vector<std::optional<C>>, std::string>(), Json::array({nullptr})), "no");
}

TEST(JsonForm, OfNullIsAValueWhereTheSchemaSaysSo) {
  expect_same<std::monostate>(nullptr);
  expect_same<std::variant<std::monostate, int>>(nullptr);
  expect_same<std::variant<int, std::optional<std::string>>>(nullptr);
  expect_same<std::variant<int, Json>>(nullptr);
  struct Nullable {
    std::monostate nothing;
    std::variant<std::monostate, int> number;
    std::vector<std::variant<Circle, std::monostate>> shapes;
  };
  Harness harness([](mcp::Plugin& plugin) { plugin.tool("t", "", [](const Nullable& in) { return in; }); });
  const Json given{{"nothing", nullptr}, {"number", nullptr}, {"shapes", Json::array({nullptr})}};
  EXPECT_EQ(harness.call_tool("t", given).structured(), given);
  EXPECT_EQ(unchecked_call(harness, "t", {{"nothing", nullptr}, {"shapes", Json::array()}}).text(),
            R"("number" is missing)");
  EXPECT_EQ(back<int>(nullptr), R"("value" is missing)");
}

TEST(JsonForm, OfATypeOfOnesOwn) {
  EXPECT_EQ(schema<Money>(), R"({"type":"number"})");
  expect_same<Money>(7.5);
  EXPECT_EQ(back<Money>(-1), R"("value" must be an amount that is not negative)");
  expect_same<std::vector<std::optional<Money>>>({7.5, nullptr});
}

TEST(JsonForm, OfATextThatIsOnlyLookedAt) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "length", "", [](std::string_view text) { return text.size(); }, mcp::arg("text").min_length(1));
  });
  EXPECT_EQ(harness.call_tool("length", {{"text", "four"}}).json["structuredContent"]["result"], 4);
}

TEST(JsonForm, MayStandForDefaults) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.tool(
        "wait", "", [](std::chrono::seconds time) { return time; }, mcp::arg("time").default_value("PT5S"));
  });
  EXPECT_EQ(harness.call_tool("wait").json["structuredContent"]["result"], "PT5S");
}

}  // namespace
