#include "http/request.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace mcph {
namespace {

// Knows all of a body that ends with a full stop.
class Counter final : public BodyScanner {
 public:
  static std::unique_ptr<BodyScanner> make() { return std::make_unique<Counter>(); }
  static std::size_t bytes_of(const HttpBody& body) { return dynamic_cast<const Counter*>(body.scanner())->bytes_; }

  void feed(std::string_view bytes) override {
    bytes_ += bytes.size();
    knows_all_ = knows_all_ || bytes.find('.') != std::string_view::npos;
  }
  bool knows_all() const override { return knows_all_; }

 private:
  std::size_t bytes_ = 0;
  bool knows_all_ = false;
};

// A request read in pieces of so many bytes.
class HttpRequestTest : public ::testing::Test {
 protected:
  // What it is refused with, or 0.
  unsigned take(std::string_view text, std::size_t piece = 1 << 20) {
    reader_.emplace(limits_, *std::pmr::new_delete_resource(), &Counter::make);
    buffer_.clear();
    while (!text.empty() && !reader_->is_complete()) {
      const auto count = std::min(piece, text.size());
      buffer_.commit(boost::asio::buffer_copy(buffer_.prepare(count), boost::asio::buffer(text.data(), count)));
      text.remove_prefix(count);
      if (const auto taken = reader_->take(buffer_); taken.has_error()) return taken.error().status;
    }
    return 0;
  }
  // The status, or the path and what stands before and after it.
  std::string target_of(std::string_view text) {
    EXPECT_EQ(take(text), 0U);
    EXPECT_TRUE(reader_->is_complete());
    HttpRequest request(reader_->message());
    const auto settled = settle_target(reader_->message(), request);
    if (settled.has_error()) return std::to_string(settled.error().status);
    return std::string(request.host.value_or("-")) + " " + std::string(request.path) + " " + std::string(request.query);
  }

  HttpLimits limits_{.body_bytes = 100, .header_bytes = 300};
  std::optional<HttpRequestReader> reader_;
  boost::beast::flat_buffer buffer_{1 << 20};
};

TEST_F(HttpRequestTest, HasNotBegunWithEmptyLines) {
  for (const std::size_t piece : {1U, 3U}) {
    take("\r\n\r\n", piece);
    EXPECT_FALSE(reader_->has_begun(buffer_));
  }
  take("\r\n\r");
  EXPECT_FALSE(reader_->has_begun(buffer_));
  take("\r\nG");
  EXPECT_TRUE(reader_->has_begun(buffer_));
}

TEST_F(HttpRequestTest, IsReadFromWhateverPiecesItComesIn) {
  const std::string_view text = "\r\n\r\nPOST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbodyGET";
  for (const std::size_t piece : {1U, 3U, 1000U}) {
    EXPECT_EQ(take(text, piece), 0U);
    EXPECT_TRUE(reader_->is_complete());
    EXPECT_EQ(reader_->message().body.text(), "body");
  }
  EXPECT_EQ(buffer_.size(), 3U) << "what belongs to the next request";
}

TEST_F(HttpRequestTest, MayComeInChunks) {
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"), 0U);
  EXPECT_TRUE(reader_->is_complete());
  EXPECT_EQ(reader_->message().body.text(), "body");
}

TEST_F(HttpRequestTest, MayHaveNoChunkAtAllByteByByte) {
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1), 0U);
  EXPECT_TRUE(reader_->is_complete());
  EXPECT_EQ(reader_->message().body.text(), "");
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n", 1), 0U);
  EXPECT_TRUE(reader_->is_complete());
}

