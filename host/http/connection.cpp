#include "http/connection.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory_resource>
#include <new>
#include <span>
#include <thread>
#include <utility>

#include <boost/asio/post.hpp>

#include "http/rules.hpp"
#include "runtime/as_value.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::size_t read_size = std::size_t{16} * 1024;
// Of what comes while an answer is made, which may take for ever, and is seldom anything.
constexpr std::size_t watch_size = 256;
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
// Most answers come sooner, and watching costs system calls.
constexpr std::chrono::milliseconds unwatched_time{50};
constexpr std::chrono::milliseconds linger_time{1000};
// For the first request of a client that came before the end of the server, and cannot know that it ends: from its
// coming on, because a busy machine takes a while between the two, and from the end on.
constexpr std::chrono::milliseconds first_request_time{3000};
constexpr std::chrono::milliseconds min_first_request_time{500};
// For one on a connection that has been used, whose client learns of the end by it.
constexpr std::chrono::milliseconds next_request_time{20};
// For the id of a request whose body is too long, from the last bytes on that have come.
constexpr std::chrono::milliseconds id_time{2000};
// For memory that others have, and between two looks whether they have given it back.
constexpr std::chrono::milliseconds room_time{5000};
constexpr std::chrono::milliseconds room_pause{50};
// For a body that has begun to take memory which others need: less than they wait for it.
constexpr std::chrono::milliseconds unfinished_body_time{2000};

// Whether the client waits for a word before it sends the body. An older one does not know the answer (RFC 9110
// section 10.1.1).
bool awaits_word(const HttpMessage& message) {
  return message.version >= 11 && awaits_continue(message.fields);
}

}  // namespace

HttpConnection::HttpConnection(std::unique_ptr<HttpStream> stream, HttpServer& server)
    : server_(server),
      threads_(server.threads()),
      open_(server.open_connections()),
      budget_(server.budget()),
      stream_(std::move(stream)),
      buffer_(limits().header_bytes + read_size),
      loop_(static_cast<asio::io_context&>(asio::query(executor(), asio::execution::context))),
      waiters_(loop_) {}

HttpConnection::~HttpConnection() {
  end_event_stream();
  const MutexLock lock(open_->mutex);
  if (open_->all.erase(this) > 0 && open_->all.empty() && open_->when_none) open_->when_none();
}

void HttpConnection::start() {
  // Who watches the client would hold the connection open.
  spawn(loop_.get_executor(), serve(), shared_from_this(), [this](const std::exception_ptr& failed) {
    if (failed) stream_->close();
  });
}

void HttpConnection::attend(Clock::time_point now) {
  if (now.time_since_epoch().count() >= ends_at_.load(std::memory_order_relaxed) &&
      ends_at_.exchange(never, std::memory_order_relaxed) != never)
    asio::post(executor(), [self = shared_from_this()] { self->certificate_has_expired(); });
  if (now.time_since_epoch().count() < due_.load(std::memory_order_relaxed)) return;
  asio::post(executor(), [self = shared_from_this(), now] { self->time_is_up(now); });
}

void HttpConnection::put_off(Clock::duration late, Clock::time_point since, Clock::time_point now) {
  auto due = due_.load(std::memory_order_acquire);
  const auto begin = waits_since_.load(std::memory_order_relaxed);
  const bool is_counted_from_then = begin >= since.time_since_epoch().count() && begin < now.time_since_epoch().count();
  if (due == never || !is_counted_from_then) return;
  // If it fails, something else is waited for, and from now on.
  due_.compare_exchange_strong(due, due + late.count());
}

void HttpConnection::shut_down() {
  asio::post(executor(), [self = shared_from_this()] {
    self->closing_ = true;
    const bool waits = self->waiting_ == Waiting::for_request;
    if ((!waits && self->waiting_ != Waiting::for_rest) || self->is_upgraded_) return;
    if (self->is_new_) return self->wait_for(self->waiting_, self->first_request_patience());
    // One may have come that nobody has read yet. What has not arrived whole is no call in flight.
    if (waits) return self->wait_for(Waiting::for_request, next_request_time);
    self->stream_->cancel();
  });
}

HttpConnection::Clock::time_point HttpConnection::yields_at() const {
  return Clock::time_point(Clock::duration(yields_at_.load(std::memory_order_relaxed)));
}

