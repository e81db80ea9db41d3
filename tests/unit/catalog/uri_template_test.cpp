#include "catalog/uri_template.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mcph {
namespace {

using Values = std::map<std::string, std::string>;

UriTemplate parsed(std::string_view text) {
  auto result = UriTemplate::parse(text);
  if (!result) throw std::invalid_argument(result.error().message);
  return *std::move(result);
}

std::optional<Values> match(std::string_view text, std::string_view uri) {
  return parsed(text).match(uri);
}

std::string error_of(std::string_view text) {
  const auto parsed = UriTemplate::parse(text);
  return parsed ? "accepted" : parsed.error().message;
}

TEST(UriTemplate, WithoutVariablesMatchesItselfOnly) {
  EXPECT_EQ(match("config://server", "config://server"), Values{});
  EXPECT_EQ(match("config://server", "config://server/"), std::nullopt);
  EXPECT_EQ(match("config://server", "config://serve"), std::nullopt);
  EXPECT_EQ(match("config://server", ""), std::nullopt);
}

TEST(UriTemplate, SimpleVariableStaysWithinOneSegment) {
  EXPECT_EQ(match("notes://{name}", "notes://today"), (Values{{"name", "today"}}));
  EXPECT_EQ(match("notes://{name}", "notes://a:b@c,d;e=f"), (Values{{"name", "a:b@c,d;e=f"}}));
  EXPECT_EQ(match("notes://{name}", "notes://a/b"), std::nullopt);
  EXPECT_EQ(match("notes://{name}", "notes://a?b"), std::nullopt);
  EXPECT_EQ(match("notes://{name}", "notes://a#b"), std::nullopt);
  EXPECT_EQ(match("notes://{name}", "notes://"), std::nullopt);
}

TEST(UriTemplate, ReservedVariableRunsAcrossSegments) {
  EXPECT_EQ(match("file:///{+path}", "file:///home/a/b.txt?x=1#y"), (Values{{"path", "home/a/b.txt?x=1#y"}}));
  EXPECT_EQ(match("file:///{+path}", "file:///"), std::nullopt);
  EXPECT_EQ(match("{+everything}", "a://b"), (Values{{"everything", "a://b"}}));
}

TEST(UriTemplate, FragmentVariableBringsItsHash) {
  EXPECT_EQ(match("doc://{page}{#part}", "doc://intro#section/2"), (Values{{"page", "intro"}, {"part", "section/2"}}));
  EXPECT_EQ(match("doc://{page}{#part}", "doc://intro"), std::nullopt);
  EXPECT_EQ(match("doc://{page}{#part}", "doc://intro#"), std::nullopt);
}

TEST(UriTemplate, WildcardTakesTheRest) {
  EXPECT_EQ(match("docs://*", "docs://guide/first/steps.md"), (Values{{"*", "guide/first/steps.md"}}));
  EXPECT_EQ(match("docs://*", "docs://"), std::nullopt);
  EXPECT_EQ(match("docs://*.md", "docs://a/b.md"), (Values{{"*", "a/b"}}));
}

TEST(UriTemplate, VariableWithAStarRunsAcrossSegments) {
  EXPECT_EQ(match("docs://{path*}", "docs://guide/first.md"), (Values{{"path", "guide/first.md"}}));
  EXPECT_EQ(match("docs://{path*}/raw", "docs://a/b/raw"), (Values{{"path", "a/b"}}));
}

TEST(UriTemplate, PathHasASlashBeforeEachOfItsSegments) {
  const auto* const text = "repo://{owner}/{repo}/contents{/path*}";
  EXPECT_EQ(match(text, "repo://o/r/contents/a/b"), (Values{{"owner", "o"}, {"repo", "r"}, {"path", "a/b"}}));
  EXPECT_EQ(match(text, "repo://o/r/contents"), std::nullopt);
  EXPECT_EQ(match("a://b{/c}", "a://b/d"), (Values{{"c", "d"}}));
  EXPECT_EQ(match("a://b{/c}", "a://b/d/e"), std::nullopt);
  EXPECT_EQ(match("a://b{/c,d*}", "a://b/1/2/3"), (Values{{"c", "1"}, {"d", "2/3"}}));
  EXPECT_EQ(parsed(text).text(), text);
  EXPECT_NE(error_of("a://{/c,}").find("one of whose names is not made of letters"), std::string::npos);
  EXPECT_NE(error_of("a://{/c}{/c}").find("has the variable \"c\" twice"), std::string::npos);
}

TEST(UriTemplate, QueryHasAnyOfItsParametersInAnyOrder) {
  const auto* const text = "notes://{kind}/search{?q,limit}";
  EXPECT_EQ(match(text, "notes://old/search"), (Values{{"kind", "old"}}));
  EXPECT_EQ(match(text, "notes://old/search?q=a%20b"), (Values{{"kind", "old"}, {"q", "a b"}}));
  EXPECT_EQ(match(text, "notes://old/search?limit=3&q="), (Values{{"kind", "old"}, {"limit", "3"}, {"q", ""}}));
  EXPECT_EQ(match(text, "notes://old/search?q=a=b/c?d"), (Values{{"kind", "old"}, {"q", "a=b/c?d"}}));
  EXPECT_EQ(match(text, "notes://old/search?q"), (Values{{"kind", "old"}, {"q", ""}}));
  EXPECT_EQ(match(text, "notes://old/search?"), (Values{{"kind", "old"}}));
  EXPECT_EQ(match("{+path}{?q}", "a://b?q=1"), (Values{{"path", "a://b"}, {"q", "1"}}));
  EXPECT_EQ(parsed(text).variables(), (std::vector<std::string>{"kind", "q", "limit"}));
}

TEST(UriTemplate, QueryHasNoOtherParameters) {
  for (const auto* query :
       {"?other=1", "?q=1&other=1", "?q=1&q=2", "?=1", "?q=%", "?q=%FF", "?%71%=1", "?q=1#part", "?q=1&&limit=2"}) {
    EXPECT_EQ(match("notes://search{?q,limit}", std::string("notes://search") + query), std::nullopt) << query;
  }
}

TEST(UriTemplate, NothingFollowsAQuery) {
  EXPECT_NE(error_of("a://b{?q}/c").find("has something after its query"), std::string::npos);
  EXPECT_NE(error_of("a://b{?q}{#part}").find("has something after its query"), std::string::npos);
  EXPECT_NE(error_of("a://b?x=1{?q}").find("has a \"?\" before its query"), std::string::npos);
  EXPECT_NE(error_of("a://{q}{?q}").find("has the variable \"q\" twice"), std::string::npos);
  EXPECT_NE(error_of("a://b{?q,q}").find("has the variable \"q\" twice"), std::string::npos);
  EXPECT_NE(error_of("a://b{?}").find("one of whose names is not made of letters"), std::string::npos);
  EXPECT_NE(error_of("a://b{?q,}").find("one of whose names is not made of letters"), std::string::npos);
  EXPECT_NE(error_of("a://b{?q").find("has a \"{\" without its \"}\""), std::string::npos);
}

TEST(UriTemplate, WithoutAQueryIsMoreSpecific) {
  EXPECT_TRUE(parsed("a://{b}").more_specific_than(parsed("a://{b}{?q}")));
  EXPECT_FALSE(parsed("a://{b}{?q}").more_specific_than(parsed("a://{b}")));
}

TEST(UriTemplate, SplitsSeveralVariables) {
  EXPECT_EQ(match("db://{table}/rows/{id}", "db://users/rows/42"), (Values{{"table", "users"}, {"id", "42"}}));
  EXPECT_EQ(match("repo://{owner}/{name}/{+path}", "repo://a/b/c/d"),
            (Values{{"owner", "a"}, {"name", "b"}, {"path", "c/d"}}));
  EXPECT_EQ(match("db://{table}/rows/{id}", "db://users/rows/"), std::nullopt);
  EXPECT_EQ(match("db://{table}/rows/{id}", "db://users/x/rows/1"), std::nullopt);
}

TEST(UriTemplate, FirstVariableTakesAsMuchAsItCan) {
  EXPECT_EQ(match("v://{a}-{b}", "v://1-2-3"), (Values{{"a", "1-2"}, {"b", "3"}}));
  EXPECT_EQ(match("v://{+a}/{b}", "v://1/2/3"), (Values{{"a", "1/2"}, {"b", "3"}}));
  EXPECT_EQ(match("v://{a}-{+b}", "v://1-2/3-4"), (Values{{"a", "1"}, {"b", "2/3-4"}}));
  EXPECT_EQ(match("v://{a}--{b}", "v://x---y"), (Values{{"a", "x-"}, {"b", "y"}}));
}

TEST(UriTemplate, DecodesValues) {
  EXPECT_EQ(match("notes://{name}", "notes://caf%C3%A9%20%2F%3f"), (Values{{"name", "caf\xC3\xA9 /?"}}));
  EXPECT_EQ(match("notes://{name}", "notes://caf\xC3\xA9+x"), (Values{{"name", "caf\xC3\xA9+x"}}));
  EXPECT_EQ(match("file:///{+path}", "file:///a%2Fb/c"), (Values{{"path", "a/b/c"}}));
  EXPECT_EQ(match("notes://{name}", "notes://%00"), (Values{{"name", std::string(1, '\0')}}));
}

TEST(UriTemplate, DoesNotMatchBrokenPercentEncoding) {
  for (const auto* uri : {"notes://%", "notes://%4", "notes://a%zz", "notes://%4g", "notes://a%%20"}) {
    EXPECT_EQ(match("notes://{name}", uri), std::nullopt) << uri;
  }
}

TEST(UriTemplate, DoesNotMatchValuesThatAreNotUtf8) {
  for (const auto* value : {"%FF", "%C3", "%C0%AF", "%E0%80%AF", "%ED%A0%80", "%F0%80%80%80", "%F4%90%80%80",
                            "%F5%80%80%80", "%80", "\xFF", "\xC3"}) {
    EXPECT_EQ(match("notes://{name}", std::string("notes://") + value), std::nullopt) << value;
  }
  for (const auto* value : {"%C2%80", "%E0%A0%80", "%ED%9F%BF", "%EE%80%80", "%F0%90%80%80", "%F4%8F%BF%BF"}) {
    EXPECT_NE(match("notes://{name}", std::string("notes://") + value), std::nullopt) << value;
  }
}

TEST(UriTemplate, RefusesWhatItCannotMatch) {
  EXPECT_EQ(error_of(""), "the URI template is empty");
  EXPECT_EQ(error_of("a://{b"), "the URI template \"a://{b\" has a \"{\" without its \"}\"");
  EXPECT_EQ(error_of("a://b}"), "the URI template \"a://b}\" has a \"}\" without its \"{\"");
  EXPECT_EQ(error_of("a://b\nc"), "the URI template \"a://b\nc\" has a control character");
  EXPECT_EQ(error_of("a://100%"),
            "the URI template \"a://100%\" has a \"%\" that is not followed by two hexadecimal digits");
  EXPECT_EQ(
      error_of("a://{}"),
      "the URI template \"a://{}\" has the expression \"{}\", whose name is not made of letters, digits, \"_\" and "
      "\".\"");
  for (const auto* expression : {"{+}", "{{a}", "{a b}", "{a%2}", "{a..b}", "{a.}"}) {
    EXPECT_NE(error_of(std::string("a://") + expression).find("whose name is not"), std::string::npos) << expression;
  }
  EXPECT_EQ(error_of("a://{x}/{x}"), "the URI template \"a://{x}/{x}\" has the variable \"x\" twice");
  EXPECT_EQ(error_of("a://*/*"), "the URI template \"a://*/*\" has the variable \"*\" twice");
  EXPECT_EQ(error_of("a://{x}{y}"),
            "the URI template \"a://{x}{y}\" has no text between the variables \"x\" and \"y\", so a URI cannot be "
            "split into "
            "their values");
  EXPECT_EQ(error_of(std::string(2049, 'a')), "the URI template is longer than 2048 bytes");
  EXPECT_EQ(error_of(std::string(2048, 'a')), "accepted");
}

TEST(UriTemplate, NamesTheFormThatItDoesNotSupport) {
  const auto reason = [](const std::string& form) {
    return ", which is " + form +
           "; only {name}, {+name}, {#name}, {name*}, {/name}, {/name*} and {?name,name} are supported";
  };
  const std::map<std::string, std::string> forms = {
      {"{.a}", R"(the operator "." (labels, level 3))"},
      {"{;a}", R"(the operator ";" (path parameters, level 3))"},
      {"{&a}", R"(the operator "&" (more of a query, level 3))"},
      {"{=a}", "an operator that RFC 6570 reserves"},
      {"{a,b}", "several variables in one expression (level 3)"},
      {"{+a,b}", "several variables in one expression (level 3)"},
      {"{a:3}", R"(the modifier ":" (prefix, level 4))"},
      {"{+a*}", R"(the modifier "*" (explode, level 4) after an operator)"}};
  for (const auto& [expression, form] : forms) {
    EXPECT_EQ(error_of("a://" + expression),
              "the URI template \"a://" + expression + "\" has the expression \"" + expression + "\"" + reason(form));
  }
}

// Each example of sections 1.2, 3.2.2, 3.2.3 and 3.2.4 of RFC 6570 whose expressions are of level 1 or 2 and whose
// values are not empty.
TEST(UriTemplate, FindsTheValuesOfTheExamplesOfTheRfc) {
  struct Example {
    const char* text;
    const char* expansion;
    Values values;
  };
  const std::vector<Example> examples = {
      {"{var}", "value", {{"var", "value"}}},
      {"{hello}", "Hello%20World%21", {{"hello", "Hello World!"}}},
      {"{half}", "50%25", {{"half", "50%"}}},
      {"{+var}", "value", {{"var", "value"}}},
      {"{+hello}", "Hello%20World!", {{"hello", "Hello World!"}}},
      {"{+half}", "50%25", {{"half", "50%"}}},
      {"{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex", {{"base", "http://example.com/home/"}}},
      {"{+base}index", "http://example.com/home/index", {{"base", "http://example.com/home/"}}},
      {"{+path}/here", "/foo/bar/here", {{"path", "/foo/bar"}}},
      {"here?ref={+path}", "here?ref=/foo/bar", {{"path", "/foo/bar"}}},
      {"up{+path}{var}/here", "", {}},  // refused: nothing between the variables
      {"X{#var}", "X#value", {{"var", "value"}}},
      {"X{#hello}", "X#Hello%20World!", {{"hello", "Hello World!"}}},
      {"{#half}", "#50%25", {{"half", "50%"}}},
  };
  for (const auto& [text, expansion, values] : examples) {
    if (values.empty()) {
      EXPECT_NE(error_of(text).find("no text between"), std::string::npos) << text;
    } else {
      EXPECT_EQ(match(text, expansion), values) << text;
    }
  }
}

TEST(UriTemplate, DoesNotMatchTheExpansionOfAnEmptyValue) {
  EXPECT_EQ(match("O{empty}X", "OX"), std::nullopt);
  EXPECT_EQ(match("O{+empty}X", "OX"), std::nullopt);
  EXPECT_EQ(match("foo{#empty}", "foo#"), std::nullopt);
}

TEST(UriTemplate, TakesTheSameTextForTheSameHoweverItIsEncoded) {
  for (const auto* uri : {"notes://caf\xC3\xA9/a", "notes://caf%C3%A9/a", "notes://caf%c3%a9/%61"}) {
    EXPECT_EQ(match("notes://caf\xC3\xA9/{x}", uri), (Values{{"x", "a"}})) << uri;
    EXPECT_EQ(match("notes://caf%c3%A9/{x}", uri), (Values{{"x", "a"}})) << uri;
  }
  EXPECT_EQ(match("notes://a%2Fb/{x}", "notes://a/b/c"), std::nullopt);
}

TEST(UriTemplate, TellsItsTextAndVariables) {
  const auto uri_template = parsed("repo://{owner}/{+path}/*{#the.part_1}");
  EXPECT_EQ(uri_template.text(), "repo://{owner}/{+path}/*{#the.part_1}");
  EXPECT_EQ(uri_template.variables(), (std::vector<std::string>{"owner", "path", "*", "the.part_1"}));
}

TEST(UriTemplate, IsReadByClientsWithoutWhatAUriCannotHave) {
  const auto uri_template = parsed("notes://\xC3\xBC ber uns|%7e/{name}{#part}/*");
  EXPECT_EQ(uri_template.text(), "notes://%C3%BC%20ber%20uns%7C%7e/{name}{#part}/*");
  EXPECT_EQ(uri_template.original(), "notes://\xC3\xBC ber uns|%7e/{name}{#part}/*");
}

TEST(UriTemplate, MatchesWhatAUriCannotHaveEncodedOrNot) {
  for (const auto* uri : {"notes://b c/x y", "notes://b%20c/x y", "notes://b c/x%20y", "notes://b%20c/x%20y"}) {
    for (const auto* text : {"notes://b c/{name}", "notes://b%20c/{name}"})
      EXPECT_EQ(match(text, uri), (Values{{"name", "x y"}})) << text << " " << uri;
  }
  EXPECT_EQ(match("notes://{name}", "notes://<\"{a}|\\^`>"), (Values{{"name", "<\"{a}|\\^`>"}}));
}

TEST(UriTemplate, KeepsWorkingAfterItWasCopiedAndMoved) {
  auto original = parsed("notes://{name}");
  auto copy = original;
  const auto moved = std::move(original);
  copy = parsed("other://{x}");
  EXPECT_EQ(moved.text(), "notes://{name}");
  EXPECT_EQ(moved.match("notes://a"), (Values{{"name", "a"}}));
  EXPECT_EQ(copy.match("other://a"), (Values{{"x", "a"}}));
}

TEST(UriTemplate, MoreSpecificMeansMoreTextThenFewerAndNarrowerVariables) {
  const std::vector<std::string> from_specific_to_general = {
      "docs://guide/{name}", "docs://guide/{+name}", "docs://{a}/{b}", "docs://{a}", "docs://*", "{+x}"};
  std::vector<UriTemplate> templates;
  for (const auto& text : from_specific_to_general) {
    templates.push_back(parsed(text));
  }
  for (std::size_t a = 0; a < templates.size(); ++a) {
    for (std::size_t b = 0; b < templates.size(); ++b) {
      EXPECT_EQ(templates[a].more_specific_than(templates[b]), a < b) << a << " " << b;
    }
  }
  EXPECT_TRUE(parsed("docs://{a}xy").more_specific_than(parsed("docs://{a}x{b}")));
  std::string umlauts;
  for (int i = 0; i < 700; ++i)
    umlauts += "\xC3\xA4";  // three bytes for each when they are encoded
  EXPECT_TRUE(parsed("x://" + umlauts + "/{a}").more_specific_than(parsed("x://{+a}")));
  EXPECT_FALSE(parsed("docs://{a}").more_specific_than(parsed("docs://{b}")));
  EXPECT_FALSE(parsed("docs://{b}").more_specific_than(parsed("docs://{a}")));
}

std::string percent_encoded(std::string_view value) {
  constexpr std::string_view unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : value) {
    if (unreserved.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', hex[byte >> 4], hex[byte & 0xF]};
    }
  }
  return encoded;
}

