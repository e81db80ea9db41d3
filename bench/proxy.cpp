// What a hop over HTTP costs at least: a bare Beast reverse proxy. Each connection of a client has one to the server,
// which is kept; a request is read as a whole, sent on, and its answer sent back. No checks, no JSON, no limits. One
// thread and one I/O context a loop, like the host.
//
// usage: bench_proxy LOOPS PORT      prints "listening PORT"
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

constexpr auto as_value = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds patience{30};

asio::awaitable<void> serve(tcp::socket socket, tcp::endpoint upstream) {
  beast::tcp_stream client(std::move(socket));
  beast::tcp_stream server(client.get_executor());
  const auto [unreached] = co_await server.async_connect(upstream, as_value);
  if (unreached) co_return;
  server.socket().set_option(tcp::no_delay(true));
  beast::flat_buffer from_client;
  beast::flat_buffer from_server;
  for (;;) {
    http::request<http::string_body> request;
    client.expires_after(patience);
    const auto [read_error, read_count] = co_await http::async_read(client, from_client, request, as_value);
    if (read_error) co_return;
    server.expires_after(patience);
    const auto [sent_error, sent_count] = co_await http::async_write(server, request, as_value);
    if (sent_error) co_return;
    http::response<http::string_body> response;
    const auto [answer_error, answer_count] = co_await http::async_read(server, from_server, response, as_value);
    if (answer_error) co_return;
    client.expires_after(patience);
    const auto [write_error, write_count] = co_await http::async_write(client, response, as_value);
    if (write_error || !response.keep_alive()) co_return;
  }
}

asio::awaitable<void> accept(tcp::acceptor& acceptor, std::vector<std::unique_ptr<asio::io_context>>& loops,
                             tcp::endpoint upstream) {
  for (std::size_t turn = 0;; ++turn) {
    auto& loop = *loops[turn % loops.size()];
    auto [error, socket] = co_await acceptor.async_accept(loop, as_value);
    if (error) co_return;
    socket.set_option(tcp::no_delay(true));
    asio::co_spawn(loop, serve(std::move(socket), upstream), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int loop_count = argc > 1 ? std::atoi(argv[1]) : 1;
  const auto port = static_cast<asio::ip::port_type>(argc > 2 ? std::atoi(argv[2]) : 0);
  const auto loopback = asio::ip::make_address("127.0.0.1");

  std::vector<std::unique_ptr<asio::io_context>> loops;
  for (int i = 0; i < loop_count; ++i)
    loops.push_back(std::make_unique<asio::io_context>(loop_count > 1 ? 2 : 1));
  tcp::acceptor acceptor(*loops.front(), tcp::endpoint(loopback, 0));
  std::cout << "listening " << acceptor.local_endpoint().port() << std::endl;
  asio::co_spawn(*loops.front(), accept(acceptor, loops, tcp::endpoint(loopback, port)), asio::detached);

  std::vector<std::thread> threads;
  for (auto& loop : loops)
    threads.emplace_back([&loop] {
      const auto work = asio::make_work_guard(*loop);
      loop->run();
    });
  for (auto& thread : threads)
    thread.join();
}
