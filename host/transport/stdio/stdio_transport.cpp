#include "transport/stdio/stdio_transport.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace mcph {
namespace {

// Of a client that reads slowly: whether it has, by now.
constexpr int look_interval_ms = 10;
// Without anything being read, once the host is about to end.
constexpr std::chrono::seconds farewell{2};

// A request whose answer is a line of the output.
class LineExchange final : public Exchange {
 public:
  explicit LineExchange(std::shared_ptr<LineWriter> writer)
      : Exchange({.transport = NetworkTransport::pipe}), writer_(std::move(writer)) {
    writer_->expect_answer();
  }

 private:
  void send(std::string message) override { writer_->send(std::move(message)); }
  void send_if_room(std::string message) override { writer_->send_if_room(std::move(message)); }
  void finish(Reply reply) override { writer_->answer(std::move(reply.body)); }

  const std::shared_ptr<LineWriter> writer_;
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

StdioTransport::StdioTransport(int input, int output, StdioOptions options, Server& server, Log& log)
    : input_(input),
      options_(std::move(options)),
      server_(server),
      log_(log, max_lines_of_clients),
      writer_(std::make_shared<LineWriter>(output, options_.output,
                                           [this](const LineWriter::Failure& failure) {
                                             if (failure.client_left) {
                                               log_.info("client gone", {{"reason", failure.reason}});
                                             } else {
                                               client_lost_ = true;
                                               log_.error("client lost", {{"reason", failure.reason}});
                                             }
                                             interrupt();
                                           })),
      line_(options_.max_message_bytes) {
  client_.output = writer_;
  client_.reader = options_.principal;
}

void StdioTransport::run() {
  std::array<char, std::size_t{64} * 1024> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): read writes it
  bool ended = false;
  while (!ended && wait_for_input()) {
    const auto count = ::read(input_, block.data(), block.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    ended = count <= 0;
    if (!ended) take({block.data(), static_cast<std::size_t>(count)});
  }
  // A last message without a newline is a message.
  if (ended) end_line();
  Server::end_input(client_);
}

bool StdioTransport::finish() {
  if (!writer_->drain({})) {
    log_.info("waiting for the client", {{"reason", "it has " + std::to_string(writer_->unread_bytes()) +
                                                        " bytes to read, and the host ends when it has"}});
  }
  const bool written = writer_->drain_while_read(farewell);
  if (!written) {
    log_.error("client lost", {{"reason", "it has left " + std::to_string(writer_->unread_bytes()) +
                                              " bytes unread, and the host ends"}});
  }
  return written && !client_lost_;
}

bool StdioTransport::wait_for_input() {
  std::array<pollfd, 2> descriptors{{{input_, POLLIN | POLLRDHUP, 0}, {interrupted_.descriptor(), POLLIN, 0}}};
  for (;;) {
    const int ready = ::poll(descriptors.data(), descriptors.size(), -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0 || (descriptors[1].revents & POLLIN) != 0) return false;
    // What is left of an input that has ended is no more than the system has buffered.
    const bool ended = (descriptors[0].revents & ~POLLIN) != 0;
    if (ended || writer_->has_room()) return true;
    if (!std::exchange(has_waited_, true)) {
      log_.warning("client reads slowly", {{"unread_bytes", writer_->unread_bytes()},
                                           {"consequence", "nothing more is taken from it until it has read"}});
    }
    ::poll(&descriptors[1], 1, look_interval_ms);
  }
}

void StdioTransport::take(std::string_view bytes) {
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    line_.add(bytes.substr(0, end));
    end_line();
    bytes.remove_prefix(end + 1);
  }
  line_.add(bytes);
}

void StdioTransport::end_line() {
  if (line_.is_given_up()) {
    refuse_long();
  } else if (!is_blank(line_.text())) {
    receive(line_.text());
  }
  line_.clear();
}

void StdioTransport::receive(std::string_view line) {
  client_.takes_requests = writer_->answers_due() < max_requests_in_flight;
  const auto exchange = std::make_shared<LineExchange>(writer_);
  exchange->comes_from({"stdio", line.size()});
  server_.receive(line, client_, {.principal = options_.principal}, exchange);
}

void StdioTransport::refuse_long() {
  const LongMessage message{line_.envelope(), options_.max_message_bytes, "--max-message-bytes"};
  auto reply = Server::refuse_long(message, client_.session.get());
  if (may_be_answered(message.envelope)) writer_->send(std::move(reply.body));
  log_.warning("message refused", {{"reason", "it " + message.words()}});
}

}  // namespace mcph
