// The load of the benchmarks over HTTP: keeps N connections busy for S seconds, each with one request at a time, and
// says how many answers came and how long they took. It shares the machine with the server that it measures, so it does
// little itself: one thread, requests that are written once and of which only the digits of the id change, answers of
// which only the head is parsed. Every answer is checked: 200, the id that was asked for, a result, and no tool error.
//
// usage: bench_http_load URL [--NAME VALUE]...      defaults in brackets
//   --connections [32]  --seconds [5]; --requests N ends after so many answers, if they come earlier
//   --era modern        2026-07-28 [modern] or legacy, 2025-11-25; --session ID is what legacy servers gave, if they
//   did
//   --method call       tools/call [call] or list, tools/list
//   --tool [echo]       --arguments JSON [{"text":"hello"}]; --text-bytes N makes the argument "text" so long
//   --answer-bytes [0]  what an answer has at least
//   --token TOKEN       a bearer token; --tokens FILE has one a line, and each request takes the next
//   --any-id [no]       yes: for a server that answers fixed bytes
//
// prints "RESULT req/s p50 p99 errors count processor": latencies in microseconds, then the processor time that this
// program took itself for a request, in microseconds, too. An answer that is wrong, or that does not come because the
// connection ends, is an error; errors are not among the requests.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::string_view_literals;

constexpr std::uint64_t first_id = 1'000'000'000;  // all ids have as many digits
constexpr std::size_t id_digits = 10;
constexpr std::size_t first_read = 16384;
constexpr std::size_t searched_end = 512;  // of a large answer its ends are searched

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

[[noreturn]] void fail_with_errno(const char* what) {
  fail(std::string(what) + ": " + std::strerror(errno));
}

class Options {
 public:
  Options(int count, char** arguments) {
    if (count < 2 || count % 2 != 0) fail("usage: bench_http_load URL [--NAME VALUE]...; see the source");
    url = arguments[1];
    for (int i = 2; i < count; i += 2) {
      const auto found = values_.find(arguments[i]);
      if (found == values_.end()) fail(std::string("there is no option ") + arguments[i]);
      found->second = arguments[i + 1];
    }
  }

  const std::string& text(std::string_view name) const { return values_.find(name)->second; }
  std::uint64_t number(std::string_view name) const {
    const std::string& value = text(name);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || *end != '\0') fail(std::string(name) + " takes a number, not " + value);
    return number;
  }
  bool is(std::string_view name, std::string_view value) const { return text(name) == value; }

  std::string url;

 private:
  std::map<std::string, std::string, std::less<>> values_{
      {"--connections", "32"}, {"--seconds", "5"},      {"--requests", "0"}, {"--era", "modern"},
      {"--session", ""},       {"--method", "call"},    {"--tool", "echo"},  {"--arguments", R"({"text":"hello"})"},
      {"--text-bytes", "0"},   {"--answer-bytes", "0"}, {"--token", ""},     {"--tokens", ""},
      {"--any-id", "no"}};
};

struct Target {
  std::string host;
  std::string port;
  std::string path;
};

Target target_of(std::string_view url) {
  constexpr auto scheme = "http://"sv;
  if (!url.starts_with(scheme)) fail("the URL begins with http://");
  url.remove_prefix(scheme.size());
  const auto slash = std::min(url.find('/'), url.size());
  const auto authority = url.substr(0, slash);
  const auto colon = authority.rfind(':');
  const bool has_port = colon != authority.npos;
  return {std::string(authority.substr(0, colon)), std::string(has_port ? authority.substr(colon + 1) : "80"),
          slash == url.size() ? "/" : std::string(url.substr(slash))};
}

std::string body_of(const Options& options) {
  std::string params;
  if (options.is("--method", "call")) {
    const auto size = options.number("--text-bytes");
    const auto arguments = size > 0 ? R"({"text":")" + std::string(size, 'x') + R"("})" : options.text("--arguments");
    params = R"("name":")" + options.text("--tool") + R"(","arguments":)" + arguments;
  }
  if (options.is("--era", "modern")) {
    params += params.empty() ? "" : ",";
    params += R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
              R"("io.modelcontextprotocol/clientCapabilities":{}})";
  }
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(first_id) + R"(,"method":"tools/)" + options.text("--method") +
         R"(","params":{)" + params + "}}";
}

std::string head_of(const Options& options, const Target& target, std::size_t body_size) {
  std::string head = "POST " + target.path + " HTTP/1.1\r\nHost: " + target.host + ':' + target.port +
                     "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                     "Content-Length: " +
                     std::to_string(body_size) + "\r\n";
  if (options.is("--era", "modern")) {
    head += "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/" + options.text("--method") + "\r\n";
    if (options.is("--method", "call")) head += "Mcp-Name: " + options.text("--tool") + "\r\n";
  } else {
    head += "MCP-Protocol-Version: 2025-11-25\r\n";
    if (!options.is("--session", "")) head += "Mcp-Session-Id: " + options.text("--session") + "\r\n";
  }
  return head;
}