void HttpConnection::give_way(Clock::time_point yields_at) {
  asio::post(executor(), [self = shared_from_this(), yields_at] {
    if (self->yields_at() != yields_at) return;
    if (self->is_upgraded_) {
      return self->cut_off("connection closed",
                           "its client is slow to send or to read a large message, and others need the memory");
    }
    if (self->waiting_ == Waiting::for_bytes) {
      return self->cut_off("connection closed",
                           "its client is slow to read a large answer, and others need the memory");
    }
    if (self->waiting_ == Waiting::for_rest) {
      self->warn("connection closed", "its client is slow to send a large request, and others need the memory");
    }
    self->gives_way_ = true;
    self->stop_waiting();
  });
}

void HttpConnection::expel(const std::shared_ptr<const IsGood>& is_good) {
  asio::post(executor(), [self = shared_from_this(), is_good] {
    if (self->is_upgraded_) return self->upgraded_->expel(*is_good);
    if (self->principal_ && !(*is_good)(*self->principal_)) self->end_answer();
  });
}

// As if the client had gone, which it has to.
void HttpConnection::end_answer() {
  expelled_ = true;
  disconnected_ = true;
  wake();
  if (waiting_ == Waiting::for_bytes) stream_->shut_down();
}

void HttpConnection::cut_off(std::string_view closed, std::string_view reason) {
  if (cut_off_) return;
  warn(closed, reason);
  abort();
}

void HttpConnection::abort() {
  cut_off_ = true;
  // Cancelling would miss a write between two of its steps; this fails the next step too.
  stream_->shut_down();
}

void HttpConnection::warn(std::string_view closed, std::string_view reason) const {
  server_.log().warning(closed, {{"reason", reason}, {"limit", budget_->limit()}});
}

void HttpConnection::wait_for(Waiting what, std::chrono::milliseconds patience) {
  waiting_ = what;
  timed_out_ = false;
  attend_at(now() + patience);
}

void HttpConnection::time_is_up(Clock::time_point now) {
  if (now.time_since_epoch().count() < due_.load(std::memory_order_relaxed)) return;
  if (is_upgraded_) return upgraded_->time_is_up(now);
  if (waiting_ == Waiting::for_answer && !std::exchange(watched_, true)) {
    watch_for_disconnect();
    return wait_for(Waiting::for_answer, rest_of_patience_);
  }
  stop_waiting();
}

void HttpConnection::stop_waiting() {
  timed_out_ = true;
  if (waiting_ == Waiting::for_answer || waiting_ == Waiting::for_room) {
    wake();
  } else {
    stream_->cancel();
  }
}

Coroutine<> HttpConnection::serve() {
  bool goes_on = co_await open();
  while (goes_on) {
    goes_on = co_await serve_request();
    // Where more requests have come already, other connections have their turn in between.
    if (goes_on && buffer_.size() > 0) co_await asio::post(loop_, as_value);
  }
  if (upgraded_ != nullptr) co_await serve_upgraded();
  if (lingers_) {
    co_await linger();
  } else if (!cut_off_) {
    wait_for(Waiting::for_bytes, linger_time);
    co_await stream_->end_sending();
  }
  stream_->shut_down();
  stream_->close();
}

Coroutine<> HttpConnection::serve_upgraded() {
  // Of one that says nothing for long, little is kept.
  buffer_.shrink_to_fit();
  is_upgraded_ = true;
  co_await upgraded_->run();
  is_upgraded_ = false;
  held_.clear();
  lingers_ = !cut_off_;
}

void HttpConnection::upgrade(std::unique_ptr<UpgradedProtocol> protocol) {
  upgraded_ = std::move(protocol);
  client_.keep_alive = false;
}

Coroutine<HttpStream::Transferred> HttpConnection::read_some(asio::mutable_buffer bytes) {
  return buffer_.size() > 0 ? take_read_ahead(bytes) : stream_->read_some(bytes);
}

Coroutine<HttpStream::Transferred> HttpConnection::take_read_ahead(asio::mutable_buffer bytes) {
  const auto count = asio::buffer_copy(bytes, buffer_.data());
  buffer_.consume(count);
  if (buffer_.size() == 0) buffer_.shrink_to_fit();
  co_return HttpStream::Transferred(boost::system::error_code(), count);
}

Coroutine<bool> HttpConnection::open() {
  wait_for(Waiting::for_rest, limits().header_time);
  const auto opened = co_await stream_->open();
  lingers_ = opened.has_error();
  if (opened.has_error() && !opened.error().message.empty()) {
    const auto& address = stream_->peer().address;
    server_.log().info("connection not opened",
                       {{"reason", opened.error().message}, {"source", address ? address->text() : std::string()}});
  }
  if (opened.has_value()) look_at_certificate();
  co_return opened.has_value();
}

