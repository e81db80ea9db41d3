// One HTTP connection: a coroutine on a strand that reads a request, has it answered, writes the answer, and begins
// again. Keeps itself alive until the connection is closed; shut_down may be called from any thread.
//
// What a coroutine here hands to another one is a named value, never a temporary inside the co_await expression: gcc 12
// destroys some of those twice.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "protocol/server.hpp"
#include "transport/http_server.hpp"
#include "transport/outbox.hpp"

namespace mcph {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(boost::asio::ip::tcp::socket socket, HttpServer& owner);

  void start();
  // Ends the connection after the answer it is busy with, at once if there is none.
  void shut_down();

 private:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  template <class T>
  using awaitable = boost::asio::awaitable<T>;

  struct Response {
    unsigned status = 200;
    std::string body = {};
    std::string_view content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> fields = {};
  };

  // What writing an answer needs of the request that it answers.
  struct Client {
    unsigned http_version = 11;
    bool keep_alive = true;
    bool head_only = false;
    std::optional<std::string> origin = {};  // of a browser that may read the answer
  };

  static awaitable<void> serve(std::shared_ptr<HttpConnection> self);
  // The functions below return whether the connection can take another request.
  awaitable<bool> serve_request();
  awaitable<bool> read_request(Parser& parser);
  awaitable<bool> refuse_unreadable(boost::beast::error_code error, bool begun);
  awaitable<bool> answer(const Request& request);
  awaitable<bool> answer_post(const Request& request, const Client& client);
  awaitable<bool> answer_get(const Request& request, const Client& client);
  awaitable<bool> write(const Client& client, Response response);

  awaitable<bool> open_stream(const Client& client);
  awaitable<bool> write_stream(const Client& client, std::string_view text);
  awaitable<bool> close_stream(const Client& client);
  // Writes what is in the outbox until it ends. False: the client is gone or too slow.
  awaitable<bool> stream(const Client& client, Outbox& outbox, Outbox::Content content);

  // What is next in the outbox; empty when the time is over first or the client is gone.
  awaitable<Outbox::Content> next(Outbox& outbox, std::chrono::milliseconds patience);
  std::function<void()> waker();
  void watch_for_disconnect();
  void stop_watching();

  std::optional<Response> refuse(const Request& request) const;
  static std::optional<Response> refuse_post(const Request& request);
  Response answer_at_once(const Request& request);
  static Response preflight_response(const Request& request);
  static Response as_response(Reply reply);

  HttpServer& owner_;
  const HttpLimits& limits_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  boost::asio::steady_timer signal_;
  bool watching_ = false;
  bool disconnected_ = false;
  bool between_requests_ = false;
  bool closing_ = false;
};

}  // namespace mcph