TEST(UriTemplate, FindsTheValuesThatAnExpansionWasMadeFrom) {
  const std::vector<std::string> characters = {"a", "Z", "0", "/", "?",        "#",
                                               "%", " ", "&", "=", "\xC3\xA9", "\xF0\x9F\x98\x80"};
  const auto uri_template = parsed("x://{a}/y/{+b}!{c}");
  std::mt19937 random(6570);
  const auto value = [&] {
    std::string text;
    for (auto size = 1 + random() % 6; size-- > 0;) {
      text += characters[random() % characters.size()];
    }
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    const Values values{{"a", value()}, {"b", value()}, {"c", value()}};
    const auto uri = "x://" + percent_encoded(values.at("a")) + "/y/" + percent_encoded(values.at("b")) + "!" +
                     percent_encoded(values.at("c"));
    EXPECT_EQ(uri_template.match(uri), values) << uri;
  }
}

struct Part {
  char kind;  // of a literal, a segment or anything: 'l', 's', 'a'
  std::string text;
};

// Tries each way to split a URI, the longest value of each variable first.
class Splitter {
 public:
  Splitter(const std::vector<Part>& parts, std::string_view uri)
      : parts_(parts), uri_(uri), failed_(parts.size() * (uri.size() + 1)) {}

  bool split(Values& values, std::size_t part = 0, std::size_t offset = 0) {
    if (part == parts_.size()) return offset == uri_.size();
    const auto way = part * (uri_.size() + 1) + offset;
    if (failed_[way]) return false;
    failed_[way] = true;
    const auto& [kind, text] = parts_[part];
    const auto rest = uri_.substr(offset);
    if (kind == 'l') return rest.starts_with(text) && split(values, part + 1, offset + text.size());
    for (auto size = kind == 'a' ? rest.size() : std::min(rest.find_first_of("/?#"), rest.size()); size > 0; --size) {
      if (!split(values, part + 1, offset + size)) continue;
      values[text] = rest.substr(0, size);
      return true;
    }
    return false;
  }