void HttpConnection::look_at_certificate() {
  constexpr std::chrono::hours soon{24 * 365};  // no connection is older
  const auto& certificate = stream_->peer().certificate;
  if (certificate == nullptr || !server_.options().certificates_admit) return;
  const auto left = certificate->expiry - std::chrono::system_clock::now();
  if (left < soon) ends_at_.store((Clock::now() + left).time_since_epoch().count(), std::memory_order_relaxed);
}

void HttpConnection::certificate_has_expired() {
  constexpr std::chrono::seconds later{1};
  const IsGood nobody = [](const Principal&) { return false; };
  if (is_upgraded_) return upgraded_->expel(nobody);
  if (waiting_ == Waiting::for_request) {
    closing_ = true;
    stream_->cancel();
  } else if (waiting_ == Waiting::for_rest) {
    // Such a request is refused. One that came before may be at work, and what becomes of it is not known yet.
    ends_at_.store((Clock::now() + later).time_since_epoch().count(), std::memory_order_relaxed);
  } else {
    end_answer();
  }
}

// Closing while the client may still be sending would reset the connection, and it could lose the last answer (RFC 9112
// section 9.6).
Coroutine<> HttpConnection::linger() {
  wait_for(Waiting::for_bytes, linger_time);
  co_await stream_->end_sending();
  if (watching_ != Watching::off) co_await stop_watching();
  wait_for(Waiting::for_bytes, linger_time);
  buffer_.clear();
  while (!timed_out_) {
    const auto [error, count] = co_await stream_->read_some(buffer_.prepare(read_size));
    if (error) co_return;
  }
}

Coroutine<bool> HttpConnection::serve_request() {
  if (closing_ && !is_new_ && buffer_.size() == 0) co_return false;
  client_ = {.more_fields = service().fields()};
  std::pmr::monotonic_buffer_resource memory(field_memory_.data(), field_memory_.size());
  HttpRequestReader reader(limits(), memory, service().body_scanner());
  const bool read = co_await read_request(reader);
  end_holding();
  is_new_ = false;
  if (!read) co_return false;
  co_await answer(reader);
  principal_.reset();
  if (upgraded_ == nullptr) held_.clear();
  body_share_ = {};
  co_return client_.keep_alive;
}

std::chrono::milliseconds HttpConnection::first_request_patience() const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(came_ + first_request_time - Clock::now());
  return std::max(left, min_first_request_time);
}

// Whether some of it has come already.
bool HttpConnection::wait_for_request(const HttpRequestReader& reader) {
  const bool begun = reader.has_begun(buffer_);
  const auto patience = begun ? limits().header_time : limits().idle_time;
  wait_for(begun ? Waiting::for_rest : Waiting::for_request, closing_ ? first_request_patience() : patience);
  return begun;
}

// Returns until when it is waited for.
HttpConnection::Clock::time_point HttpConnection::wait_for_body() {
  wait_for(Waiting::for_rest, limits().body_time);
  return now() + limits().body_time;
}

Coroutine<bool> HttpConnection::read_request(HttpRequestReader& reader) {
  if (watching_ != Watching::off) co_await stop_watching();
  if (disconnected_) co_return false;
  bool header_read = false;
  Clock::time_point body_due = Clock::time_point::max();
  bool begun = wait_for_request(reader);
  for (;;) {
    if (const auto taken = reader.take(buffer_); taken.has_error()) {
      auto refusal = taken.error();
      co_await refuse_unread(std::move(refusal));
      co_return false;
    }
    if (reader.is_complete()) co_return true;
    if (reader.has_header() && !std::exchange(header_read, true)) {
      if (awaits_word(reader.message())) co_await write(go_on);
      body_due = wait_for_body();
    }
    if (reader.message().body.is_too_long()) {
      if (now() >= body_due) co_return true;  // as where it is noticed while nothing comes
      wait_for_id(body_due);
    }
    const auto in_place = buffer_.size() == 0 ? reader.room_in_place() : std::span<char>();
    if (reader.has_header() && !body_share_.grow(budget_, reader.body_memory())) {
      const bool has_room = co_await has_room_for(reader);
      if (!has_room) {
        co_await refuse_for_memory();
        co_return false;
      }
      body_due = wait_for_body();
    }
    if (yields_at() == Clock::time_point::max()) begin_holding(body_share_, unfinished_body_time);

    // Where the read had just ended when it was to be cancelled, no other one begins.
    if (closing_ && !is_new_) co_return false;
    const auto space =
        in_place.empty() ? buffer_.prepare(read_size) : asio::mutable_buffer(in_place.data(), in_place.size());
    const auto [error, count] = co_await stream_->read_some(space);
    if (gives_way_) {
      co_await refuse_for_memory();
      co_return false;
    }
    if (error && begun && std::exchange(timed_out_, false)) {
      // What is too long is refused for that, whatever it is.
      if (reader.message().body.is_too_long()) co_return true;
      HttpRefusal late{408, "The request took too long to arrive"};
      co_await refuse_unread(std::move(late));
      co_return false;
    }
    if (error) co_return false;  // the client closed the connection, or was quiet for too long
    if (in_place.empty()) {
      buffer_.commit(count);
    } else if (reader.take_in_place({in_place.data(), count}).has_error()) {
      co_return false;  // which cannot be
    }
    if (!begun && reader.has_begun(buffer_)) {
      begun = true;
      wait_for(Waiting::for_rest, limits().header_time);
    }
  }
}

