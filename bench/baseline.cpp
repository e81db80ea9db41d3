// The baseline of the benchmark: the least that a Beast server must do to answer a tools/call. It reads a POST, parses
// its body with nlohmann_json, and writes the same bytes as the host would for the tools of echo.cpp; no checks, no
// plugin, no sessions, no streams. With "fixed" it does not even look at the body, and answers what it would answer to
// a call of echo: what is left is HTTP. One thread and one I/O context a loop, like the host.
//
// usage: bench_baseline LOOPS legacy|modern|fixed      prints "listening PORT"
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
#include <nlohmann/json.hpp>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

constexpr auto as_value = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds patience{30};
constexpr std::size_t body_limit = 4U << 20U;
constexpr std::size_t read_at_once = 65536;  // Beast reads as much as there is room for

constexpr auto modern_opening =
    R"("resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-plugin-host","title":"MCP Plugin Host","version":"0.1.0"}},)";

// What a host asks that has it as an upstream.
std::string introduction(const nlohmann::json& request) {
  const bool lists = request["method"] == "tools/list";
  return R"({"jsonrpc":"2.0","id":)" + request["id"].dump() + R"(,"result":{)" + modern_opening +
         (lists ? R"("ttlMs":0,"cacheScope":"private","tools":[{"name":"echo","inputSchema":{"type":"object",)"
                  R"("properties":{"text":{"type":"string"}},"required":["text"]}}]}})"
                : R"("supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}})");
}

enum class Mode { legacy, modern, fixed };

std::string text_of(const nlohmann::json& params) {
  const auto& arguments = params["arguments"];
  if (params["name"] == "count")
    return '"' + std::to_string(arguments["text"].get_ref<const std::string&>().size()) + '"';
  if (params["name"] == "make") return '"' + std::string(arguments["bytes"].get<std::size_t>(), 'x') + '"';
  return arguments["text"].dump();
}

std::string answer(const std::string& body, Mode mode) {
  const auto request = nlohmann::json::parse(body);
  if (request["method"] != "tools/call") return introduction(request);
  return R"({"jsonrpc":"2.0","id":)" + request["id"].dump() + R"(,"result":{)" +
         (mode == Mode::legacy ? "" : modern_opening) + R"("content":[{"type":"text","text":)" +
         text_of(request["params"]) + "}]}}";
}

asio::awaitable<void> serve(tcp::socket socket, Mode mode) {
  static const std::string fixed =
      answer(R"({"id":1000000000,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}})", mode);
  beast::tcp_stream stream(std::move(socket));
  beast::flat_buffer buffer;
  buffer.reserve(read_at_once);
  for (;;) {
    http::request_parser<http::string_body> parser;
    parser.body_limit(body_limit);
    stream.expires_after(patience);
    const auto [read_error, read_count] = co_await http::async_read(stream, buffer, parser, as_value);
    const auto& request = parser.get();
    if (read_error) co_return;
    http::response<http::string_body> response(http::status::ok, request.version());
    response.set(http::field::content_type, "application/json");
    response.keep_alive(request.keep_alive());
    response.body() = mode == Mode::fixed ? fixed : answer(request.body(), mode);
    response.prepare_payload();
    stream.expires_after(patience);
    const auto [write_error, write_count] = co_await http::async_write(stream, response, as_value);
    if (write_error || !response.keep_alive()) co_return;
  }
}

asio::awaitable<void> accept(tcp::acceptor& acceptor, std::vector<std::unique_ptr<asio::io_context>>& loops,
                             Mode mode) {
  for (std::size_t turn = 0;; ++turn) {
    auto& loop = *loops[turn % loops.size()];
    auto [error, socket] = co_await acceptor.async_accept(loop, as_value);
    if (error) co_return;
    socket.set_option(tcp::no_delay(true));
    asio::co_spawn(loop, serve(std::move(socket), mode), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int loop_count = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::string word = argc > 2 ? argv[2] : "legacy";
  const auto mode = word == "fixed" ? Mode::fixed : word == "modern" ? Mode::modern : Mode::legacy;

  std::vector<std::unique_ptr<asio::io_context>> loops;
  for (int i = 0; i < loop_count; ++i)
    loops.push_back(std::make_unique<asio::io_context>(loop_count > 1 ? 2 : 1));
  tcp::acceptor acceptor(*loops.front(), tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0));
  std::cout << "listening " << acceptor.local_endpoint().port() << std::endl;
  asio::co_spawn(*loops.front(), accept(acceptor, loops, mode), asio::detached);

  std::vector<std::thread> threads;
  for (auto& loop : loops)
    threads.emplace_back([&loop] {
      const auto work = asio::make_work_guard(*loop);
      loop->run();
    });
  for (auto& thread : threads)
    thread.join();
}