TEST_F(HttpRequestTest, IsReadIntoItsPlaceWhereItIsLarge) {
  limits_.body_bytes = 1 << 20;
  std::string body;
  for (int i = 0; body.size() < limits_.body_bytes; ++i)
    body += std::to_string(i);
  body.resize(limits_.body_bytes);
  std::string_view rest(body);
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n"), 0U);
  EXPECT_TRUE(reader_->room_in_place().empty()) << "it is not known yet that there is any";
  buffer_.commit(boost::asio::buffer_copy(buffer_.prepare(10), boost::asio::buffer(rest.data(), 10)));
  EXPECT_TRUE(reader_->take(buffer_).has_value());
  rest.remove_prefix(10);
  for (auto room = reader_->room_in_place(); !room.empty(); room = reader_->room_in_place()) {
    // Not all that there is room for comes at once.
    const auto count = std::min({room.size(), rest.size(), std::size_t{50'000}});
    std::ranges::copy(rest.substr(0, count), room.begin());
    EXPECT_TRUE(reader_->take_in_place({room.data(), count}).has_value());
    rest.remove_prefix(count);
    EXPECT_LE(reader_->body_memory(), std::max<std::size_t>(2 * (body.size() - rest.size()), 32 << 10));
  }
  EXPECT_LT(rest.size(), 20'000U);
  buffer_.commit(boost::asio::buffer_copy(buffer_.prepare(rest.size()), boost::asio::buffer(rest.data(), rest.size())));
  EXPECT_TRUE(reader_->take(buffer_).has_value());
  EXPECT_TRUE(reader_->is_whole());
  EXPECT_EQ(reader_->message().body.text(), body);
  EXPECT_EQ(reader_->body_memory(), body.size());
}

TEST_F(HttpRequestTest, HasNoFieldsOfItsTrailer) {
  const std::string head = "POST /mcp HTTP/1.1\r\nA: 1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n";
  for (const std::size_t piece : {1U, 7U, 1000U}) {
    EXPECT_EQ(take(head + "Host: evil\r\nConnection: close\r\nA: 2\r\nMcp-Name: x\r\n\r\n", piece), 0U);
    EXPECT_TRUE(reader_->is_complete());
    EXPECT_EQ(reader_->message().body.text(), "body");
    const auto& fields = reader_->message().fields;
    EXPECT_EQ(std::distance(fields.begin(), fields.end()), 2);
    EXPECT_EQ(list_field(fields, "A"), "1");
  }
}

TEST_F(HttpRequestTest, MayHaveAsManyBytesOfHeaderAndTrailerAsOfHeaderAlone) {
  const std::string head =
      "POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: " + std::string(100, 'x') + "\r\n\r\n";
  const std::string end = "0\r\nY: \r\n\r\n";
  const auto room = limits_.header_bytes - head.size() - end.size();
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

TEST_F(HttpRequestTest, IsReadOnWhereItsBodyIsTooLongUntilItsScannerKnowsAll) {
  const auto body = [&]() -> const HttpBody& { return reader_->message().body; };
  const std::string padding(200, 'x');
  for (const std::size_t piece : {1U, 7U, 1U << 20}) {
    const std::string head = "POST /mcp HTTP/1.1\r\nContent-Length: 250\r\n\r\n";
    EXPECT_EQ(take(head + "first." + padding, piece), 0U);
    EXPECT_TRUE(reader_->is_complete());
    EXPECT_FALSE(reader_->is_whole());
    EXPECT_TRUE(body().is_too_long());
    EXPECT_EQ(body().text(), "");

    EXPECT_EQ(take(head + padding, piece), 0U);
    EXPECT_FALSE(reader_->is_complete());
    EXPECT_EQ(Counter::bytes_of(body()), padding.size());
    EXPECT_EQ(take(head + padding + std::string(50, 'y'), piece), 0U);
    EXPECT_TRUE(reader_->is_whole());
    EXPECT_EQ(Counter::bytes_of(body()), 250U);

    EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n" + padding.substr(0, 0x50) +
                       "\r\n90\r\n" + std::string(0x90, 'y') + "\r\n1\r\n",
                   piece),
              0U);
    EXPECT_TRUE(body().is_too_long());
    EXPECT_EQ(Counter::bytes_of(body()), 0x50U + 0x90U);
    EXPECT_EQ(body().text(), "");
  }
}

TEST_F(HttpRequestTest, IsNotAwaitedWhereItsClientAsksWhetherToSendABodyThatIsTooLong) {
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nContent-Length: 101\r\nExpect: 100-continue\r\n\r\n"), 0U);
  EXPECT_TRUE(reader_->is_complete());
  EXPECT_TRUE(reader_->message().body.is_too_long());
  EXPECT_EQ(take("POST /mcp HTTP/1.1\r\nContent-Length: 101\r\n\r\n"), 0U);
  EXPECT_FALSE(reader_->is_complete());
  EXPECT_TRUE(reader_->message().body.is_too_long());
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

TEST_F(HttpRequestTest, GoesToAPathOfAHost) {
  EXPECT_EQ(target_of("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"), "localhost /mcp ");
  EXPECT_EQ(target_of("GET /a?b=c HTTP/1.0\r\n\r\n"), "- /a b=c");
  EXPECT_EQ(target_of("GET http://example.com/a HTTP/1.1\r\nHost: localhost\r\n\r\n"), "example.com /a ");
  EXPECT_EQ(target_of("GET /mcp HTTP/1.1\r\n\r\n"), "400");
  EXPECT_EQ(target_of("GET /mcp HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n"), "400");
  EXPECT_EQ(target_of("GET * HTTP/1.1\r\nHost: localhost\r\n\r\n"), "400");
  EXPECT_EQ(target_of("NONE / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "501");
}

}  // namespace
}  // namespace mcph
