#include <string>
#include <utility>
#include <vector>

#include "support/schema_verdict.hpp"

namespace mcph {
namespace {

using test::check;
using test::compile_error;
using test::compiled;
using test::verdict;

std::string nested(std::size_t levels, std::string_view open, std::string_view middle, std::string_view close) {
  std::string text;
  for (std::size_t level = 0; level < levels; ++level) {
    text += open;
  }
  text += middle;
  for (std::size_t level = 0; level < levels; ++level) {
    text += close;
  }
  return text;
}

TEST(SchemaLimits, InstancesAsDeepAsTheHostReadsAreChecked) {
  constexpr auto list = R"({"anyOf":[{"type":"null"},{"properties":{"next":{"$ref":"#"}},"required":["next"]}]})";
  EXPECT_EQ(verdict(list, nested(64, R"({"next":)", "null", "}")), "valid");
  EXPECT_EQ(check(list, nested(64, R"({"next":)", "{}", "}"))->keyword, "anyOf");
}

TEST(SchemaLimits, EndlessReferencesAreAViolation) {
  for (const auto* schema :
       {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}})",
        R"({"not":{"$ref":"#"}})", R"({"if":{"$ref":"#"}})"}) {
    EXPECT_EQ(verdict(schema, "1"),
              " [] the value is nested too deep to check, or its schema refers to itself without end: the limit is 256 "
              "levels")
        << schema;
  }
}

