#include "transport/streamable_http/http_request.hpp"

#include <string>

#include <gtest/gtest.h>

namespace mcph {
namespace {

// A request read in pieces of so many bytes.
class HttpRequestTest : public ::testing::Test {
 protected:
  // What it is refused with, or 0.
  unsigned take(std::string_view text, std::size_t piece = 1 << 20) {
    reader_.emplace(options_.limits, *std::pmr::new_delete_resource());
    buffer_.clear();
    while (!text.empty() && !reader_->is_complete()) {
      const auto count = std::min(piece, text.size());
      buffer_.commit(boost::asio::buffer_copy(buffer_.prepare(count), boost::asio::buffer(text.data(), count)));
      text.remove_prefix(count);
      if (const auto refused = reader_->take(buffer_)) return refused->status;
    }
    return 0;
  }
  unsigned admission_of(std::string_view text) {
    EXPECT_EQ(take(text), 0U);
    EXPECT_TRUE(reader_->is_complete());
    const auto refused = admit(options_, reader_->request(), read_fields(reader_->request()), route_);
    return refused ? refused->status : 200;
  }

  HttpOptions options_{.limits = {.body_bytes = 100, .header_bytes = 300}};
  std::optional<HttpRequestReader> reader_;
  boost::beast::flat_buffer buffer_{1 << 20};
  HttpRoute route_;
};

TEST_F(HttpRequestTest, IsReadFromWhateverPiecesItComesIn) {
  const std::string_view text = "\r\n\r\nPOST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbodyGET";
  for (const std::size_t piece : {1U, 3U, 1000U}) {
    EXPECT_EQ(take(text, piece), 0U);
    EXPECT_TRUE(reader_->is_complete());
    EXPECT_EQ(reader_->request().body().text(), "body");
  }
  EXPECT_EQ(buffer_.size(), 3U) << "what belongs to the next request";
}

TEST_F(HttpRequestTest, MayComeInChunks) {
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"), 0U);
  EXPECT_TRUE(reader_->is_complete());
  EXPECT_EQ(reader_->request().body().text(), "body");
}

TEST_F(HttpRequestTest, MayHaveNoChunkAtAllByteByByte) {
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1), 0U);
  EXPECT_TRUE(reader_->is_complete());
  EXPECT_EQ(reader_->request().body().text(), "");
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n", 1), 0U);
  EXPECT_TRUE(reader_->is_complete());
}

TEST_F(HttpRequestTest, HasNoFieldsOfItsTrailer) {
  const std::string head = "POST /mcp HTTP/1.1\r\nA: 1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n";
  for (const std::size_t piece : {1U, 7U, 1000U}) {
    EXPECT_EQ(take(head + "Host: evil\r\nConnection: close\r\nA: 2\r\nMcp-Name: x\r\n\r\n", piece), 0U);
    EXPECT_TRUE(reader_->is_complete());
    EXPECT_EQ(reader_->request().body().text(), "body");
    const auto& fields = reader_->request();
    EXPECT_EQ(std::distance(fields.begin(), fields.end()), 2);
    EXPECT_EQ(fields["A"], "1");
  }
}

TEST_F(HttpRequestTest, MayHaveAsManyBytesOfHeaderAndTrailerAsOfHeaderAlone) {
  const std::string head =
      "POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: " + std::string(100, 'x') + "\r\n\r\n";
  const std::string end = "0\r\nY: \r\n\r\n";
  const auto room = options_.limits.header_bytes - head.size() - end.size();
  const auto with_trailer = [&](std::size_t value) {
    return head + "4\r\nbody\r\n0\r\nY: " + std::string(value - 2, 'y') + "\r\n\r\n";
  };
  for (const std::size_t piece : {1U, 7U, 1000U}) {
    EXPECT_EQ(take(with_trailer(room), piece), 0U);
    EXPECT_TRUE(reader_->is_complete());
    EXPECT_EQ(take(with_trailer(room + 1), piece), 431U);
  }
}

// Each piece ends behind the first letter of a field: what is left over is never too long.
TEST_F(HttpRequestTest, IsRefusedWhenItsFieldsAreTooLargeTogetherHoweverTheyCome) {
  const std::string field = "X: " + std::string(15, 'x') + "\r\n";
  std::string text = "PUT /mcp HTTP/1.1\r\n";
  ASSERT_EQ(text.size(), field.size() - 1);
  for (int i = 0; i < 20; ++i)
    text += field;
  EXPECT_EQ(take(text, field.size()), 431U);
}

TEST_F(HttpRequestTest, IsRefusedWhenTheExtensionsOfItsChunksAreTooLargeTogether) {
  std::string text = "POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 20; ++i)
    text += "1;abcdefghijklmnopqrstuvwxyz\r\nx\r\n";
  EXPECT_EQ(take(text), 431U);
  EXPECT_EQ(take(text, 1), 431U);
}

