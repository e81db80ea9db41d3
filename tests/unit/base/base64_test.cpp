#include "base/base64.hpp"

#include <random>

#include <gtest/gtest.h>

namespace mcph {
namespace {

struct Pair {
  std::string bytes;
  std::string text;
};

// RFC 4648 section 10, and bytes that use the last two digits of the alphabet.
const Pair standard_pairs[] = {{"", ""},
                               {"f", "Zg=="},
                               {"fo", "Zm8="},
                               {"foo", "Zm9v"},
                               {"foob", "Zm9vYg=="},
                               {"fooba", "Zm9vYmE="},
                               {"foobar", "Zm9vYmFy"},
                               {"\xFB\xEF\xFF", "++//"},
                               {std::string(3, '\0'), "AAAA"}};

const Pair url_pairs[] = {{"", ""},        {"f", "Zg"},        {"fo", "Zm8"},
                          {"foo", "Zm9v"}, {"foob", "Zm9vYg"}, {"\xFB\xEF\xFF", "--__"}};

TEST(Base64, EncodesTheVectorsOfTheRfc) {
  for (const auto& [bytes, text] : standard_pairs) {
    EXPECT_EQ(base64_encode(bytes), text);
  }
  for (const auto& [bytes, text] : url_pairs) {
    EXPECT_EQ(base64url_encode(bytes), text);
  }
}

TEST(Base64, DecodesTheVectorsOfTheRfc) {
  for (const auto& [bytes, text] : standard_pairs) {
    EXPECT_EQ(base64_decode(text), bytes);
  }
  for (const auto& [bytes, text] : url_pairs) {
    EXPECT_EQ(base64url_decode(text), bytes);
  }
}

TEST(Base64, RefusesWrongPadding) {
  for (const auto* text :
       {"Zg", "Zg=", "Zg===", "Zg====", "=", "==", "===", "====", "Z===", "=Zg=", "Zg==Zg==", "Zm8=="}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
}

TEST(Base64, RefusesCharactersOutsideTheAlphabet) {
  for (const auto* text :
       {"Zm9v\n", "Zm9v\r\nYmFy", " Zm9v", "Zm 9", "Zm9-", "Zm9_", "Zm9.", "Zm9\x80", "SGVs!!!bG8="}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
  EXPECT_EQ(base64_decode(std::string_view("Zm9\0", 4)), std::nullopt);
}

TEST(Base64, RefusesTextThatEncodingWouldNotProduce) {
  // The same byte as "Zg==" or "Zm8=", but with bits set that belong to no byte.
  for (const auto* text : {"Zh==", "Zv==", "Zm9=", "Zm+="}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
}

TEST(Base64, IsWhatLenientDecodersTake) {
  for (const auto* const some : {"", "AA==", "AB==", "AA", "AAA", "AAA=", "AAAA", "Zm9v\r\nYmFy\n", "+/+/", " AA =="})
    EXPECT_TRUE(is_base64(some)) << some;
  for (const auto* const none : {"A", "AAAAA", "AA=", "AA=A", "A===", "====", "AA-_", "AA==AA==", "\xC3\xBC=="})
    EXPECT_FALSE(is_base64(none)) << none;
}

TEST(Base64Url, RefusesPaddingAndTheOtherAlphabet) {
  for (const auto* text : {"Zg==", "Zm8=", "Z", "A", "AAAAA", "++//", "Zh", "Zm9"}) {
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
  }
}

TEST(Base64, GivesBackWhatWasEncoded) {
  std::mt19937 random(4648);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes(size, '\0');
    for (auto& byte : bytes) {
      byte = static_cast<char>(random() & 0xFF);
    }
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
  }
}

TEST(Base64, AcceptsOfAllShortTextsOnlyWhatEncodingProduces) {
  constexpr std::string_view characters = "AQgZz059+/-=\n";
  std::size_t accepted = 0;
  for (const char a : characters) {
    for (const char b : characters) {
      for (const char c : characters) {
        for (const char d : characters) {
          const std::string text{a, b, c, d};
          if (const auto bytes = base64_decode(text)) {
            ++accepted;
            EXPECT_EQ(base64_encode(*bytes), text);
          }
        }
      }
    }
  }
  // Ten of the characters are digits. Before "=" four of them leave no stray bits, before "==" three.
  EXPECT_EQ(accepted, 10U * 10 * 10 * 10 + 10 * 10 * 4 + 10 * 3);
}

TEST(McpHeaderValue, DecodesTheExamplesOfTheSpecification) {
  EXPECT_EQ(decode_mcp_header_value("us-west1"), "us-west1");
  EXPECT_EQ(decode_mcp_header_value("=?base64?SGVsbG8sIOS4lueVjA==?="), "Hello, \xE4\xB8\x96\xE7\x95\x8C");
  EXPECT_EQ(decode_mcp_header_value("=?base64?IHBhZGRlZCA=?="), " padded ");
  EXPECT_EQ(decode_mcp_header_value("=?base64?bGluZTEKbGluZTI=?="), "line1\nline2");
  EXPECT_EQ(decode_mcp_header_value("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="), "=?base64?literal?=");
}

TEST(McpHeaderValue, EncodesWhatAHeaderWouldLose) {
  EXPECT_EQ(encode_mcp_header_value("a\tb c"), "a\tb c");
  for (const std::string value : {" a", "a ", "\ta", "a\t", "\t", "", "a\nb", "=?base64?YQ==?="}) {
    const auto encoded = encode_mcp_header_value(value);
    EXPECT_EQ(encoded, "=?base64?" + base64_encode(value) + "?=");
    EXPECT_EQ(decode_mcp_header_value(encoded), value);
  }
}

TEST(McpHeaderValue, DecodesTheEmptyValue) {
  EXPECT_EQ(decode_mcp_header_value("=?base64?\?="), "");
}

TEST(McpHeaderValue, RefusesInvalidBase64) {
  for (const auto* value : {"=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?SGVsbG9=?=",
                            "=?base64? SGVsbG8=?=", "=?base64?\?\?\?\?="}) {
    EXPECT_EQ(decode_mcp_header_value(value), std::nullopt) << value;
  }
}

TEST(McpHeaderValue, TakesWhatLacksPrefixOrSuffixLiterally) {
  for (const auto* value : {"SGVsbG8=", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?BASE64?SGVsbG8=?=",
                            "=?base64?SGVsbG8=?= ", "=?base64?=", "=?=", "a\tb c~!", ""}) {
    EXPECT_EQ(decode_mcp_header_value(value), value);
  }
}

TEST(McpHeaderValue, RefusesPlainValuesThatAHeaderMayNotHave) {
  for (const auto* value : {"a\nb", "a\rb", "caf\xC3\xA9", "\x7F", "\x01"}) {
    EXPECT_EQ(decode_mcp_header_value(value), std::nullopt) << value;
  }
  EXPECT_EQ(decode_mcp_header_value(std::string_view("a\0b", 3)), std::nullopt);
}

}  // namespace
}  // namespace mcph
