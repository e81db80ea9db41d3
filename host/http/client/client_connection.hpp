// One connection to another server. A coroutine opens it and reads what comes; requests are written as they are handed
// in, in one write where the socket takes it, by whoever hands them in. Both on one strand, so that it needs no lock;
// what is marked [any] may be called from any thread. The pool owns it until it has closed, and so does its coroutine.
// Its members are the state of one exchange, in which reading, writing and waiting depend on each other.
//
// It is never known whether a request has arrived when the connection ends without a byte of the answer. It is sent
// again, once, by another connection, where that does no harm: it is idempotent, or the server had closed a connection
// that was idle before a byte of it was written.
//
// What a coroutine here hands to another one is a named value, never a temporary inside the co_await expression, and
// co_await is neither an operand of && or || nor the condition of a loop: gcc 12 compiles those wrongly.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "http/client/connection_pool.hpp"
#include "http/client/sent_request.hpp"
#include "http/stream.hpp"
#include "runtime/coroutine.hpp"

namespace mcph {

class AnswerParser;

class ClientConnection final : public std::enable_shared_from_this<ClientConnection> {
 public:
  using Clock = SentRequest::Clock;

  ClientConnection(boost::asio::io_context& context, std::shared_ptr<ConnectionPool> pool);
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  // [any]
  boost::asio::io_context& context() const { return context_; }
  // [any] When it is late with what it waits for.
  Clock::time_point due() const { return due_.load(); }
  // [any] Once, before all else: connects, and sends the request.
  void open_for(const std::shared_ptr<SentRequest>& request);
  // [any] Of one that is idle; where it has just ended, the pool gets the request back.
  void take(const std::shared_ptr<SentRequest>& request);
  // [any] Looks whether it is late.
  void time_is_over();
  // [any] What is in flight fails.
  void close();
  // [any] Ends if this is the request that it serves.
  void abandon(const std::shared_ptr<SentRequest>& request);
  // [any] Reads on if this is the request that it serves.
  void resume(const std::shared_ptr<SentRequest>& request);

 private:
  using Error = boost::system::error_code;
  enum class Waiting { for_connection, for_head, for_body, for_request };

  Coroutine<> run(std::shared_ptr<SentRequest> request);
  // Finds the server, connects and shakes hands.
  Coroutine<Result<>> open();
  Coroutine<Error> connect(const NameLookup::Addresses& addresses);
  Coroutine<> read();
  void write(const std::shared_ptr<SentRequest>& request);
  Coroutine<> write_rest(std::size_t written);
  // False: nothing more is read.
  bool take_bytes(std::size_t count);
  bool finish(bool is_clean);
  void break_off(const Error& error);
  void end_with(const Result<>& why);
  void wait_for(Waiting what);
  std::chrono::milliseconds patience() const;
  void shut();

  static constexpr std::size_t buffer_bytes = std::size_t{32} << 10;

  boost::asio::io_context& context_;
  const std::shared_ptr<ConnectionPool> pool_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  HttpSocket socket_;  // until there is a stream
  std::unique_ptr<HttpStream> stream_;
  boost::asio::steady_timer signal_;  // never expires; cancelled to wake the coroutine
  std::atomic<Clock::time_point> due_{Clock::time_point::max()};
  Waiting waiting_ = Waiting::for_connection;
  Clock::time_point head_due_;  // of the answer, and of all that are interim before it; a byte more is no more time

  std::shared_ptr<SentRequest> request_;  // null: it is idle, or has closed
  std::unique_ptr<AnswerParser> parser_;
  std::string written_;  // the request as bytes
  std::optional<NameLookup::Addresses> addresses_;
  std::chrono::milliseconds idle_time_;
  std::size_t filled_ = 0;   // of the buffer
  bool is_used_ = false;     // it has served a request
  bool is_writing_ = false;  // and not all of the request is written
  bool is_unsent_ = false;   // nothing of the request was written, because the server had gone
  bool has_answer_ = false;  // a byte of it
  bool is_paused_ = false;
  bool is_closed_ = false;
  std::array<char, buffer_bytes> buffer_;
};

}  // namespace mcph
