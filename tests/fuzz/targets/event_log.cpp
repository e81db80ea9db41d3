// The ids of events as clients send them back, and the log that they ask: whatever is done with it, in whatever order,
// a client gets events of the stream that it asks for and of its own session only, in their order.
#include "transport/streamable_http/event_log.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "expect.hpp"

using mcph::EventId;
using mcph::EventLog;
using mcph::EventStream;
using mcph::Outbox;
using mcph::fuzz::expect;

namespace {

void read_id(std::string_view text) {
  const auto id = EventId::read(text);
  if (!id) return;
  const auto again = EventId::read(id->text());
  expect(again.has_value() && again->text() == id->text());
  expect(again->kind == id->kind && again->stream == id->stream && again->number == id->number);
}

// A log, and all that was ever told to it.
class Session {
 public:
  void run(std::string_view program) {
    for (const char each : program)
      step(static_cast<unsigned char>(each));
    for (auto& [number, told] : told_)
      told.stream->release();
    now_ += limits.time + std::chrono::seconds(1);
    log_->forget_unused();
    for (auto& [number, told] : told_) {
      if (told.outbox != nullptr) told.outbox->end({"end"});
    }
    now_ += limits.time + std::chrono::seconds(1);
    log_->forget_unused();
    expect(log_->bytes() == 0);
  }

 private:
  static constexpr EventLog::Limits limits{.session_bytes = 4096, .bytes = 6000, .time = std::chrono::seconds(60)};

  struct Told {
    std::string session;
    std::shared_ptr<EventStream> stream;
    std::shared_ptr<Outbox> outbox;  // null of a stream that listens
  };

  // The low bits say what is done, the high ones with what.
  void step(unsigned char code) {
    const auto argument = static_cast<std::uint64_t>(code >> 3U);
    const std::string session(1, static_cast<char>('a' + argument % 3));
    auto* told =
        told_.empty() ? nullptr : &std::next(told_.begin(), static_cast<long>(argument % told_.size()))->second;
    switch (code & 7U) {
      case 0:
        return open(session, std::make_shared<Outbox>(std::weak_ptr<mcph::OutboxReader>()));
      case 1:
        return open(session, nullptr);
      case 2:
        if (told != nullptr) told->stream->add(std::string(argument * 64, 'x'));
        return;
      case 3:
        if (told != nullptr && told->outbox != nullptr) told->outbox->put_if_room("message");
        return;
      case 4:
        if (told != nullptr && told->outbox != nullptr) told->outbox->end({"end"});
        return;
      case 5:
        if (told != nullptr) told->stream->release();
        return;
      case 6:
        return resume(session, {argument % 2 == 0 ? EventId::Kind::response : EventId::Kind::listening, argument / 4,
                                argument % 4});
      default:
        now_ += std::chrono::seconds(argument);
        return argument % 8 == 0 ? log_->forget(session) : log_->forget_unused();
    }
  }

  void open(const std::string& session, const std::shared_ptr<Outbox>& outbox) {
    const auto stream = outbox == nullptr ? log_->open_listening(session) : log_->open_response(session, outbox);
    expect(told_.emplace(stream->before_first().stream, Told{session, stream, outbox}).second);
  }

  void resume(const std::string& session, const EventId& last) {
    const auto resumption = log_->resume(session, last, {});
    using Outcome = EventLog::Resumption::Outcome;
    expect((resumption.stream == nullptr) == (resumption.outcome == Outcome::unknown));
    if (resumption.outcome != Outcome::resumed)
      return expect(resumption.missed.empty() && resumption.outbox == nullptr);
    const auto& told = told_.at(last.stream);
    expect(told.session == session && told.stream == resumption.stream);
    auto number = last.number;
    for (const auto& event : resumption.missed) {
      expect(event.id.stream == last.stream && event.id.kind == last.kind && event.id.number > number);
      number = event.id.number;
    }
  }

  std::chrono::steady_clock::time_point now_{};
  const std::shared_ptr<EventLog> log_ = std::make_shared<EventLog>(limits, [this] { return now_; });
  std::map<std::uint64_t, Told> told_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = std::min(text.find('\n'), text.size());
  read_id(text.substr(0, line));
  Session().run(text.substr(line));
  return 0;
}
