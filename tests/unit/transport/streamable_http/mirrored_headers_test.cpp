#include "transport/streamable_http/mirrored_headers.hpp"

#include <gtest/gtest.h>

#include "support/json_value.hpp"

namespace mcph {
namespace {

constexpr auto revision = "2026-07-28";

std::string refusal_of_head(const HttpHead& head, std::string_view method, const char* params = "{}") {
  Message request;
  request.method_name = method;
  request.method = find_method(method);
  request.params = test::json_value(params);
  const MirroredHeaders mirrored(head);
  auto checked = mirrored.check_version(revision);
  if (checked.has_value()) checked = mirrored.check(request);
  if (checked.has_value()) return "accepted";
  EXPECT_EQ(checked.error().code, -32020);
  return checked.error().message;
}

TEST(MirroredHeadersTest, ThatMirrorTheBodyAreAccepted) {
  EXPECT_EQ(refusal_of_head({revision, "tools/list", {}, {}}, "tools/list"), "accepted");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "add", {}}, "tools/call", R"({"name":"add"})"), "accepted");
  EXPECT_EQ(refusal_of_head({revision, "prompts/get", "ask", {}}, "prompts/get", R"({"name":"ask"})"), "accepted");
  EXPECT_EQ(refusal_of_head({revision, "resources/read", "a://b", {}}, "resources/read", R"({"uri":"a://b"})"),
            "accepted");
}

TEST(MirroredHeadersTest, AreRefusedWhereTheyAreMissing) {
  EXPECT_EQ(refusal_of_head({}, "tools/list"), "Header mismatch: the MCP-Protocol-Version header is missing");
  EXPECT_EQ(refusal_of_head({revision, {}, {}, {}}, "tools/list"), "Header mismatch: the Mcp-Method header is missing");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", {}, {}}, "tools/call", R"({"name":"add"})"),
            "Header mismatch: the Mcp-Name header is missing; it must mirror params.name");
  EXPECT_EQ(refusal_of_head({revision, "resources/read", {}, {}}, "resources/read", R"({"uri":"a://b"})"),
            "Header mismatch: the Mcp-Name header is missing; it must mirror params.uri");
}

TEST(MirroredHeadersTest, AreRefusedWhereTheyDiffer) {
  EXPECT_EQ(refusal_of_head({"2025-11-25", "tools/list", {}, {}}, "tools/list"),
            "Header mismatch: MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'");
  EXPECT_EQ(refusal_of_head({revision, "tools/list", {}, {}}, "tools/call"),
            "Header mismatch: Mcp-Method header value 'tools/list' does not match body value 'tools/call'");
  EXPECT_EQ(refusal_of_head({revision, "Tools/List", {}, {}}, "tools/list"),
            "Header mismatch: Mcp-Method header value 'Tools/List' does not match body value 'tools/list'");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "sub", {}}, "tools/call", R"({"name":"add"})"),
            "Header mismatch: Mcp-Name header value 'sub' does not match body value 'add'");
}

TEST(MirroredHeadersTest, NeedNotSayTheVersionOfWhatIsNoRequest) {
  const HttpHead head{};
  EXPECT_TRUE(MirroredHeaders(head).check_version(revision).has_value());
}

TEST(MirroredHeadersTest, MayCarryANameInBase64) {
  EXPECT_EQ(refusal_of_head({revision, "resources/read", "=?base64?YTovL8Ok?=", {}}, "resources/read",
                            "{\"uri\":\"a://\xC3\xA4\"}"),
            "accepted");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "=?base64?YWRk?=", {}}, "tools/call", R"({"name":"add"})"),
            "accepted");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "=?base64?YWR?=", {}}, "tools/call", R"({"name":"add"})"),
            "Header mismatch: the Mcp-Name header is neither plain ASCII nor valid =?base64?...?=");
  EXPECT_EQ(
      refusal_of_head({revision, "resources/read", "a://\xC3\xA4", {}}, "resources/read", "{\"uri\":\"a://\xC3\xA4\"}"),
      "Header mismatch: the Mcp-Name header is neither plain ASCII nor valid =?base64?...?=");
}