TEST_F(HttpRequestTest, IsReadOnWhereItsBodyIsTooLongUntilItIsKnownWhichMessageItIs) {
  const auto body = [&]() -> const HttpBody& { return reader_->request().body(); };
  const std::string padding(200, 'x');
  const auto first = R"({"id":7,"method":"x","params":{"a":")" + padding + R"("}})";
  const auto last = R"({"params":{"a":")" + padding + R"("},"method":"x","id":7})";
  for (const std::size_t piece : {1U, 7U, 1U << 20}) {
    const std::string head = "POST /mcp HTTP/1.1\r\nContent-Length: ";
    EXPECT_EQ(take(head + std::to_string(first.size()) + "\r\n\r\n" + first.substr(0, 20), piece), 0U);
    EXPECT_TRUE(reader_->is_complete());
    EXPECT_FALSE(reader_->is_whole());
    EXPECT_TRUE(body().is_too_long());
    EXPECT_EQ(body().envelope().id, "7");

    EXPECT_EQ(take(head + std::to_string(last.size()) + "\r\n\r\n" + last.substr(0, last.size() - 3), piece), 0U);
    EXPECT_FALSE(reader_->is_complete());
    EXPECT_EQ(take(head + std::to_string(last.size()) + "\r\n\r\n" + last, piece), 0U);
    EXPECT_TRUE(reader_->is_whole());
    EXPECT_EQ(body().envelope().kind, Message::Kind::request);
    EXPECT_EQ(body().envelope().id, "7");

    EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n" + last.substr(0, 0x50) + "\r\n" +
                       "90\r\n" + last.substr(0x50, 0x90) + "\r\n" + "1\r\n",
                   piece),
              0U);
    EXPECT_TRUE(body().is_too_long());
    EXPECT_EQ(body().text(), "");
  }
}

TEST_F(HttpRequestTest, IsNotAwaitedWhereItsClientAsksWhetherToSendABodyThatIsTooLong) {
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nContent-Length: 101\r\nExpect: 100-continue\r\n\r\n"), 0U);
  EXPECT_TRUE(reader_->is_complete());
  EXPECT_TRUE(reader_->request().body().is_too_long());
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nContent-Length: 101\r\n\r\n"), 0U);
  EXPECT_FALSE(reader_->is_complete());
  EXPECT_TRUE(reader_->request().body().is_too_long());
}

TEST_F(HttpRequestTest, IsRefusedWhereItIsNone) {
  EXPECT_EQ(take("nonsense\r\n\r\n"), 400U);
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nX: " + std::string(300, 'x'), 10), 431U);
  EXPECT_EQ(take("POST /" + std::string(300, 'x'), 10), 414U);
  EXPECT_EQ(take(std::string(300, 'x') + " /mcp", 10), 501U);
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), 501U);
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"), 400U);
  EXPECT_EQ(take("POST /mcp HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400U);
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nHost: localhost\r\n"), 0U);
  EXPECT_FALSE(reader_->has_header());
}

TEST_F(HttpRequestTest, IsAdmittedByItsHostItsOriginAndItsPath) {
  EXPECT_EQ(admission_of("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200U);
  EXPECT_EQ(admission_of("GET /mcp HTTP/1.0\r\n\r\n"), 200U);
  EXPECT_EQ(admission_of("GET /mcp HTTP/1.1\r\n\r\n"), 400U);
  EXPECT_EQ(admission_of("GET /mcp HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n"), 400U);
  EXPECT_EQ(admission_of("GET /mcp HTTP/1.1\r\nHost: example.com\r\n\r\n"), 403U);
  EXPECT_EQ(admission_of("GET /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com\r\n\r\n"), 403U);
  EXPECT_EQ(admission_of("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n"), 404U);
}

TEST_F(HttpRequestTest, GoesToTheDeprecatedTransportWhereThatIsServed) {
  EXPECT_EQ(admission_of("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n"), 404U);
  EXPECT_EQ(admission_of("POST /messages?sessionId=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"), 404U);
  options_.http_sse = true;
  EXPECT_EQ(admission_of("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200U);
  EXPECT_EQ(route_.endpoint, HttpRoute::Endpoint::sse);
  EXPECT_EQ(admission_of("POST /messages?sessionId=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200U);
  EXPECT_EQ(route_.endpoint, HttpRoute::Endpoint::messages);
  EXPECT_EQ(route_.query, "sessionId=1");
  EXPECT_EQ(admission_of("GET /sse HTTP/1.1\r\nHost: example.com\r\n\r\n"), 403U);
}

TEST_F(HttpRequestTest, IsToldWhichMethodsThereAre) {
  const auto allowed = [&](std::string_view text, HttpRoute::Endpoint endpoint) {
    take(text);
    const auto response = answer_method(reader_->request(), endpoint);
    return std::to_string(response.status) + " " + response.fields.front().second;
  };
  using Endpoint = HttpRoute::Endpoint;
  EXPECT_EQ(allowed("PUT /mcp HTTP/1.1\r\n\r\n", Endpoint::mcp), "405 GET, POST, DELETE, OPTIONS, HEAD");
  EXPECT_EQ(allowed("OPTIONS /mcp HTTP/1.1\r\n\r\n", Endpoint::mcp), "204 GET, POST, DELETE, OPTIONS, HEAD");
  EXPECT_EQ(allowed("HEAD /sse HTTP/1.1\r\n\r\n", Endpoint::sse), "200 GET, OPTIONS, HEAD");
  EXPECT_EQ(allowed("GET /messages HTTP/1.1\r\n\r\n", Endpoint::messages), "405 POST, OPTIONS, HEAD");
}

}  // namespace
}  // namespace mcph