Coroutine<> HttpConnection::refuse_for_memory() {
  auto none = no_memory_for("this request");
  co_await refuse_unread(std::move(none));
}

// Of a message that is too long only the id is missing, which most have at their beginning. Its memory goes back.
void HttpConnection::wait_for_id(Clock::time_point body_due) {
  end_holding();
  body_share_ = {};
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(body_due - now());
  wait_for(Waiting::for_rest, std::min(rest, id_time));
}

// Those who have a share themselves give up one after the other, so that it helps the others among them.
Coroutine<bool> HttpConnection::has_room_for(const HttpRequestReader& reader) {
  end_holding();
  begin_holding(body_share_, room_time);
  const auto patience = body_share_.is_empty() ? room_time : limits().body_time;
  bool has_room = false;
  for (auto waited = room_pause; !has_room && waited <= patience && !closing_; waited += room_pause) {
    wait_for(Waiting::for_room, room_pause);
    while (!timed_out_)
      co_await wake_up();
    if (gives_way_) break;
    has_room = body_share_.grow(budget_, reader.body_memory());
  }
  end_holding();
  co_return has_room;
}

HttpRefusal HttpConnection::no_memory_for(std::string_view what) const {
  return unavailable("The server has no memory left for " + std::string(what) +
                     ", because large requests and answers of others take all of its " +
                     std::to_string(budget_->limit()) + " bytes; try again later, or raise --max-buffered-bytes");
}

Coroutine<> HttpConnection::refuse_unread(HttpRefusal refusal) {
  end_holding();
  client_.keep_alive = false;
  return refuse(std::move(refusal));
}

Coroutine<> HttpConnection::answer(HttpRequestReader& reader) {
  const auto& message = reader.message();
  HttpRequest request(reader.message(), stream_->peer());
  client_.version = message.version;
  client_.keep_alive = keeps_alive(message.version, request.fields.connection) && !closing_ && reader.is_whole();
  client_.head_only = request.method == http::verb::head;
  auto answering = serve_or_refuse(message, request);
  co_await std::move(answering);
  if (streams_) lingers_ = (!client_.keep_alive || closing_) && !cut_off_ && !disconnected_;
  end_event_stream();
}

Coroutine<> HttpConnection::serve_or_refuse(const HttpMessage& message, HttpRequest& request) {
  if (const auto settled = settle_target(message, request); settled.has_error()) return refuse(settled.error());
  return server_.service().serve(request, *this);
}

void HttpConnection::let_read(std::optional<std::string_view> origin) {
  client_.origin = origin;
  if (origin) client_.exposed_headers = service().cors().exposed;
}

std::shared_ptr<const void> HttpConnection::take_body_share() {
  return body_share_.is_empty() ? nullptr : std::make_shared<const MemoryBudget::Share>(std::move(body_share_));
}

void HttpConnection::drop_body(HttpRequest& request) {
  request.body.drop();
  body_share_ = {};
}

std::string HttpConnection::begin_event_stream() {
  client_.now = std::time(nullptr);
  if (!std::exchange(streams_, true)) open_->event_streams.fetch_add(1);
  return event_stream_head(client_);
}

void HttpConnection::end_event_stream() {
  if (std::exchange(streams_, false)) open_->event_streams.fetch_sub(1);
}

Coroutine<> HttpConnection::refuse(HttpRefusal refusal) {
  return respond(service().refuse(std::move(refusal)));
}

