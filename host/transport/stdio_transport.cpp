#include "transport/stdio_transport.hpp"

#include <cerrno>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace mcph {
namespace {

// A request whose answer is a line of the output.
class LineExchange final : public Exchange {
 public:
  explicit LineExchange(std::shared_ptr<LineWriter> writer) : writer_(std::move(writer)) { writer_->expect_answer(); }

 private:
  void send(std::string message) override { writer_->send(std::move(message)); }
  void send_if_room(std::string message) override { writer_->send_if_room(message); }
  void finish(Reply reply) override { writer_->answer(std::move(reply.body)); }

  const std::shared_ptr<LineWriter> writer_;
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

StdioTransport::StdioTransport(int input, int output, Server& server, Log& log)
    : input_(input),
      server_(server),
      log_(log),
      writer_(std::make_shared<LineWriter>(output, [this](std::string reason) {
        log_.error("client lost", {{"reason", reason}});
        interrupt();
      })) {
  client_.output = writer_;
}

void StdioTransport::run() {
  constexpr std::size_t block = std::size_t{64} * 1024;
  std::string pending;
  bool skipping = false;  // the rest of a line that was too long
  bool ended = false;
  while (wait_for_input()) {
    const auto end = pending.size();
    pending.resize(end + block);
    const auto count = ::read(input_, pending.data() + end, block);
    pending.resize(end + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    ended = count <= 0;
    if (ended) break;

    std::size_t begin = 0;
    for (auto newline = pending.find('\n', end); newline != std::string::npos; newline = pending.find('\n', begin)) {
      const auto line = std::string_view(pending).substr(begin, newline - begin);
      if (!std::exchange(skipping, false) && !is_blank(line)) receive(line);
      begin = newline + 1;
    }
    pending.erase(0, begin);
    if (pending.size() > longest_line) {
      if (!std::exchange(skipping, true)) refuse("the line is longer than " + std::to_string(longest_line) + " bytes");
      pending.clear();
    }
  }
  // A last message without a newline is a message.
  if (ended && !skipping && !is_blank(pending)) receive(pending);
  Server::end_input(client_);
}

bool StdioTransport::wait_for_input() const {
  pollfd descriptors[2] = {{input_, POLLIN, 0}, {interrupted_.descriptor(), POLLIN, 0}};
  for (;;) {
    const int ready = ::poll(descriptors, 2, -1);
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && (descriptors[1].revents & POLLIN) == 0;
  }
}

void StdioTransport::receive(std::string_view line) {
  client_.takes_requests = writer_->answers_due() < most_requests_in_flight;
  server_.receive_line(line, client_, std::make_shared<LineExchange>(writer_));
}

void StdioTransport::refuse(std::string_view reason) {
  writer_->send(error_response({}, {error_code::invalid_request, "Invalid request: " + std::string(reason)}));
}

}  // namespace mcph
