// Listens for changed tools on many streams at once, as so many clients would, and says when each has heard of a
// change. One thread, so that what it takes itself is little beside what the server takes.
//
// usage: bench_streams URL COUNT      prints "listening COUNT" when all subscriptions are acknowledged. Whenever a line
// comes to its standard input, it waits until all have heard of a change and prints "heard FIRST P50 P99 LAST": times
// of the monotonic clock in nanoseconds. It ends with its standard input.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::size_t at_once = 256;  // subscriptions that are not acknowledged yet

[[noreturn]] void fail(const char* why) {
  std::perror(why);
  std::exit(1);
}

std::int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string subscription() {
  const std::string body =
      R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},)"
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})";
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
         "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
         "Mcp-Method: subscriptions/listen\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Stream {
  int socket = -1;
  bool is_acknowledged = false;
  std::int64_t heard = 0;  // when, or 0
};

class Streams {
 public:
  Streams(std::uint16_t port, std::size_t count) : streams_(count) {
    address_.sin_family = AF_INET;
    address_.sin_port = htons(port);
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0) fail("epoll_ctl");
  }

  void open_all() {
    const std::string request = subscription();
    for (std::size_t opened = 0; acknowledged_ < streams_.size();) {
      while (opened < streams_.size() && opened - acknowledged_ < at_once)
        open(streams_[opened++], request);
      look(-1);
    }
    std::printf("listening %zu\n", streams_.size());
    std::fflush(stdout);
  }

  /// Until standard input ends.
  void listen() {
    while (!has_ended_)
      look(-1);
  }

 private:
  void open(Stream& stream, std::string_view request) {
    stream.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (stream.socket < 0) fail("socket");
    if (::connect(stream.socket, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0) fail("connect");
    if (::send(stream.socket, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) fail("send");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &stream;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, stream.socket, &event) != 0) fail("epoll_ctl");
  }

  void look(int patience) {
    std::array<epoll_event, 256> events;  // NOLINT(cppcoreguidelines-pro-type-member-init): epoll_wait writes it
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), patience);
    for (int i = 0; i < count; ++i) {
      auto* const stream = static_cast<Stream*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (stream == nullptr) {
        begin();
      } else {
        read(*stream);
      }
    }
  }

  void begin() {
    std::array<char, 16> line{};
    has_ended_ = ::read(STDIN_FILENO, line.data(), line.size()) <= 0;
    for (auto& stream : streams_)
      stream.heard = 0;
    heard_ = 0;
  }

  void read(Stream& stream) {
    std::array<char, 4096> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv writes it
    const auto count = ::recv(stream.socket, bytes.data(), bytes.size(), 0);
    if (count <= 0) fail("a stream has ended");
    const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
    if (!stream.is_acknowledged && text.find("acknowledged") != std::string_view::npos) {
      stream.is_acknowledged = true;
      ++acknowledged_;
    }
    if (stream.heard != 0 || text.find("list_changed") == std::string_view::npos) return;
    stream.heard = now();
    if (++heard_ == streams_.size()) tell();
  }

  void tell() const {
    std::vector<std::int64_t> times;
    for (const auto& stream : streams_)
      times.push_back(stream.heard);
    std::sort(times.begin(), times.end());
    const auto part = [&](std::size_t percent) { return times[(times.size() - 1) * percent / 100]; };
    std::printf("heard %jd %jd %jd %jd\n", static_cast<std::intmax_t>(part(0)), static_cast<std::intmax_t>(part(50)),
                static_cast<std::intmax_t>(part(99)), static_cast<std::intmax_t>(part(100)));
    std::fflush(stdout);
  }

  sockaddr_in address_{};
  std::vector<Stream> streams_;
  std::size_t acknowledged_ = 0;
  std::size_t heard_ = 0;
  bool has_ended_ = false;
  int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: %s URL COUNT\n", arguments[0]), 2;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const char* const colon = std::strrchr(arguments[1], ':');
  if (colon == nullptr) return 2;
  Streams streams(static_cast<std::uint16_t>(std::atoi(colon + 1)), static_cast<std::size_t>(std::atol(arguments[2])));
  streams.open_all();
  streams.listen();
  return 0;
}