 private:
  const std::vector<Part>& parts_;
  std::string_view uri_;
  std::vector<bool> failed_;
};

TEST(UriTemplate, SplitsAUriAsTryingEachWayDoes) {
  std::mt19937 random(3986);
  const auto one_of = [&](std::string_view characters, std::size_t max_size) {
    std::string text;
    for (auto size = 1 + random() % max_size; size-- > 0;)
      text += characters[random() % characters.size()];
    return text;
  };
  std::size_t matches = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::string_view characters = round % 3 == 0 ? "ab" : round % 3 == 1 ? "ab/" : "aaab/";
    std::vector<Part> parts;
    std::string text;
    std::string uri;
    bool is_literal = random() % 2 == 0;
    for (auto count = 1 + random() % 7; count-- > 0; is_literal = !is_literal) {
      const auto name = "v" + std::to_string(count);
      const bool is_segment = random() % 2 == 0;
      auto& part = parts.emplace_back(Part{is_literal ? 'l' : is_segment ? 's' : 'a', name});
      if (is_literal) part.text = one_of(characters, 3);
      text += is_literal ? part.text : is_segment ? "{" + name + "}" : "{+" + name + "}";
      uri += is_literal ? part.text : one_of(is_segment ? "ab" : characters, random() % 2 == 0 ? 3 : 60);
    }
    // An expansion, which matches, or any text, which may.
    if (random() % 2 == 0) uri = one_of(characters, random() % 2 == 0 ? 10 : 130);
    Values values;
    const bool is_match = Splitter(parts, uri).split(values);
    const auto expected = is_match ? std::optional(values) : std::nullopt;
    matches += is_match ? 1 : 0;
    ASSERT_EQ(match(text, uri), expected) << text << " " << uri;
    // Also where the template ends before the URI does.
    if (is_match) values["q"] = std::string(random() % 130, 'b');
    const auto with_query = is_match ? std::optional(values) : std::nullopt;
    ASSERT_EQ(match(text + "{?q}", uri + "?q=" + (is_match ? values["q"] : "b")), with_query) << text << " " << uri;
  }
  EXPECT_GT(matches, 1000U);
  EXPECT_LT(matches, 4000U);
}