/// What every request says, but for its token and its id.
class Requests {
 public:
  Requests(const Options& options, const Target& target) : body_(body_of(options)) {
    head_ = head_of(options, target, body_.size());
    if (!options.is("--token", "")) tokens_.push_back(options.text("--token"));
    std::ifstream file(options.text("--tokens"));
    for (std::string line; std::getline(file, line);)
      tokens_.push_back(line);
    if (!options.is("--tokens", "") && tokens_.empty()) fail("no token in " + options.text("--tokens"));
    id_to_end_ = body_.size() - body_.find(std::to_string(first_id));
  }

  /// Makes `text` the next request, and says its id. `text` is empty, or an earlier one.
  std::uint64_t next(std::string& text) {
    if (text.empty() || tokens_.size() > 1) {
      text = head_;
      if (!tokens_.empty()) text.append("Authorization: Bearer ").append(tokens_[count_ % tokens_.size()]) += "\r\n";
      text.append("\r\n").append(body_);
    }
    const auto id = first_id + count_++;
    char* const digits = text.data() + text.size() - id_to_end_;
    std::to_chars(digits, digits + id_digits, id);
    return id;
  }

 private:
  std::string body_;
  std::string head_;
  std::vector<std::string> tokens_;
  std::size_t id_to_end_ = 0;
  std::uint64_t count_ = 0;
};

