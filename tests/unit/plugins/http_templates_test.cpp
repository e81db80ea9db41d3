// What the plugin http makes of a configuration and arguments, without a server: tests/integration/http_plugin.test.mjs
// has those.
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin.hpp>

#include "http/address_rules.hpp"
#include "http/answer_cache.hpp"
#include "http/json_template.hpp"
#include "http/reply_reader.hpp"
#include "http/request_template.hpp"
#include "http/secret_mask.hpp"
#include "http/secrets.hpp"
#include "http/url_template.hpp"
#include "shared/text.hpp"

namespace plugins::http {
namespace {

using mcp::Json;
using testing::HasSubstr;

std::string filled(const char* text, const Json& arguments) {
  return UrlTemplate(text).filled([&](const std::string& name) { return arguments.value(name, Json()); });
}

// What is said where something cannot be used.
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(HttpUrlTemplate, EncodesWhatIsNotUnreserved) {
  EXPECT_EQ(filled("https://h/{a}", {{"a", "az-._~09"}}), "https://h/az-._~09");
  EXPECT_EQ(filled("https://h/{a}?b={b}", {{"a", "/?#[]@!$&'()*+,;=:% \"<>\\"}, {"b", "&=+#\xC3\xA4"}}),
            "https://h/%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%25%20%22%3C%3E%5C?b=%26%3D%2B%23%C3%A4");
}

TEST(HttpUrlTemplate, TakesNumbersBoolsAndLists) {
  EXPECT_EQ(filled("https://h/{a}{?b,c,d}", {{"a", 7}, {"b", true}, {"c", {1, "x,y"}}}),
            "https://h/7?b=true&c=1,x%2Cy");
  EXPECT_EQ(filled("https://h{/a*}{?b*}{&c}", {{"a", {"x", "y"}}, {"b", {1, 2}}, {"c", ""}}),
            "https://h/x/y?b=1&b=2&c=");
  EXPECT_EQ(filled("https://h/p?q=1{&c}", Json::object()), "https://h/p?q=1");
  EXPECT_EQ(refusal([] {
              filled("https://h/{a}", {{"a", Json::object()}});
            }),
            "The argument \"a\" must be a text, a number, true or false.");
}

TEST(HttpUrlTemplate, KeepsEmptyItemsOfAListAndLeavesOutAnEmptyList) {
  EXPECT_EQ(filled("https://h/{?tags}", {{"tags", {"", "b"}}}), "https://h/?tags=,b");
  EXPECT_EQ(filled("https://h/{?tags}", {{"tags", {"", ""}}}), "https://h/?tags=,");
  EXPECT_EQ(filled("https://h/{?tags,b}", {{"tags", Json::array()}, {"b", 1}}), "https://h/?b=1");
  EXPECT_EQ(filled("https://h/x{/a}{/b*}", {{"a", Json::array()}, {"b", Json::array()}}), "https://h/x");
}

TEST(HttpUrlTemplate, BeginsTheQueryWithWhatIsGivenOfIt) {
  EXPECT_EQ(filled("https://h/items{?page}{&q}", {{"q", "x"}}), "https://h/items?q=x");
  EXPECT_EQ(filled("https://h/items{?page}&fixed=1{&q}", {{"q", "x"}}), "https://h/items?fixed=1&q=x");
  EXPECT_EQ(filled("https://h/items{?page}&fixed=1{&q}", {{"page", 2}}), "https://h/items?page=2&fixed=1");
  EXPECT_EQ(filled("https://h/a&b{?page}", Json::object()), "https://h/a&b");
}

TEST(HttpUrlTemplate, LeavesNoSegmentThatIsTakenOut) {
  for (const char* const url : {"https://h/{a}", "https://h/x/{a}/y", "https://h{/a}", "https://h{/a*}?q=1"}) {
    EXPECT_THAT(refusal([&] { filled(url, {{"a", ".."}}); }), HasSubstr("must not make \"..\" a segment")) << url;
    EXPECT_THAT(refusal([&] { filled(url, {{"a", "."}}); }), HasSubstr("must not make \".\" a segment")) << url;
    EXPECT_THAT(refusal([&] { filled(url, {{"a", ""}}); }), HasSubstr("be empty")) << url;
  }
  EXPECT_THAT(refusal([] { filled("https://h/{a}{b}", {{"a", "."}, {"b", "."}}); }), HasSubstr("must not make"));
  EXPECT_EQ(filled("https://h/{a}", {{"a", "..."}}), "https://h/...");
  EXPECT_EQ(filled("https://h/?q={a}", {{"a", "/../"}}), "https://h/?q=%2F..%2F");
}

TEST(HttpUrlTemplate, RefusesWhatCouldLeadElsewhere) {
  for (const char* const url :
       {"https://{a}/",       "https://h{a}",     "https://h{&a}",   "https://u@h/",     "https://h:{a}/",
        "https://",           "https:///x",       "https://h\\x",    "https://h#x",      "//h/",
        "file:///etc/passwd", "HTTPS://h/",       "https://h/{a",    "https://h/a}",     "https://h/{}",
        "https://h/{+a}",     "https://h/{#a}",   "https://h/{a,b}", "https://h/{a:3}",  "https://h/ x",
        "https://h/#x",       "https://h/?a{?b}", "https://h/{&b}",  "https://h/?a{/b}", "https://h/\xC3\xA4"}) {
    EXPECT_THROW(UrlTemplate{url}, std::invalid_argument) << url;
  }
  for (const char* const url : {"https://h", "http://[::1]:80/", "https://h?a", "https://h{?a}", "https://h{/a}"})
    EXPECT_NO_THROW(UrlTemplate{url}) << url;
}

TEST(HttpJsonTemplate, PutsValuesNotText) {
  const JsonTemplate body(
      Json{{"a", "{x}"}, {"b", "<{x}>"}, {"c", {"{y}", "{missing}"}}, {"d", "{missing}"}, {"e", "{{x}}"}}, "body");
  const Json arguments{{"x", "\",\"admin\":true,\""}, {"y", {{"n", 1}}}};
  EXPECT_EQ(
      body.filled([&](const std::string& name) { return arguments.value(name, Json()); }),
      Json({{"a", "\",\"admin\":true,\""}, {"b", "<\",\"admin\":true,\">"}, {"c", {Json{{"n", 1}}}}, {"e", "{x}"}}));
  EXPECT_EQ(refusal([] {
              JsonTemplate({{"a", {"x", "{ y"}}}, "body");
            }),
            "\"body.a[1]\" has a brace at byte 1 that is not around a name: write it twice if it is meant as it is");
}

TEST(HttpAddressRules, AllowThePublicInternetOnly) {
  const AddressRules rules({});
  const auto allows = [&](const char* address) { return rules.allow(parse_range(address).value().address); };
  for (const char* const address :
       {"1.1.1.1", "93.184.216.34", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0", "2606:4700::1111",
        "2a00::1", "64:ff9b::101:101", "::ffff:1.1.1.1", "223.255.255.255"}) {
    EXPECT_TRUE(allows(address)) << address;
  }
  for (const char* const address : {"0.0.0.0",
                                    "0.1.2.3",
                                    "10.255.255.255",
                                    "100.64.0.1",
                                    "127.0.0.1",
                                    "127.255.255.254",
                                    "169.254.169.254",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.0.0.8",
                                    "192.0.2.1",
                                    "192.88.99.1",
                                    "192.168.255.255",
                                    "198.18.0.1",
                                    "198.19.255.255",
                                    "198.51.100.1",
                                    "203.0.113.1",
                                    "224.0.0.1",
                                    "239.255.255.255",
                                    "240.0.0.1",
                                    "255.255.255.255",
                                    "::",
                                    "::1",
                                    "::7f00:1",
                                    "::ffff:127.0.0.1",
                                    "::ffff:10.0.0.1",
                                    "64:ff9b::7f00:1",
                                    "64:ff9b::a00:1",
                                    "64:ff9b:1::1",
                                    "100::1",
                                    "2001::1",
                                    "2001:1ff:ffff::1",
                                    "2001:db8::1",
                                    "2002:7f00:1::1",
                                    "3fff::1",
                                    "fc00::1",
                                    "fd00:ec2::254",
                                    "fe80::1",
                                    "fec0::1",
                                    "ff02::1",
                                    "5f00::1"}) {
    EXPECT_FALSE(allows(address)) << address;
  }
}

TEST(HttpAddressRules, AllowWhatIsNamed) {
  const AddressRules rules({"10.1.2.0/23", "127.0.0.1", "fd00::/8"});
  const auto allows = [&](const char* address) { return rules.allow(parse_range(address).value().address); };
  for (const char* const address : {"10.1.2.0", "10.1.3.255", "::ffff:10.1.2.3", "127.0.0.1", "fd12::1"})
    EXPECT_TRUE(allows(address)) << address;
  for (const char* const address : {"10.1.4.0", "10.1.1.255", "127.0.0.2", "fc00::1"})
    EXPECT_FALSE(allows(address)) << address;
  for (const char* const range : {"", "localhost", "10.0.0.0/33", "10.0.0.0/4294967200", "10.0.0.0/", "10.0.0.0/x",
                                  "10.0.0", "::/129", "1.2.3.4/8/8"})
    EXPECT_FALSE(parse_range(range)) << range;
}

TEST(HttpRequestTemplate, LeavesOutAHeaderWhoseArgumentIsNotGiven) {
  RequestSettings settings;
  settings.url = "https://h/";
  settings.headers = {{"X-A", "{a}"}, {"X-B", "b {b}"}};
  const Json schema{{"properties", {{"a", Json::object()}, {"b", Json::object()}}}};
  const Secrets secrets({});
  const auto request = RequestTemplate(settings, schema, secrets, "request").filled({{"b", 7}}, secrets);
  ASSERT_EQ(request.headers.size(), 1U);
  EXPECT_EQ(request.headers[0].name, "X-B");
  EXPECT_EQ(request.headers[0].value, "b 7");
}

TEST(HttpReplyReader, FindsNothingWhereThePointerDoesNotFit) {
  ResultSettings settings;
  settings.pointer = "/a/b/0";
  const ReplyReader reader(settings, "result");
  for (const char* const body :
       {"{}", "[]", "7", R"({"a":[1]})", R"({"a":{"b":[]}})", R"({"a":{"b":{"x":1}}})", R"({"a":{"b":[null]}})"}) {
    const Response response{200, "OK", "application/json", body, "h"};
    EXPECT_THAT(refusal([&] { reader.result(response, Request()); }), HasSubstr("has nothing at /a/b/0")) << body;
  }
}

TEST(HttpReplyReader, TellsNoPartOfASecretThatIsCutOff) {
  Request request;
  request.secrets = {"0123456789"};
  const Response response{500, "", "", std::string(195, 'x') + "0123456789", "h"};
  EXPECT_EQ(error_text(response, request), "The server answered 500: " + std::string(195, 'x') + "[secr...");
}

TEST(HttpReplyReader, TellsNoPartOfASecretWhoseEndHasNotBeenRead) {
  Request request;
  request.secrets = {"0123456789"};
  const auto told = [&](const std::string& body) { return error_text({500, "", "", body, "h", true}, request); };
  const auto page = "No such page." + std::string(100, '\n');
  for (const auto* const part : {"", "012345678", R"(\\u0030\\u0031\\u0032\\u0033\\u00)", "0123456789 012"})
    EXPECT_EQ(told(page + part), "The server answered 500: No such page.") << part;
  EXPECT_EQ(told("0123"), "The server answered 500.");
}

TEST(HttpReplyReader, TellsAPageThatIsCutOffInACharacter) {
  EXPECT_EQ(error_text({500, "", "", "No \xE2\x82\xAC\xE2\x82", "h", true}, Request()),
            "The server answered 500: No \xE2\x82\xAC");
}

TEST(HttpReplyReader, CutsOffTheReasonWithoutASecretOrHalfACharacter) {
  Request request;
  request.secrets = {"0123456789"};
  const auto told = [&](const std::string& reason) { return error_text({500, reason, "", "", "h"}, request); };
  EXPECT_EQ(told("No 0123456789"), "The server answered 500 No [secret].");
  EXPECT_EQ(told(std::string(75, 'x') + "0123456789"), "The server answered 500 " + std::string(75, 'x') + "[secr.");
  EXPECT_EQ(told(std::string(79, 'x') + "\xC3\xA4"), "The server answered 500 " + std::string(79, 'x') + '.');
}

TEST(HttpReplyReader, HidesASecretThatIsSentAsANumber) {
  Request request;
  request.secrets = {"1234567890"};
  const Response response{200, "OK", "application/json", R"({"a":[1234567890],"b":-1.5,"c":12345678901})", "h"};
  ResultSettings settings;
  settings.type = ResultType::json;
  EXPECT_EQ(ReplyReader(settings, "result").result(response, request).answer().json,
            R"({"content":[{"type":"text","text":"{\"a\":[\"[secret]\"],\"b\":-1.5,\"c\":12345678901}"}],)"
            R"("structuredContent":{"a":["[secret]"],"b":-1.5,"c":12345678901}})")
      << "a number that has its digits in it is none";
}