TEST(MirroredHeadersTest, LeaveABodyWithoutANameToTheMethodUnlessTheyHaveOne) {
  EXPECT_EQ(refusal_of_head({revision, "tools/call", "7", {}}, "tools/call", R"({"name":7})"),
            "Header mismatch: there is an Mcp-Name header, but no text params.name that it mirrors");
  EXPECT_EQ(refusal_of_head({revision, "tools/call", {}, {}}, "tools/call", R"({"name":7})"), "accepted");
}

class ParameterHeaderCheck : public ::testing::Test {
 protected:
  // Header lines by name.
  using Lines = std::vector<std::pair<std::string_view, std::string_view>>;

  static std::string refusal_of(const Lines& lines, const char* arguments) {
    const std::vector<ParameterHeader> headers{{"Mcp-Param-Region", {"region"}}, {"Mcp-Param-Deep", {"where", "deep"}}};
    RequestFields fields;
    for (const auto& [name, value] : lines)
      fields.add(name, value);
    HttpHead head;
    head.others = &fields;
    const auto checked = MirroredHeaders(head).check_arguments(headers, test::json_value(arguments));
    if (checked.has_value()) return "accepted";
    EXPECT_EQ(checked.error().code, -32020);
    return checked.error().message;
  }
  // Of a call whose one argument is `value`.
  static std::string refusal_of_value(std::string_view header, const std::string& value) {
    return refusal_of({{"Mcp-Param-Region", header}}, (R"({"region":)" + value + "}").c_str());
  }
};

TEST_F(ParameterHeaderCheck, AcceptsWhatMirrorsTheArguments) {
  EXPECT_EQ(refusal_of({{"Mcp-Param-Region", "us-west1"}, {"Mcp-Param-Deep", "7"}},
                       R"({"region":"us-west1","where":{"deep":7}})"),
            "accepted");
  EXPECT_EQ(refusal_of({{"Mcp-Param-Other", "x"}}, "{}"), "accepted");
  EXPECT_EQ(refusal_of_value("true", "true"), "accepted");
  EXPECT_EQ(refusal_of_value("false", "false"), "accepted");
  EXPECT_EQ(refusal_of_value("", R"("")"), "accepted");
  EXPECT_EQ(refusal_of_value("=?base64?"
                             "?=",
                             R"("")"),
            "accepted");
  EXPECT_EQ(refusal_of_value("=?base64?SGVsbG8sIOS4lueVjA==?=", R"("Hello, \u4e16\u754c")"), "accepted");
  EXPECT_EQ(refusal_of_value("=?base64?NDI=?=", "42"), "accepted");
}

TEST_F(ParameterHeaderCheck, TakesWhatIsNotWhollyInTheFormOfBase64AsItIs) {
  for (const auto* text : {"SGVsbG8=", "=?base64?SGVsbG8=", "=?BASE64?SGVsbG8=?="}) {
    EXPECT_EQ(refusal_of_value(text, "\"" + std::string(text) + "\""), "accepted");
    EXPECT_NE(refusal_of_value(text, R"("Hello")"), "accepted");
  }
}

TEST_F(ParameterHeaderCheck, ComparesIntegersByTheirValue) {
  EXPECT_EQ(refusal_of_value("42.0", "42"), "accepted");
  EXPECT_EQ(refusal_of_value("42", "42.0"), "accepted");
  EXPECT_EQ(refusal_of_value("-7", "-7"), "accepted");
  EXPECT_EQ(refusal_of_value("9007199254740991", "9007199254740991"), "accepted");
  EXPECT_EQ(refusal_of_value("-9007199254740991", "-9007199254740991"), "accepted");
  for (const auto* text : {"43", "42.5", "42.", ".42", "4.2e1", "+42", "0x2A", " 42", "42 ", "", "inf", "nan"}) {
    EXPECT_EQ(refusal_of_value(text, "42"), "Header mismatch: Mcp-Param-Region header value '" + std::string(text) +
                                                "' does not match body value '42'");
  }
}

