#include "catalog/uri_template.hpp"

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
  const std::string only =
      ", but only {name}, {+name} and {#name} with one name of letters, digits, \"_\" and \".\" are supported";
  EXPECT_EQ(error_of(""), "the URI template is empty");
  EXPECT_EQ(error_of("a://{b"), "the URI template \"a://{b\" has a \"{\" without its \"}\"");
  EXPECT_EQ(error_of("a://b}"), "the URI template \"a://b}\" has a \"}\" without its \"{\"");
  EXPECT_EQ(error_of("a://b c"), "the URI template \"a://b c\" has a space or a control character");
  EXPECT_EQ(error_of("a://{}"), "the URI template \"a://{}\" has the expression \"{}\"" + only);
  for (const auto* expression : {"{a,b}", "{/a}", "{?a}", "{&a}", "{;a}", "{.a}", "{a:3}", "{a*}", "{+}", "{{a}",
                                 "{a b}", "{a%2}", "{a..b}", "{a.}", "{=a}"}) {
    EXPECT_NE(error_of(std::string("a://") + expression).find("only {name}"), std::string::npos) << expression;
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

TEST(UriTemplate, TellsItsTextAndVariables) {
  const auto uri_template = parsed("repo://{owner}/{+path}/*{#the.part_1}");
  EXPECT_EQ(uri_template.text(), "repo://{owner}/{+path}/*{#the.part_1}");
  EXPECT_EQ(uri_template.variables(), (std::vector<std::string>{"owner", "path", "*", "the.part_1"}));
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

TEST(UriTemplate, MatchesHostileUrisInBoundedTime) {
  std::string text = "x://";
  for (int variable = 0; variable < 100; ++variable) {
    text += "{+v" + std::to_string(variable) + "}aaaaaaaaa";
  }
  const auto uri_template = parsed(text + "b");
  const auto uri = "x://" + std::string(UriTemplate::max_uri_size - 4, 'a');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(uri_template.match(uri), std::nullopt);
  // A backtracking matcher would not end within our lifetime.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(UriTemplate, DoesNotMatchUrisBeyondTheLimit) {
  const auto uri_template = parsed("x://{a}");
  EXPECT_NE(uri_template.match("x://" + std::string(UriTemplate::max_uri_size - 4, 'a')), std::nullopt);
  EXPECT_EQ(uri_template.match("x://" + std::string(UriTemplate::max_uri_size - 3, 'a')), std::nullopt);
}

TEST(PercentDecode, TakesPlusForPlusAndAnyHexadecimalDigits) {
  EXPECT_EQ(percent_decode("a+b%2B%2b"), "a+b++");
  EXPECT_EQ(percent_decode(""), "");
  EXPECT_EQ(percent_decode("%2"), std::nullopt);
  EXPECT_EQ(percent_decode(std::string_view("a%41", 3)), std::nullopt);
}

TEST(AbsoluteUri, NeedsASchemeAndSomethingAfterIt) {
  for (const auto* uri : {"file:///a", "urn:isbn:1", "x+y-z.1:a", "mailto:a@b", "test://caf\xC3\xA9"}) {
    EXPECT_TRUE(is_absolute_uri(uri)) << uri;
  }
  for (const auto* uri : {"", ":", "a", "a:", "://b", "1a:b", "+a:b", "a_b:c", "/a:b", "a b:c", "a:b c", "a:b\n",
                          "a:b\x7F", "caf\xC3\xA9:b"}) {
    EXPECT_FALSE(is_absolute_uri(uri)) << uri;
  }
}

}  // namespace
}  // namespace mcph