TEST(HttpReplyReader, HidesASecretThatIsSentAsANumberOfWhichOnlyTheFirstDigitsAreKept) {
  Request request;
  request.secrets = {"123456789012345678901234567890"};
  const Response response{200, "OK", "application/json", "[123456789012345678901234567890]", "h"};
  EXPECT_EQ(ReplyReader({}, "result").result(response, request).answer().json,
            R"({"content":[{"type":"text","text":"[\"[secret]\"]"}]})");
}

// What is said of these bytes as a part of an answer in JSON, or as all of it.
std::string refusal_of_bytes(const std::string& body, bool is_json) {
  ResultSettings settings;
  settings.type = is_json ? ResultType::image : ResultType::blob;
  if (is_json) settings.pointer = "/data";
  Request request;
  request.url = "https://h/";
  request.secrets = {"secretKey+123456"};
  const Response response{200, "OK", "image/png", is_json ? R"({"data":")" + body + "\"}" : body, "h"};
  return refusal([&] { ReplyReader(settings, "result").result(response, request); });
}

TEST(HttpReplyReader, AnswersNoBytesWithASecret) {
  const auto refused = "The server's answer has a secret in it.";
  for (const std::string body :
       {"\xFFsecretKey+123456\xFF", "key=secretKey%2B123456", R"({"key":"secretKey\u002b123456"})"})
    EXPECT_EQ(refusal_of_bytes(body, false), refused) << body;
  EXPECT_EQ(refusal_of_bytes("\xFFsecretKey", false), "none");
  // "\xFFsecretKey+123456", a secret that is base64 itself, one as a type, and another text.
  for (const auto* const base64 : {"/3NlY3JldEtleSsxMjM0NTY=", "secretKey+123456", "data:secretKey+123456;base64,YQ=="})
    EXPECT_EQ(refusal_of_bytes(base64, true), refused) << base64;
  EXPECT_EQ(refusal_of_bytes("c2VjcmV0", true), "none");
}