TEST_F(ParameterHeaderCheck, RefusesIntegersThatSomeClientsCannotRepresent) {
  for (const auto* value : {"9007199254740992", "-9007199254740992", "18446744073709551615", "1e300"}) {
    EXPECT_EQ(refusal_of_value(value, value),
              "Header mismatch: no Mcp-Param-Region header can carry an integer beyond 9007199254740991");
  }
}

TEST_F(ParameterHeaderCheck, RefusesAHeaderThatIsMissingOrTooMany) {
  EXPECT_EQ(refusal_of({}, R"({"region":"us"})"),
            "Header mismatch: the Mcp-Param-Region header is missing; it must mirror its argument");
  EXPECT_EQ(refusal_of({{"Mcp-Param-Region", "us"}, {"Mcp-Param-Region", "us"}}, R"({"region":"us"})"),
            "Header mismatch: the Mcp-Param-Region header is given more than once");
  for (const auto* arguments : {"{}", R"({"region":null})"}) {
    EXPECT_EQ(refusal_of({}, arguments), "accepted");
    EXPECT_EQ(refusal_of({{"Mcp-Param-Region", "us"}}, arguments),
              "Header mismatch: there is a Mcp-Param-Region header, but no argument that it mirrors");
  }
  EXPECT_EQ(refusal_of({{"Mcp-Param-Deep", "1"}}, R"({"where":"elsewhere"})"),
            "Header mismatch: there is a Mcp-Param-Deep header, but no argument that it mirrors");
}

TEST_F(ParameterHeaderCheck, RefusesAnotherValue) {
  EXPECT_EQ(refusal_of_value("us-east1", R"("us-west1")"),
            "Header mismatch: Mcp-Param-Region header value 'us-east1' does not match body value 'us-west1'");
  EXPECT_EQ(refusal_of_value("True", "true"),
            "Header mismatch: Mcp-Param-Region header value 'True' does not match body value 'true'");
  for (const auto* invalid : {"=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "R\xC3\xA9gion"}) {
    EXPECT_EQ(refusal_of_value(invalid, R"("Hello")"),
              "Header mismatch: the Mcp-Param-Region header is neither plain ASCII nor valid =?base64?...?=");
  }
}

TEST_F(ParameterHeaderCheck, RefusesAnotherValueThanANumberThatIsNoInteger) {
  for (const auto* text : {"42", "1", "1.6", "1.5 ", "+1.5", "", "nan", "x"}) {
    EXPECT_EQ(refusal_of_value(text, "1.5"), "Header mismatch: Mcp-Param-Region header value '" + std::string(text) +
                                                 "' does not match body value '1.5'");
  }
  EXPECT_EQ(refusal_of_value("1.5\xC3\xA9", "1.5"),
            "Header mismatch: the Mcp-Param-Region header is neither plain ASCII nor valid =?base64?...?=");
}

TEST_F(ParameterHeaderCheck, LeavesArgumentsOfAWrongTypeToTheSchema) {
  for (const auto* value : {"[]", "{}", "1.5"})
    EXPECT_EQ(refusal_of({}, (R"({"region":)" + std::string(value) + "}").c_str()), "accepted");
  EXPECT_EQ(refusal_of({{"Mcp-Param-Region", "x"}}, R"({"region":{}})"),
            "Header mismatch: there is a Mcp-Param-Region header, but its argument is an object or an array");
  EXPECT_EQ(refusal_of_value("1.5", "1.5"), "accepted");
  EXPECT_EQ(refusal_of_value("1.50", "15e-1"), "accepted");
}

}  // namespace
}  // namespace mcph