Coroutine<> HttpConnection::respond(HttpResponse response) {
  body_share_ = {};
  held_.clear();
  // The host may have begun to shut down since the request was read.
  client_.keep_alive = client_.keep_alive && !closing_;
  client_.now = std::time(nullptr);
  const bool apart = response.body.size() > max_copied;
  // Of what the socket does not take at once, which is seldom, there is a copy.
  std::string rest;
  bool written = write_at_once(response, apart, rest);
  if (written && !rest.empty()) written = co_await write(rest);
  if (written && apart && !client_.head_only) written = co_await write(response.body);
  end_holding();
  lingers_ = written && !client_.keep_alive;
  client_.keep_alive = client_.keep_alive && written;
}

Coroutine<> HttpConnection::work_on(std::size_t bytes, const std::function<void()>& work) {
  if (bytes <= Executor::max_quick_bytes) {
    const bool kept_loop = threads_.run_here(work);
    if (!kept_loop) co_await asio::post(loop_, as_value);
    co_return;
  }
  const BeginWork begin = [this, bytes](std::function<void()> task) { threads_.run_long(bytes, std::move(task)); };
  co_await work_elsewhere(begin, work);
}

Coroutine<> HttpConnection::wait_for_work(const std::function<void()>& work) {
  const BeginWork begin = [this](std::function<void()> task) { threads_.run(std::move(task)); };
  co_await work_elsewhere(begin, work);
}

Coroutine<> HttpConnection::work_in_turn(std::size_t bytes, const std::function<void()>& work) {
  const BeginWork begin = [this, bytes](std::function<void()> task) {
    bytes <= Executor::max_quick_bytes ? threads_.run_urgently(std::move(task))
                                       : threads_.run_long(bytes, std::move(task));
  };
  co_await work_elsewhere(begin, work);
}

Coroutine<> HttpConnection::work_elsewhere(const BeginWork& begin, const std::function<void()>& work) {
  std::atomic<bool> done{false};  // after which only this coroutine uses what is here
  std::exception_ptr failed;
  begin([self = shared_from_this(), &work, &done, &failed] {
    try {
      work();
    } catch (...) {
      failed = std::current_exception();
    }
    done = true;
    self->wake_surely();
  });
  while (!done)
    co_await wake_up();
  if (failed) std::rethrow_exception(failed);
}

bool HttpConnection::write_at_once(const HttpResponse& response, bool without_body, std::string& rest) {
  if (cut_off_) return false;
  // Nothing of it outlives this function, so one for each thread is enough.
  thread_local std::string text;
  text.clear();
  append_head(text, client_, response);
  if (!without_body && !client_.head_only) text.append(response.body);
  const auto [error, count] = stream_->write_now(asio::buffer(text));
  if (count < text.size()) rest.assign(text, count);
  return !error || error == asio::error::would_block;
}

Coroutine<bool> HttpConnection::write(std::string_view text) {
  // Each step has its time, so that a long answer to a slow reader may take long, and one to nobody may not.
  while (!text.empty() && !cut_off_) {
    wait_for(Waiting::for_bytes, limits().write_time);
    const auto buffer = asio::buffer(text.substr(0, max_write));
    const auto [error, count] = co_await stream_->write_some(buffer);
    if (error) co_return false;
    text.remove_prefix(count);
  }
  co_return text.empty();
}

void HttpConnection::wake_surely() {
  constexpr std::chrono::milliseconds pause{10};
  for (;;) {
    try {
      return wake();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(pause);
    }
  }
}

void HttpConnection::begin_waiting(std::chrono::milliseconds patience) {
  watched_ = watching_ != Watching::off;
  wait_for(Waiting::for_answer, watched_ ? patience : std::min(unwatched_time, patience));
  rest_of_patience_ = patience;
}

void HttpConnection::watch_for_disconnect() {
  if (watching_ != Watching::off || buffer_.size() == buffer_.max_size()) return;
  watching_ = Watching::on;
  if (buffer_.size() == 0) buffer_.shrink_to_fit();
  spawn(loop_.get_executor(), watch(), shared_from_this());
}

Coroutine<> HttpConnection::watch() {
  while (watching_ == Watching::on && buffer_.size() < buffer_.max_size()) {
    // What comes meanwhile is the next request, and is kept for it.
    const auto space = buffer_.prepare(std::min(buffer_.max_size() - buffer_.size(), watch_size));
    const auto [error, count] = co_await stream_->read_some(space);
    buffer_.commit(count);
    if (!error) continue;
    disconnected_ = error != asio::error::operation_aborted;
    break;
  }
  watching_ = Watching::off;
  wake();
}

Coroutine<> HttpConnection::stop_watching() {
  watching_ = Watching::stopping;
  stream_->cancel();
  while (watching_ != Watching::off)
    co_await wake_up();
}

}  // namespace mcph