TEST(HttpReplyReader, TellsNoSecretThatIsSentAsTheTypeOfBytes) {
  ResultSettings settings;
  settings.type = ResultType::image;
  Request request;
  request.secrets = {"secret/key"};
  const Response response{200, "OK", "secret/key", "x", "h"};
  EXPECT_THAT(refusal([&] { ReplyReader(settings, "result").result(response, request); }),
              HasSubstr("answered with [secret] instead of an image"));
}

TEST(HttpText, LosesOnlyTheCharacterThatIsCutOff) {
  const std::string characters = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";  // of one byte to four
  const std::vector<std::pair<std::size_t, std::size_t>> sizes{{0, 0}, {1, 1}, {2, 1}, {3, 3}, {4, 3},
                                                               {5, 3}, {6, 6}, {7, 6}, {9, 6}, {10, 10}};
  for (const auto& [size, left] : sizes) {
    auto text = characters.substr(0, size);
    drop_half_character(text);
    EXPECT_EQ(text.size(), left) << size;
  }
  std::string no_text = "\x80\x80\x80\x80";
  drop_half_character(no_text);
  EXPECT_EQ(no_text.size(), 4U);
}

TEST(HttpSecretMask, HidesWhatASecretBeginsAndEverySpellingOfIt) {
  const SecretMask mask({"ada", "ada-2026", "ab+cd&ef", "\xC3\xA4/\xF0\x9F\x98\x80"});
  for (const auto* const text :
       {"ada-2026", "ab+cd&ef", R"(ab\u002Bcd\u0026ef)", R"(ab\\u002bcd\\u0026ef)", R"(\u0061da)", "ab%2Bcd%26ef",
        "ab%2bcd%26ef", R"(\u00e4\/\ud83d\ude00)", R"(\u00E4/\uD83D\uDE00)", "%C3%A4%2F%F0%9F%98%80"}) {
    EXPECT_EQ(mask.hide('<' + std::string(text) + '>'), "<[secret]>") << text;
  }
  for (const auto* const text : {"", "ad", "ab+cd", R"(\u00)", R"(\u006)", R"(\ud83d)", R"(a\u0020b \ud83d\u0041)"})
    EXPECT_EQ(mask.hide(text), text);
  EXPECT_EQ(SecretMask({}).hide("ada"), "ada");
  const auto slashes = std::string(1'000'000, '\\') + "x\\u0041";
  EXPECT_EQ(mask.hide(slashes), slashes);
}

TEST(HttpAnswerCache, ForgetsWhatIsOldAndWhatWasNotUsed) {
  AnswerCache cache;
  const auto now = AnswerCache::Clock::now();
  cache.put("old", mcp::ToolResult().text("x"), 1, now - std::chrono::seconds(1));
  EXPECT_FALSE(cache.find("old"));
  for (std::size_t i = 0; i <= AnswerCache::max_answers; ++i) {
    if (i > 1) {
      EXPECT_TRUE(cache.find("0"));
    }
    cache.put(std::to_string(i), mcp::ToolResult().text("x"), 1, now + std::chrono::hours(1));
  }
  EXPECT_TRUE(cache.find("0"));
  EXPECT_FALSE(cache.find("1"));
  EXPECT_TRUE(cache.find("1000"));
  cache.put("large", mcp::ToolResult(), AnswerCache::max_bytes, now + std::chrono::hours(1));
  EXPECT_FALSE(cache.find("large"));
}

}  // namespace
}  // namespace plugins::http