TEST(UriTemplate, MatchesUrisOfEverySize) {
  for (std::size_t size = 1; size < 300; ++size) {
    const std::string value(size, 'a');
    EXPECT_EQ(match("{a}", value), (Values{{"a", value}}));
    EXPECT_EQ(match("{a}/", value + "/"), (Values{{"a", value}}));
    EXPECT_EQ(match("/{+a}", "/" + value), (Values{{"a", value}}));
    EXPECT_EQ(match("{a}", value + "/"), std::nullopt);
    EXPECT_EQ(match("{a}", "/" + value), std::nullopt);
  }
}

TEST(UriTemplate, MatchesHostileUrisInBoundedTime) {
  std::string text = "x://";
  for (int variable = 0; variable < 100; ++variable) {
    text += "{+v" + std::to_string(variable) + "}aaaaaaaaa";
  }
  const auto uri_template = parsed(text + "b");
  const auto uri = "x://" + std::string(UriTemplate::max_uri_size - 4, 'a');
  // A backtracking matcher would not end within our lifetime, nor so the test.
  EXPECT_EQ(uri_template.match(uri), std::nullopt);
}

TEST(UriTemplate, DoesNotMatchUrisBeyondTheLimit) {
  const auto uri_template = parsed("x://{a}");
  EXPECT_NE(uri_template.match("x://" + std::string(UriTemplate::max_uri_size - 4, 'a')), std::nullopt);
  EXPECT_EQ(uri_template.match("x://" + std::string(UriTemplate::max_uri_size - 3, 'a')), std::nullopt);
}

}  // namespace
}  // namespace mcph
