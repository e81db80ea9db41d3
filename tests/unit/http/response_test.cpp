#include "http/response.hpp"

#include <gtest/gtest.h>

#include "support/response_text.hpp"

namespace mcph {
namespace {

std::string piece(const HttpClient& client, std::string_view events) {
  std::string text;
  append_piece(text, client, events);
  return text;
}

TEST(HttpResponse, IsAStatusFieldsAndABody) {
  EXPECT_EQ(test::response_text({}, {.body = R"({"a":1})"}),
            "HTTP/1.1 200 OK\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 7\r\n"
            "\r\n"
            "{\"a\":1}");
}

TEST(HttpResponse, WithoutABodyHasNoContentType) {
  EXPECT_EQ(test::response_text({}, {.status = 202}),
            "HTTP/1.1 202 Accepted\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Content-Length: 0\r\n"
            "\r\n");
}

TEST(HttpResponse, WithoutContentHasNoLength) {
  EXPECT_EQ(test::response_text({}, {.status = 204}),
            "HTTP/1.1 204 No Content\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "\r\n");
}

TEST(HttpResponse, ToAHeadRequestHasTheLengthAndNoBody) {
  EXPECT_EQ(test::response_text({.head_only = true}, {.body = "1234", .content_type = "text/plain"}),
            "HTTP/1.1 200 OK\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Content-Type: text/plain\r\n"
            "Content-Length: 4\r\n"
            "\r\n");
}

TEST(HttpResponse, SaysWhenTheConnectionEnds) {
  EXPECT_EQ(test::response_text({.keep_alive = false}, {.status = 400}),
            "HTTP/1.1 400 Bad Request\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Connection: close\r\n"
            "Content-Length: 0\r\n"
            "\r\n");
}

TEST(HttpResponse, ToAnOldClientSaysWhenTheConnectionStays) {
  EXPECT_EQ(test::response_text({.version = 10, .keep_alive = true}, {.status = 200}),
            "HTTP/1.0 200 OK\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Connection: keep-alive\r\n"
            "Content-Length: 0\r\n"
            "\r\n");
}

TEST(HttpResponse, LetsABrowserReadIt) {
  EXPECT_EQ(
      test::response_text({.origin = "http://localhost:3000", .exposed_headers = "A, B", .varies_by_origin = true},
                          {.status = 202}),
      "HTTP/1.1 202 Accepted\r\n"
      "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
      "Access-Control-Allow-Origin: http://localhost:3000\r\n"
      "Access-Control-Expose-Headers: A, B\r\n"
      "Vary: Origin\r\n"
      "Content-Length: 0\r\n"
      "\r\n");
}

TEST(HttpResponse, SaysThatABrowserWouldGetAnother) {
  EXPECT_EQ(test::response_text({.varies_by_origin = true}, {.status = 202}),
            "HTTP/1.1 202 Accepted\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Vary: Origin\r\n"
            "Content-Length: 0\r\n"
            "\r\n");
}

TEST(HttpResponse, HasWhatIsAddedUnlessItSaysOtherwise) {
  const HttpClient client{.fields = {{"A", "added"}, {"B", "added"}}};
  EXPECT_EQ(test::response_text(client, {.status = 202, .fields = {{"B", "its own"}}}),
            "HTTP/1.1 202 Accepted\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "B: its own\r\n"
            "A: added\r\n"
            "Content-Length: 0\r\n"
            "\r\n");
  EXPECT_NE(event_stream_head(client).find("\r\nA: added\r\nB: added\r\n"), std::string::npos);
}

TEST(EventStream, IsChunked) {
  EXPECT_EQ(event_stream_head({}),
            "HTTP/1.1 200 OK\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Content-Type: text/event-stream\r\n"
            "Cache-Control: no-cache, no-transform\r\n"
            "X-Accel-Buffering: no\r\n"
            "Transfer-Encoding: chunked\r\n"
            "\r\n");
  EXPECT_EQ(piece({}, "data: 1\n\n"), "9\r\ndata: 1\n\n\r\n");
  EXPECT_EQ(piece({}, std::string(255, 'x')), "ff\r\n" + std::string(255, 'x') + "\r\n");
  EXPECT_EQ(event_stream_end, "0\r\n\r\n");
}

TEST(EventStream, ToAnOldClientEndsWithTheConnection) {
  EXPECT_EQ(event_stream_head({.version = 10}),
            "HTTP/1.0 200 OK\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Connection: close\r\n"
            "Content-Type: text/event-stream\r\n"
            "Cache-Control: no-cache, no-transform\r\n"
            "X-Accel-Buffering: no\r\n"
            "\r\n");
  EXPECT_EQ(piece({.version = 10}, "data: 1\n\n"), "data: 1\n\n");
}

}  // namespace
}  // namespace mcph