TEST(SchemaLimits, DeepInstancesAreAViolationAndNotACrash) {
  const auto deep = nested(100'000, "[", "", "]");
  const auto violation = check(R"({"items":{"$ref":"#"}})", deep);
  ASSERT_TRUE(violation);
  // "/0" for each level; a level is two subschemas, so half of the limit is reached.
  EXPECT_EQ(violation->path.size(), 2 * 128U);
  EXPECT_TRUE(check(R"({"uniqueItems":true})", "[" + deep + "," + deep + "]"));
}

TEST(SchemaLimits, DeepSchemasAreRefused) {
  EXPECT_EQ(compile_error(nested(127, R"({"not":)", "{}", "}")), "accepted");
  EXPECT_EQ(compile_error(nested(128, R"({"not":)", "{}", "}")), "the schema: is nested deeper than 128 levels");
  EXPECT_NE(compile_error(R"({"const":)" + nested(20'000, "[", "", "]") + "}"), "accepted");
}

// Each of these would take minutes if it took as long as its keys and texts are, for each step.
TEST(SchemaLimits, ReasonsAreFoundHoweverLongTheKeysAre) {
  std::string items;
  for (int item = 0; item < 200'000; ++item)
    items += "null,";
  const auto* const schema =
      R"({"additionalProperties":{"type":"array","items":{"anyOf":[{"type":"number"},{"type":"null"}]}}})";
  const std::string key(1'000'000, 'k');
  const auto violation = check(schema, R"({")" + key + R"(":[)" + items + "true]}");
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->path, "/" + key + "/200000");
  EXPECT_LT(violation->message.size(), 500U);
}

TEST(SchemaLimits, NamesAreComparedOnlyWhereTheyAreShort) {
  const std::string name(1'000'000, 'n');
  std::string members;
  for (int member = 0; member < 32; ++member)
    members += (member == 0 ? "\"" : ",\"") + std::string(1'000'000, 'm') + std::to_string(member) + "\":1";
  const auto violation = check(R"({"required":[")" + name + "\"]}", "{" + members + "}");
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->message.find("did you mean"), std::string::npos);
}

TEST(SchemaLimits, ChildrenThatALevelHandsOnCount) {
  std::string schema = R"({"additionalProperties":true})";
  for (int level = 0; level < 55; ++level)
    schema = R"({"unevaluatedItems":true,"allOf":[)" + schema + "]}";
  test::expect_valid(schema, {R"({"a":1,"b":2})"});
  std::string members = R"("0":1)";
  for (int member = 1; member < 400'000; ++member)
    members += ",\"" + std::to_string(member) + "\":1";
  EXPECT_EQ(check(schema, "{" + members + "}")->message, "the value takes more than 4000000 steps to check");
}

TEST(SchemaLimits, LongTextsCountForEachTimeThatTheyAreRead) {
  const auto a_thousand_of = [](const std::string& part) {
    std::string parts = part;
    for (int time = 1; time < 1000; ++time)
      parts += "," + part;
    return parts;
  };
  const std::string text(1'000'000, 'x');
  const auto too_much = "the value takes more than 4000000 steps to check";
  EXPECT_EQ(check(R"({"allOf":[)" + a_thousand_of(R"({"uniqueItems":true})") + "]}",
                  R"([")" + text + R"(a",")" + text + R"(b"])")
                ->message,
            too_much);
  const auto refers = a_thousand_of(R"({"$ref":"#/$defs/long"})");
  EXPECT_EQ(
      check(R"({"$defs":{"long":{"const":")" + text + R"("}},"allOf":[)" + refers + "]}", "\"" + text + "\"")->message,
      too_much);
  EXPECT_EQ(check(R"({"$defs":{"long":{"properties":{")" + text + R"(":{}}}},"allOf":[)" + refers + "]}",
                  "{\"" + text + "\":1}")
                ->message,
            too_much);
  EXPECT_EQ(verdict(R"({"enum":["a","b"]})", "\"" + text + "\"").substr(0, 30), " [enum] the value must be one ");
}

TEST(SchemaLimits, ManyItemsThatMustDifferAreSortedOnlyWhereThatIsQuick) {
  std::string items = "1";
  for (int item = 0; item < 1'000'000; ++item)
    items += item % 2 == 0 ? ",2" : ",1";
  EXPECT_EQ(check(R"({"uniqueItems":true})", "[" + items + "]")->message,
            "the value takes more than 4000000 steps to check");
}

TEST(SchemaLimits, ADivisionTakesSeveralSteps) {
  const auto schema = compiled(R"({"items":{"multipleOf":2}})");
  EXPECT_FALSE(schema.validate(nlohmann::json(700'000, 4)));
  const auto violation = schema.validate(nlohmann::json(900'000, 4));
  ASSERT_TRUE(violation);
  EXPECT_TRUE(violation->is_undecided);
}

TEST(SchemaLimits, TextsThatAreComparedCountForEachComparison) {
  const auto list_of = [](std::size_t count, const std::string& beginning) {
    std::string texts;
    for (std::size_t text = 0; text < count; ++text)
      texts += (text == 0 ? "\"" : ",\"") + beginning + std::to_string(text) + "\"";
    return "[" + texts + "]";
  };
  std::string escaped;
  for (int letter = 0; letter < 3000; ++letter)
    escaped += R"(\u0061)";
  const std::string plain(3000, 'a');
  const auto* const too_much = "the value takes more than 4000000 steps to check";
  const auto* const unique = R"({"uniqueItems":true})";
  EXPECT_EQ(verdict(unique, list_of(200, plain)), "valid");
  EXPECT_EQ(check(unique, list_of(200, escaped))->message, too_much);

  const auto choices = R"({"items":{"enum":)" + list_of(64, plain) + "}}";
  const auto same_text = [](const std::string& text) {
    std::string texts = "\"" + text + "0\"";
    for (int time = 1; time < 200; ++time)
      texts += ",\"" + text + "0\"";
    return "[" + texts + "]";
  };
  EXPECT_EQ(verdict(choices, same_text(plain)), "valid");
  const auto violation = check(choices, same_text(escaped));
  ASSERT_TRUE(violation);
  EXPECT_TRUE(violation->message.ends_with(" takes more than 4000000 steps to check")) << violation->message;
}

// It is compared with all others, and to read it takes a millisecond.
TEST(SchemaLimits, ALongTextWithEscapesIsReadNoFurtherThanItTakes) {
  std::string items = R"("1",")";
  items += "5";
  for (int letter = 0; letter < 500'000; ++letter)
    items += R"(\n)";
  items += "\"";
  for (int item = 0; item < 150'000; ++item)
    items += ",\"" + std::to_string(item + 10) + "\"";
  EXPECT_EQ(verdict(R"({"uniqueItems":true})", "[" + items + "]"), "valid");
}

TEST(SchemaLimits, SchemasWithManyPartsBelowALongKeyAreRefused) {
  std::string parts = "{}";
  for (int part = 0; part < 1000; ++part)
    parts += ",{}";
  const auto schema = [&](std::size_t bytes) {
    return R"({"properties":{")" + std::string(bytes, 'k') + R"(":{"allOf":[)" + parts + "]}}}";
  };
  EXPECT_EQ(compile_error(schema(1000)), "accepted");
  EXPECT_EQ(compile_error(schema(100'000)),
            "the schema: has too many subschemas below keys or identifiers that are so long, or so deep");
}

TEST(SchemaLimits, SchemasWithManyPartsBelowALongIdentifierAreRefused) {
  const auto base = R"({"$id":"https://example.com/)" + std::string(100'000, 'b') + R"(/",)";
  const auto with_identifiers = [&](int count) {
    std::string parts = R"("all":{})";
    for (int part = 0; part < count; ++part)
      parts += ",\"" + std::to_string(part) + R"(":{"$id":")" + std::to_string(part) + "\"}";
    return base + R"("$defs":{)" + parts + "}}";
  };
  const auto with_references = [&](int count) {
    std::string parts = R"({"$id":"x"})";
    for (int part = 0; part < count; ++part)
      parts += R"(,{"$ref":"x"})";
    return base + R"("allOf":[)" + parts + "]}";
  };
  const auto* const refusal =
      "the schema: has too many subschemas below keys or identifiers that are so long, or so deep";
  EXPECT_EQ(compile_error(with_identifiers(100)), "accepted");
  EXPECT_EQ(compile_error(with_identifiers(1000)), refusal);
  EXPECT_EQ(compile_error(with_references(100)), "accepted");
  EXPECT_EQ(compile_error(with_references(1000)), refusal);
}

// It would take minutes if each of them were looked for in all others.
TEST(SchemaLimits, ManyDynamicAnchorsAreFoundByTheirNames) {
  std::string parts = "true";
  for (int part = 0; part < 50'000; ++part) {
    const auto number = std::to_string(part);
    parts += R"(,{"$id":")" + number + R"(","$dynamicAnchor":"a)" + number + R"(","$dynamicRef":"#a)" + number + "\"}";
  }
  EXPECT_EQ(compile_error(R"({"allOf":[)" + parts + "]}"), "accepted");
}

TEST(SchemaLimits, ExponentialSchemasEnd) {
  nlohmann::ordered_json schema{{"$ref", "#/$defs/0"}};
  for (int level = 0; level < 60; ++level) {
    const nlohmann::ordered_json next{{"$ref", "#/$defs/" + std::to_string(level + 1)}};
    schema["$defs"][std::to_string(level)] = {{"allOf", {next, next}}};
  }
  schema["$defs"]["60"] = true;
  const auto violation = Schema::compile(schema)->validate(1);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->message, "the value takes more than 4000000 steps to check");
}

TEST(SchemaLimits, FindingTheReasonSharesTheLimitOfTheDecision) {
  // Three steps an element.
  const auto schema = compiled(R"({"items":{"allOf":[{"type":"integer"},true]}})");
  nlohmann::json instance(300'000, 1);
  instance.push_back("x");
  EXPECT_EQ(schema.validate(instance)->message, R"("[300000]" must be an integer, but is "x")");
  instance.insert(instance.begin(), 600'000, 1);
  const auto violation = schema.validate(instance);
  ASSERT_TRUE(violation);
  EXPECT_NE(violation->message.find("takes more than 4000000 steps to check"), std::string::npos) << violation->message;
}

TEST(SchemaLimits, CatastrophicPatternsEnd) {
  const auto violation = compiled(R"({"pattern":"^(a+)+$"})").validate(std::string(60, 'a') + "!");
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->keyword, "pattern");
  EXPECT_EQ(violation->message, "the value takes too much work to match with the schema's pattern");
}

TEST(SchemaLimits, PatternsThatRunAlongALongTextManyTimesEnd) {
  const auto violation = compiled(R"({"pattern":"[ac]*[bd]"})").validate(std::string(4'000'000, 'a'));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->message, "the value takes too much work to match with the schema's pattern");
}

TEST(SchemaLimits, PatternsWhoseItemsFailLateManyTimesEnd) {
  std::string runs_too_short;
  for (int run = 0; run < 10; ++run) {
    runs_too_short += std::string(19'999, 'a') + "b";
  }
  const auto captured = std::string(20'000, 'a') + "b";
  const std::vector<std::pair<std::string, std::string>> patterns_and_texts{
      {R"("a{20000}")", runs_too_short},
      {R"("[ac]{20000,}")", runs_too_short},
      {R"("(?<=a{20000})[^]")", runs_too_short},
      {R"("^(a*)b[^]*\\1c")", captured + runs_too_short},
  };
  for (const auto& [pattern, text] : patterns_and_texts) {
    const auto violation = compiled(R"({"pattern":)" + pattern + "}").validate(text);
    ASSERT_TRUE(violation) << pattern;
    EXPECT_EQ(violation->message, "the value takes too much work to match with the schema's pattern") << pattern;
  }
}

TEST(SchemaLimits, WideClassesCountForEachCharacter) {
  std::string characters;
  std::string last;
  for (int character = 0; character < 2600; ++character) {
    // Every other one, from U+4E00 on.
    const auto code_point = 0x4E00U + 2 * static_cast<unsigned>(character);
    last = {static_cast<char>(0xE0U | code_point >> 12), static_cast<char>(0x80U | (code_point >> 6 & 0x3FU)),
            static_cast<char>(0x80U | (code_point & 0x3FU))};
    characters += last;
  }
  const auto repeated = [&](int count) {
    std::string text;
    for (int time = 0; time < count; ++time)
      text += last;
    return text;
  };
  const auto* const too_much = "the value takes too much work to match with the schema's pattern";
  const auto along = compiled(R"({"pattern":"^[)" + characters + R"(]*$"})");
  EXPECT_FALSE(along.validate(repeated(1000)));
  EXPECT_EQ(along.validate(repeated(100'000))->message, too_much);
  const auto one_by_one = compiled(R"({"pattern":"^(?:[)" + characters + R"(]x?)*$"})");
  EXPECT_FALSE(one_by_one.validate(repeated(1000)));
  EXPECT_EQ(one_by_one.validate(repeated(20'000))->message, too_much);
}

TEST(SchemaLimits, RepeatedItemsAndBackReferencesOfOrdinaryPatternsAreMatched) {
  const std::string text(100'000, 'a');
  EXPECT_FALSE(compiled(R"({"pattern":"^a{60000}"})").validate(text));
  EXPECT_FALSE(compiled(R"({"pattern":"([\"']).*?\\1"})").validate("'" + text + "'"));
  EXPECT_FALSE(compiled(R"({"pattern":"\\u{1F600}|\\p{L}{3}$|(?<=b)b"})").validate(text));
}

TEST(SchemaLimits, AllPatternsOfACheckShareOneLimit) {
  // Each name takes some 400,000 steps.
  nlohmann::json object;
  for (int member = 0; member < 40; ++member) {
    object[std::string(2500, 'a') + std::to_string(member)] = 1;
  }
  const auto schema = compiled(R"({"patternProperties":{"[ac]*[bd]":false}})");
  EXPECT_FALSE(schema.validate({{std::string(2500, 'a'), 1}}));
  const auto violation = schema.validate(object);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->keyword, "pattern");
}

TEST(SchemaLimits, MemoryOfAPatternIsBounded) {
  const auto violation = compiled(R"({"pattern":"^(?:(?!x)[^])*$"})").validate(std::string(1'000'000, 'a'));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->keyword, "pattern");
}

TEST(SchemaLimits, LongTextsAreMatchedWithSimplePatterns) {
  EXPECT_FALSE(compiled(R"({"pattern":"^[a-z]*$"})").validate(std::string(4'000'000, 'a')));
  EXPECT_FALSE(compiled(R"({"pattern":"\\S"})").validate(std::string(4'000'000, 'a')));
  EXPECT_FALSE(compiled(R"({"pattern":"x$"})").validate(std::string(1'000'000, 'a') + "x"));
  EXPECT_FALSE(compiled(R"({"pattern":"^[\\p{L}\\p{M}\\s.,'\u2019-]*$"})").validate(std::string(4'000'000, 'a')));
}

}  // namespace
}  // namespace mcph
