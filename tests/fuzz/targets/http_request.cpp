// The bytes of a connection as a client sends them: read, admitted and answered by the code that serves them, without a
// socket. The first byte says in what pieces the others come.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "expect.hpp"
#include "http/request.hpp"
#include "http/router.hpp"
#include "http/rules.hpp"
#include "protocol/envelope_reader.hpp"
#include "protocol/server/server.hpp"
#include "telemetry/stderr_log.hpp"
#include "transport/sse/sse_message.hpp"
#include "transport/streamable_http/event_log.hpp"
#include "transport/streamable_http/mcp_endpoint.hpp"
#include "transport/streamable_http/reply_response.hpp"
#include "transport/streamable_http/request_head.hpp"

using namespace mcph;
using mcph::fuzz::expect;

namespace {

constexpr std::string_view components = R"({
  "tools": [{"name": "add", "inputSchema": {"type": "object", "properties": {
    "a": {"type": "integer", "x-mcp-header": "A"},
    "b": {"type": "object", "properties": {"c": {"type": "string", "x-mcp-header": "C"}}}}}}],
  "resources": [{"uri": "notes://all", "name": "all"}],
  "resourceTemplates": [{"uriTemplate": "notes://{name}", "name": "one"}],
  "prompts": [{"name": "review", "arguments": [{"name": "code", "required": true}]}]})";

// Answers at once.
class AnsweringPlugin final : public Plugin {
 public:
  const PluginIdentity& identity() const override { return identity_; }
  Result<std::string> describe() override { return std::string(components); }
  Result<> start() override { return {}; }
  void invoke(std::shared_ptr<Call> call) override {
    if (call->method() == mcph::PluginMethod::tools_call) return call->complete(Outcome::result, R"({"content":[]})");
    if (call->method() == mcph::PluginMethod::prompts_get) return call->complete(Outcome::result, R"({"messages":[]})");
    call->complete(Outcome::error, R"({"code":-32002,"message":"none"})");
  }
  void cancel_all(CancelReason) override {}
  std::size_t fail_all(std::string_view) override { return 0; }
  std::size_t calls_in_flight() const override { return 0; }
  PluginStatus status() const override { return {}; }
  void call_failed(std::string) override {}
  void answered_wrongly(std::string) override {}
  bool stop(std::chrono::milliseconds) override { return true; }

 private:
  const PluginIdentity identity_{};
};

class OneReply final : public Exchange {
 public:
  std::optional<Reply> reply;

 private:
  void send(std::string message) override { expect(!message.empty()); }
  void send_if_room(std::string message) override { send(std::move(message)); }
  void finish(Reply last) override {
    expect(!reply);
    reply = std::move(last);
  }
};

// Finds out which message it is that is too long.
class EnvelopeScanner final : public BodyScanner {
 public:
  static std::unique_ptr<BodyScanner> make() { return std::make_unique<EnvelopeScanner>(); }
  void feed(std::string_view bytes) override { reader.feed(bytes); }
  bool knows_all() const override { return reader.knows_all(); }

  EnvelopeReader reader;
};

// What is served to all connections, and the ids that a fuzzer could not guess: "s" stands for the last one that
// the input was given. The event streams are an input's own, too, so that it can guess their ids, and meets the same
// ones when it is run again.
class Serving {
 public:
  Serving() {
    const auto parsed = parse_components(components);
    catalog_.publish(std::make_shared<const Catalog>(
        1,
        std::vector{ServedPlugin{std::make_shared<AnsweringPlugin>(), std::make_shared<const Components>(*parsed)}}));
  }

  void begin_input() {
    events_ = std::make_shared<EventLog>(EventLog::Limits{.session_bytes = 4096, .bytes = 6000});
    opened_by_.clear();
    session_.clear();
  }

  HttpResponse answer(HttpMessage& message) {
    HttpRequest request(message);
    auto checked = settle_target(message, request);
    if (checked.has_value()) checked = check_access({}, request);
    HttpHead head;
    if (checked.has_value()) checked = read_head(request, head);
    if (checked.has_error()) return to_response(checked.error());
    if (head.session_id == "s") head.session_id = session_;
    if (request.body.is_too_long()) {
      const auto& scanner = dynamic_cast<const EnvelopeScanner&>(*request.body.scanner());
      return to_response(endpoint_.refuse_long({scanner.reader.envelope(), 4096, "--limit"}, head));
    }
    using boost::beast::http::verb;
    if (request.method == verb::post && request.path == "/messages") {
      return to_response(post_sse_message(*client_, request.body.text(), {.principal = anonymous}, server_));
    }
    if (request.method == verb::post) return post(request, head);
    if (request.method == verb::get) return get(request, head);
    return to_response(endpoint_.end_session(head));
  }