/// The value of a field, whose name is in lower case.
std::optional<std::string_view> field(std::string_view head, std::string_view name) {
  for (auto at = head.find("\r\n"); at != head.npos && at + 2 + name.size() < head.size(); at = head.find("\r\n", at)) {
    at += 2;
    if (head[at + name.size()] != ':' || strncasecmp(head.data() + at, name.data(), name.size()) != 0) continue;
    auto value = head.substr(at + name.size() + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value.substr(0, value.find("\r\n"));
  }
  return std::nullopt;
}

/// One answer as it comes.
class Answer {
 public:
  char* room() {
    if (bytes_.size() - size_ < first_read / 2) bytes_.resize(std::max(2 * bytes_.size(), first_read));
    return bytes_.data() + size_;
  }
  std::size_t room_size() const { return bytes_.size() - size_; }

  /// True if all of it is there.
  bool add(std::size_t count) {
    size_ += count;
    if (body_at_ == 0 && !read_head()) return false;
    return is_chunked_ ? join_chunks() : size_ >= body_at_ + length_;
  }

  bool is_ok() const { return text().substr(std::min(size_, "HTTP/1.1 "sv.size())).starts_with("200"); }
  std::string_view body() const { return is_chunked_ ? std::string_view(joined_) : text().substr(body_at_); }
  void clear() { size_ = body_at_ = 0; }

 private:
  std::string_view text() const { return {bytes_.data(), size_}; }

  bool read_head() {
    const auto end = text().find("\r\n\r\n");
    if (end == std::string_view::npos) return false;
    body_at_ = end + 4;
    const auto head = text().substr(0, body_at_);
    const auto length = field(head, "content-length");
    is_chunked_ = !length;
    length_ = 0;
    if (length) std::from_chars(length->data(), length->data() + length->size(), length_);
    if (bytes_.size() < body_at_ + length_) bytes_.resize(body_at_ + length_ + first_read);
    return true;
  }

  bool join_chunks() {
    joined_.clear();
    for (auto rest = text().substr(body_at_);;) {
      const auto line_end = rest.find("\r\n");
      if (line_end == std::string_view::npos) return false;
      std::size_t length = 0;
      std::from_chars(rest.data(), rest.data() + line_end, length, 16);
      rest.remove_prefix(line_end + 2);
      if (rest.size() < length + 2) return false;
      if (length == 0) return true;
      joined_.append(rest.substr(0, length));
      rest.remove_prefix(length + 2);
    }
  }

  std::vector<char> bytes_;
  std::size_t size_ = 0;
  std::size_t body_at_ = 0;  // 0: the head is not there yet
  std::size_t length_ = 0;
  bool is_chunked_ = false;
  std::string joined_;
};

bool has(std::string_view body, std::string_view what) {
  if (body.size() <= 2 * searched_end) return body.find(what) != body.npos;
  return body.substr(0, searched_end).find(what) != body.npos ||
         body.substr(body.size() - searched_end).find(what) != body.npos;
}

struct Connection {
  int socket = -1;
  std::string request;
  std::size_t sent = 0;
  bool waits_for_room = false;
  std::uint64_t id = 0;
  Clock::time_point asked;
  Answer answer;
};

/// The closed loop. One thread.
class Load {
 public:
  explicit Load(const Options& options)
      : target_(target_of(options.url)),
        requests_(options, target_),
        wanted_(options.number("--requests")),
        least_(options.number("--answer-bytes")),
        any_id_(options.is("--any-id", "yes")),
        connections_(options.number("--connections")) {
    resolve();
    latencies_.reserve(1U << 20U);
  }

  void run(std::chrono::seconds time) {
    for (auto& connection : connections_)
      open(connection);
    begin_ = Clock::now();
    for (auto& connection : connections_)
      ask(connection);
    const auto end = begin_ + time;
    std::array<epoll_event, 256> events;  // NOLINT(cppcoreguidelines-pro-type-member-init): epoll_wait writes it
    while ((now_ = Clock::now()) < end && !has_enough()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - now_).count() + 1;
      const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(left));
      if (count < 0 && errno != EINTR) fail_with_errno("epoll_wait");
      for (int i = 0; i < count; ++i) {
        const auto& event = events[static_cast<std::size_t>(i)];
        auto& connection = *static_cast<Connection*>(event.data.ptr);
        if ((event.events & EPOLLOUT) != 0) send(connection);
        if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive(connection);
      }
    }
  }

  void print() {
    const auto seconds = std::chrono::duration<double>(now_ - begin_).count();
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto us = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
    };
    const auto count = static_cast<double>(std::max<std::size_t>(latencies_.size(), 1));
    std::printf("RESULT %.0f %.1f %.1f %llu %zu %.2f\n", static_cast<double>(latencies_.size()) / seconds, part(0.5),
                part(0.99), static_cast<unsigned long long>(errors_), latencies_.size(),
                (us(usage.ru_utime) + us(usage.ru_stime)) / count);
  }

 private:
  bool has_enough() const { return wanted_ > 0 && latencies_.size() + errors_ >= wanted_; }

  void resolve() {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    if (const int error = ::getaddrinfo(target_.host.c_str(), target_.port.c_str(), &hints, &address_); error != 0)
      fail(target_.host + ": " + ::gai_strerror(error));
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  }

  void open(Connection& connection) {
    const int socket = ::socket(address_->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) fail_with_errno("socket");
    if (::connect(socket, address_->ai_addr, address_->ai_addrlen) != 0) fail_with_errno("connect");
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection.socket = socket;
    connection.answer.clear();
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
  }

  void watch(Connection& connection, int how, std::uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &connection;
    if (::epoll_ctl(epoll_, how, connection.socket, &event) != 0) fail_with_errno("epoll_ctl");
    connection.waits_for_room = (events & EPOLLOUT) != 0;
  }

  void ask(Connection& connection) {
    connection.id = requests_.next(connection.request);
    connection.sent = 0;
    connection.asked = Clock::now();
    send(connection);
  }

  void send(Connection& connection) {
    const auto rest = std::string_view(connection.request).substr(connection.sent);
    const auto count = ::send(connection.socket, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) connection.sent += static_cast<std::size_t>(count);
    const bool is_sent = connection.sent == connection.request.size();
    // If the connection has ended, the next read says so.
    if (is_sent == connection.waits_for_room && (count > 0 || errno == EAGAIN))
      watch(connection, EPOLL_CTL_MOD, is_sent ? EPOLLIN : EPOLLIN | EPOLLOUT);
  }

  void receive(Connection& connection) {
    char* const room = connection.answer.room();
    const auto count = ::recv(connection.socket, room, connection.answer.room_size(), MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      ++errors_;
      ::close(connection.socket);
      open(connection);
      ask(connection);
    } else if (connection.answer.add(static_cast<std::size_t>(count))) {
      take(connection);
      connection.answer.clear();
      ask(connection);
    }
  }

  void take(const Connection& connection) {
    const auto body = connection.answer.body();
    std::array<char, 5 + id_digits> id{'"', 'i', 'd', '"', ':'};
    std::to_chars(id.data() + 5, id.data() + id.size(), connection.id);
    const bool is_right = connection.answer.is_ok() && body.size() >= least_ &&
                          (any_id_ || has(body, {id.data(), id.size()})) && has(body, R"("result":)") &&
                          !has(body, R"("isError":true)");
    if (is_right) {
      latencies_.push_back(std::chrono::duration<float, std::micro>(Clock::now() - connection.asked).count());
    } else if (errors_++ == 0) {
      std::fprintf(stderr, "a wrong answer: %.*s\n", static_cast<int>(std::min(body.size(), searched_end)),
                   body.data());
    }
  }

  double part(double of) {
    if (latencies_.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto at = latencies_.begin() + static_cast<std::ptrdiff_t>(of * static_cast<double>(latencies_.size() - 1));
    std::nth_element(latencies_.begin(), at, latencies_.end());
    return *at;
  }

  Target target_;
  Requests requests_;
  std::uint64_t wanted_;  // 0: as many as there is time for
  std::size_t least_;
  bool any_id_;
  std::vector<Connection> connections_;
  std::vector<float> latencies_;  // in microseconds
  std::uint64_t errors_ = 0;
  addrinfo* address_ = nullptr;
  int epoll_ = -1;
  Clock::time_point begin_;
  Clock::time_point now_;
};

}  // namespace

int main(int count, char** arguments) {
  const Options options(count, arguments);
  Load load(options);
  load.run(std::chrono::seconds(options.number("--seconds")));
  load.print();
  return 0;
}
