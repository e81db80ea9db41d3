#include "http/fields.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

class HttpFieldsTest : public ::testing::Test {
 protected:
  void insert(std::string_view name, std::string_view value) { fields_.add(name, value); }

  RequestFields fields_;
};

TEST_F(HttpFieldsTest, AreFoundWhateverTheCaseOfTheirNames) {
  insert("hOST", "localhost");
  insert("origin", "http://localhost");
  insert("CONTENT-TYPE", "application/json");
  insert("accept", "*/*");
  insert("X-Other", "ignored");
  const auto read = read_fields(fields_);
  EXPECT_EQ(read.host, "localhost");
  EXPECT_EQ(read.origin, "http://localhost");
  EXPECT_EQ(read.content_type, "application/json");
  EXPECT_EQ(read.accept, "*/*");
  EXPECT_EQ(read.repeated, "");
}

TEST_F(HttpFieldsTest, AreNothingWhereTheyAreAbsentAndEmptyWhereTheyAreEmpty) {
  insert("Origin", "");
  insert("Accept", "");
  const auto read = read_fields(fields_);
  EXPECT_EQ(read.host, std::nullopt);
  EXPECT_EQ(read.origin, "");
  EXPECT_EQ(read.accept, "");
}

TEST_F(HttpFieldsTest, AreOneListWhereSeveralLinesMayBe) {
  insert("Accept", "application/json");
  insert("Access-Control-Request-Headers", "mcp-name");
  insert("Connection", "keep-alive");
  insert("Accept", "text/event-stream;q=0.9, */*;q=0");
  insert("connection", "close");
  insert("access-control-request-headers", "mcp-method");
  EXPECT_EQ(read_fields(fields_).accept, "application/json, text/event-stream;q=0.9, */*;q=0");
  EXPECT_EQ(read_fields(fields_).connection, "keep-alive, close");
  EXPECT_EQ(read_fields(fields_).repeated, "");
  EXPECT_EQ(list_field(fields_, "Access-Control-Request-Headers"), "mcp-name, mcp-method");
  EXPECT_EQ(list_field(fields_, "X-Absent"), std::nullopt);
}

TEST_F(HttpFieldsTest, AreOneListOfTheirSizeHoweverManyLinesItHas) {
  constexpr std::size_t lines = 2000;
  for (std::size_t i = 0; i < lines; ++i)
    insert("Accept", "*/*");
  const auto read = read_fields(fields_);
  EXPECT_EQ(read.accept->size(), lines * 5 - 2);
  EXPECT_LE(read.joined_accept->capacity(), lines * 10);
  EXPECT_EQ(read.joined_connection, nullptr);
}

TEST_F(HttpFieldsTest, AreFoundByTheirNamesLineByLine) {
  insert("mcp-param-region", "us");
  insert("MCP-PARAM-REGION", "eu");
  EXPECT_EQ(lines_of(fields_, "Mcp-Param-Region"), (std::vector<std::string_view>{"us", "eu"}));
  EXPECT_TRUE(lines_of(fields_, "Mcp-Param-Other").empty());
}

TEST_F(HttpFieldsTest, SayWhetherTheBodyIsEncoded) {
  EXPECT_EQ(read_fields(fields_).content_encoding, std::nullopt);
  insert("Content-Encoding", "Identity");
  insert("Content-Encoding", "");
  EXPECT_EQ(read_fields(fields_).content_encoding, std::nullopt);
  insert("content-encoding", "gzip");
  insert("Content-Encoding", "identity");
  EXPECT_EQ(read_fields(fields_).content_encoding, "gzip");
}

class HttpFieldsOnce : public HttpFieldsTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(HttpFieldsOnce, IsNamedWhenItIsRepeated) {
  insert(GetParam(), "1");
  EXPECT_EQ(read_fields(fields_).repeated, "");
  insert(GetParam(), "1");
  EXPECT_EQ(read_fields(fields_).repeated, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Fields, HttpFieldsOnce, ::testing::Values("Host", "Origin", "Content-Type"));

TEST_F(HttpFieldsTest, SayWhetherTheClientWaitsToGoOn) {
  EXPECT_FALSE(awaits_continue(fields_));
  insert("Expect", "100-Continue");
  EXPECT_TRUE(awaits_continue(fields_));
}

}  // namespace
}  // namespace mcph