  const HttpLimits& limits() const { return limits_; }

 private:
  HttpResponse post(const HttpRequest& request, HttpHead& head) {
    head.others = &request.all_fields;
    const auto exchange = std::make_shared<OneReply>();
    endpoint_.post(request.body.text(), head, exchange);
    // What has no reply yet is a subscription.
    exchange->abandon();
    expect(exchange->reply.has_value());
    if (exchange->reply->session) session_ = exchange->reply->session->id;
    return to_response(*std::move(exchange->reply));
  }

  // A stream that is lost when it has told one event.
  HttpResponse get(const HttpRequest& request, const HttpHead& head) {
    if (!accepts(request.fields.accept, "text/event-stream")) return {.status = 406};
    auto admission = endpoint_.admit_stream(head);
    if (admission.session == nullptr) return to_response(std::move(admission.reply));
    const auto& session = admission.session->id();
    const auto stream = head.last_event_id ? resume(session, *head.last_event_id) : open_listening(session);
    if (stream == nullptr) return {.status = 400};
    stream->add("event");
    stream->release();
    return {};
  }

  std::shared_ptr<EventStream> open_listening(const std::string& session) {
    auto stream = events_->open_listening(session);
    expect(opened_by_.emplace(stream->before_first().stream, session).second);
    return stream;
  }

  // Of listening that is no longer kept a new one, as the host does it.
  std::shared_ptr<EventStream> resume(const std::string& session, std::string_view last_event_id) {
    const auto id = EventId::read(last_event_id);
    if (!id) return nullptr;
    const auto resumption = events_->resume(session, *id, {});
    // No stream is carried any more.
    expect((resumption.stream == nullptr) == (resumption.outcome == EventLog::Resumption::Outcome::unknown));
    if (resumption.stream == nullptr) {
      return id->kind == EventId::Kind::listening ? open_listening(session) : nullptr;
    }
    expect(opened_by_.at(id->stream) == session);
    auto number = id->number;
    for (const auto& event : resumption.missed) {
      expect(event.id.stream == id->stream && event.id.number > number);
      number = event.id.number;
    }
    return resumption.stream;
  }

  const HttpLimits limits_{.body_bytes = 4096, .header_bytes = 2048};
  StderrLog log_{Log::Level::off, StderrLog::Format::text};
  PublishedCatalog catalog_;
  Server server_{catalog_, {"fuzz", "Fuzz", "1"}, {}, {.count = 8}, log_};
  McpEndpoint endpoint_{server_, true};
  std::shared_ptr<EventLog> events_;
  std::map<std::uint64_t, std::string> opened_by_;  // the sessions, by the numbers of their streams
  StreamClients clients_{StreamClient::Eras::legacy};
  const std::shared_ptr<StreamClient> client_ = clients_.open(anonymous, {});
  std::string session_;
};

// A request from what is in the buffer and what follows. False: the connection is at its end.
bool serve_one(Serving& serving, boost::beast::flat_buffer& buffer, std::string_view& rest, std::size_t piece) {
  std::array<std::byte, 2048> fields_memory;
  std::pmr::monotonic_buffer_resource memory(fields_memory.data(), fields_memory.size());
  HttpRequestReader reader(serving.limits(), memory, &EnvelopeScanner::make);
  for (;;) {
    if (const auto taken = reader.take(buffer); taken.has_error()) {
      expect(taken.error().status >= 400 && !taken.error().message.empty());
      return false;
    }
    if (reader.is_complete()) break;
    if (rest.empty()) return false;
    const auto count = std::min(piece, rest.size());
    buffer.commit(boost::asio::buffer_copy(buffer.prepare(count), boost::asio::buffer(rest.data(), count)));
    rest.remove_prefix(count);
  }
  const auto response = serving.answer(reader.message());
  std::string head;
  append_head(head, {}, response);
  expect(head.starts_with("HTTP/1.1 "));
  return keeps_alive(reader.message().version, read_fields(reader.message().fields).connection) && reader.is_whole();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Serving serving;
  if (size == 0) return 0;
  serving.begin_input();
  const std::size_t piece = 1 + data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  boost::beast::flat_buffer buffer(std::size_t{64} << 10);
  while (serve_one(serving, buffer, rest, piece)) {
  }
  return 0;
}
