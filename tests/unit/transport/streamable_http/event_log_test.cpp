#include "transport/streamable_http/event_log.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "transport/counting_reader.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using Messages = std::vector<std::string>;
using Resumed = EventLog::Resumption::Outcome;

TEST(EventIds, AreReadAsTheyAreWritten) {
  EXPECT_EQ((EventId{EventId::Kind::response, 17, 3}).text(), "r17-3");
  EXPECT_EQ((EventId{EventId::Kind::listening, 1, 0}).text(), "l1-0");
  for (const auto* text : {"r17-3", "l1-0", "r18446744073709551615-18446744073709551615"}) {
    const auto id = EventId::read(text);
    ASSERT_TRUE(id) << text;
    EXPECT_EQ(id->text(), text);
  }
}

TEST(EventIds, AreNothingElse) {
  for (const auto* text : {"", "r", "r-", "r1", "r1-", "r-1", "x1-1", "R1-1", "r1-1 ", " r1-1", "r1--1", "r+1-1",
                           "r1-1-1", "r18446744073709551616-1", "r1-0x1", "1-1"}) {
    EXPECT_FALSE(EventId::read(text)) << text;
  }
}

class EventLogTest : public ::testing::Test {
 protected:
  static constexpr EventLog::Limits limits{.session_bytes = 8192, .bytes = 16'384, .time = 60s};

  std::shared_ptr<EventStream> open(const std::string& session, std::shared_ptr<Outbox> outbox = nullptr) {
    return log_->open_response(session, std::move(outbox));
  }
  std::shared_ptr<Outbox> outbox() const { return std::make_shared<Outbox>(reader_); }

  // What a client would hear that has heard all up to `id`.
  EventLog::Resumption resume(const std::string& session, const std::string& id) {
    const auto read = EventId::read(id);
    EXPECT_TRUE(read) << id;
    return log_->resume(session, *read, reader_);
  }
  static Messages texts(const std::vector<Event>& events) {
    Messages texts;
    for (const auto& event : events)
      texts.push_back(event.id.text() + " " + *event.message);
    return texts;
  }
  Messages missed(const std::string& session, const std::string& id) {
    auto resumption = resume(session, id);
    if (resumption.outcome == Resumed::carried) return {"carried"};
    if (resumption.outcome == Resumed::unknown) return {"unknown"};
    if (resumption.outcome == Resumed::over) return {"over"};
    resumption.stream->release();
    return texts(resumption.missed);
  }
  // A stream that has said everything, `count` messages of `size` bytes.
  void tell(const std::string& session, std::size_t count, std::size_t size) {
    const auto stream = open(session);
    for (std::size_t i = 0; i < count; ++i)
      stream->add(std::string(size, 'x'));
    stream->end();
    stream->release();
  }

  const std::shared_ptr<CountingReader> reader_ = std::make_shared<CountingReader>();
  std::chrono::steady_clock::time_point now_{};
  const std::shared_ptr<EventLog> log_ = std::make_shared<EventLog>(limits, [this] { return now_; });
};

TEST_F(EventLogTest, TellsWhatAClientMissed) {
  const auto stream = open("s");
  EXPECT_EQ(stream->add("a").text(), "r1-1");
  EXPECT_EQ(stream->add("b").text(), "r1-2");
  EXPECT_EQ(stream->add("c").text(), "r1-3");
  stream->end();
  stream->release();
  EXPECT_EQ(missed("s", "r1-0"), (Messages{"r1-1 a", "r1-2 b", "r1-3 c"}));
  EXPECT_EQ(missed("s", "r1-2"), Messages{"r1-3 c"});
  EXPECT_EQ(missed("s", "r1-3"), Messages{"over"});
  EXPECT_EQ(missed("s", "r1-1"), (Messages{"r1-2 b", "r1-3 c"})) << "as often as the client asks";
}

TEST_F(EventLogTest, TellsOnlyOfTheStreamThatIsAskedFor) {
  const auto first = open("s");
  const auto second = open("s");
  first->add("of the first");
  EXPECT_EQ(second->add("of the second").text(), "r2-1");
  first->release();
  second->release();
  EXPECT_EQ(missed("s", "r1-0"), Messages{"r1-1 of the first"});
  EXPECT_EQ(missed("s", "r2-0"), Messages{"r2-1 of the second"});
}

TEST_F(EventLogTest, KnowsNoStreamOfAnotherSessionAndNoneThatIsMadeUp) {
  const auto stream = open("mine");
  stream->add("secret");
  stream->release();
  open("other")->release();
  EXPECT_EQ(missed("other", "r1-0"), Messages{"unknown"});
  EXPECT_EQ(missed("nobody", "r1-0"), Messages{"unknown"});
  EXPECT_EQ(missed("mine", "r9-0"), Messages{"unknown"});
  EXPECT_EQ(missed("mine", "r1-2"), Messages{"unknown"}) << "an event that has not been";
  EXPECT_EQ(missed("mine", "l1-0"), Messages{"unknown"}) << "of another kind";
  EXPECT_EQ(missed("mine", "r1-0"), Messages{"r1-1 secret"});
}

TEST_F(EventLogTest, GivesAStreamToASecondConnectionOnceTheFirstHasLeftIt) {
  const auto first = std::make_shared<CountingReader>();
  const auto second = std::make_shared<CountingReader>();
  const auto stream = log_->open_response("s", nullptr, anonymous, first);
  const auto before = stream->before_first();
  stream->add("a");
  EXPECT_EQ(log_->resume("s", before, second).outcome, Resumed::carried);
  EXPECT_EQ(first->requests_to_leave, 1);
  EXPECT_TRUE(stream->is_awaited_by(second));
  stream->add("b");  // the first had taken it before it heard of that
  EXPECT_EQ(second->wakes, 0);
  stream->release();
  EXPECT_EQ(second->wakes, 1);
  EXPECT_FALSE(stream->is_awaited_by(second));
  const auto resumption = log_->resume("s", before, second, nullptr, EventLog::Asks::again);
  EXPECT_EQ(resumption.outcome, Resumed::resumed);
  EXPECT_EQ(texts(resumption.missed), (Messages{"r1-1 a", "r1-2 b"}));
  EXPECT_EQ(log_->resume("s", before, first).outcome, Resumed::carried);
  EXPECT_EQ(second->requests_to_leave, 1) << "now it is the one that carries it";
}

TEST_F(EventLogTest, GivesAStreamToWhoHasAskedForItLast) {
  const auto second = std::make_shared<CountingReader>();
  const auto third = std::make_shared<CountingReader>();
  const auto stream = open("s");
  const auto before = stream->before_first();
  const auto outcome = [&](const std::shared_ptr<CountingReader>& reader, EventLog::Asks asks) {
    return log_->resume("s", before, reader, nullptr, asks).outcome;
  };
  EXPECT_EQ(outcome(second, EventLog::Asks::first), Resumed::carried);
  EXPECT_EQ(outcome(third, EventLog::Asks::first), Resumed::carried);
  EXPECT_EQ(second->wakes, 1) << "it need not wait any more";
  EXPECT_FALSE(stream->is_awaited_by(second));
  EXPECT_TRUE(stream->is_awaited_by(third));
  stream->release();
  EXPECT_EQ(outcome(second, EventLog::Asks::again), Resumed::carried);
  // One who comes before the third knows that it could have it.
  EXPECT_EQ(outcome(second, EventLog::Asks::first), Resumed::resumed);
  EXPECT_EQ(outcome(third, EventLog::Asks::again), Resumed::carried);
  EXPECT_EQ(second->requests_to_leave, 0) << "the third has asked before it";
}

TEST_F(EventLogTest, AsksNobodyToLeaveWhatCannotBeResumed) {
  const auto first = std::make_shared<CountingReader>();
  const auto stream = log_->open_response("s", nullptr, anonymous, first);
  const auto nobody = [](const Principal&) { return false; };
  EXPECT_EQ(log_->resume("s", stream->before_first(), reader_, nobody).outcome, Resumed::unknown);
  EXPECT_EQ(missed("other", "r1-0"), Messages{"unknown"});
  EXPECT_EQ(missed("s", "r1-1"), Messages{"unknown"}) << "an event that has not been";
  EXPECT_EQ(first->requests_to_leave, 0);
}

TEST_F(EventLogTest, TakesWhatComesWhileNobodyCarriesTheStream) {
  const auto source = outbox();
  const auto stream = open("s", source);
  source->put("taken by the connection");
  EXPECT_EQ(source->take().messages.size(), 1U);
  stream->add("taken by the connection");
  source->put("left behind");
  stream->release();
  source->put("later");
  source->end({"the reply"});
  EXPECT_EQ(reader_->wakes, 0);
  EXPECT_EQ(missed("s", "r1-1"), (Messages{"r1-2 left behind", "r1-3 later", "r1-4 the reply"}));
  EXPECT_EQ(source.use_count(), 1) << "the log lets go of what has ended";
}

TEST_F(EventLogTest, GivesTheOutboxToTheConnectionThatResumes) {
  const auto source = outbox();
  const auto stream = open("s", source);
  stream->release();
  source->put("missed");
  const auto resumption = resume("s", "r1-0");
  EXPECT_EQ(texts(resumption.missed), Messages{"r1-1 missed"});
  ASSERT_EQ(resumption.outbox, source);
  EXPECT_TRUE(source->take().empty());
  source->end({"the reply"});
  EXPECT_EQ(reader_->wakes, 1);
  EXPECT_EQ(source->take().reply->body, "the reply");
}

TEST_F(EventLogTest, EndsAStreamWithoutAnEventWhereNoReplyIsDue) {
  const auto source = outbox();
  const auto stream = open("s", source);
  stream->add("before");
  stream->release();
  EXPECT_EQ(missed("s", "r1-1"), Messages{}) << "more may come";
  source->end({});
  EXPECT_EQ(missed("s", "r1-0"), Messages{"r1-1 before"});
  EXPECT_EQ(missed("s", "r1-1"), Messages{"over"}) << "its client would come back again and again";
}

TEST_F(EventLogTest, ResumesListeningThatHasEndedThoughNothingWasMissed) {
  const auto stream = log_->open_listening("s");
  stream->end();
  stream->release();
  EXPECT_EQ(missed("s", "l1-0"), Messages{});
}

TEST_F(EventLogTest, KeepsAsMuchOfASessionAsItMayHave) {
  const auto stream = open("s");
  for (int i = 0; i < 100; ++i)
    stream->add(std::string(900, 'x'));
  stream->release();
  EXPECT_LE(log_->bytes(), limits.session_bytes);
  const auto resumption = resume("s", "r1-0");
  EXPECT_EQ(resumption.missed.size(), 7U);
  EXPECT_EQ(resumption.missed.back().id.text(), "r1-100");
}

TEST_F(EventLogTest, TellsOfListeningOnceWhatWasSaidAgainAndAgain) {
  const auto stream = log_->open_listening("s");
  const auto before = log_->bytes();
  for (const auto* text : {"tools", "prompts", "tools", "tools"})
    stream->add(text);
  EXPECT_EQ(log_->bytes() - before,
            2 * EventLog::event_cost + std::string("prompts").size() + std::string("tools").size());
  stream->release();
  EXPECT_EQ(missed("s", "l1-0"), (Messages{"l1-2 prompts", "l1-4 tools"}));
  EXPECT_EQ(missed("s", "l1-3"), Messages{"l1-4 tools"});
}

TEST_F(EventLogTest, TellsOfAResponseHoweverOftenItWasSaid) {
  const auto stream = open("s");
  for (const auto* text : {"half of it", "half of it"})
    stream->add(text);
  stream->release();
  EXPECT_EQ(missed("s", "r1-0"), (Messages{"r1-1 half of it", "r1-2 half of it"}));
}

TEST_F(EventLogTest, DropsTheOldestStreamsOfASessionFirst) {
  for (int i = 0; i < 10; ++i)
    tell("s", 1, 2000);
  EXPECT_LE(log_->bytes(), limits.session_bytes);
  EXPECT_EQ(missed("s", "r1-0"), Messages{"unknown"});
  EXPECT_EQ(resume("s", "r10-0").missed.size(), 1U);
}

TEST_F(EventLogTest, KeepsAStreamInUseThoughItsEventsHaveGone) {
  const auto stream = open("s", outbox());
  stream->add(std::string(limits.bytes, 'x'));
  stream->add("small");
  stream->release();
  EXPECT_EQ(missed("s", "r1-0"), Messages{"r1-2 small"});
}

TEST_F(EventLogTest, DoesNotKnowAStreamWhoseReplyHasGone) {
  const auto stream = open("s");
  stream->add(std::string(limits.bytes, 'x'));
  stream->end();
  stream->release();
  tell("other", 1, 10);
  EXPECT_EQ(missed("s", "r1-0"), Messages{"unknown"});
  EXPECT_EQ(missed("s", "r1-1"), Messages{"over"}) << "a client that has it is told that this was all";
}

TEST_F(EventLogTest, KeepsAReplyThatIsLargerThanAllThatASessionMayHave) {
  const auto source = outbox();
  const auto stream = open("s", source);
  stream->add("before");
  stream->release();
  const std::string large(limits.session_bytes, 'x');
  source->end({large});
  tell("s", 20, 1000);
  EXPECT_EQ(missed("s", "r1-1"), Messages{"r1-2 " + large});
  EXPECT_EQ(missed("s", "r1-0"), Messages{"r1-2 " + large}) << "the rest makes room as ever";
  EXPECT_LE(log_->bytes(), limits.bytes);
  tell("other", 20, 1000);
  EXPECT_LE(log_->bytes(), limits.bytes);
  now_ += 61s;
  log_->forget_unused();
  EXPECT_EQ(log_->bytes(), 0U);
}

TEST_F(EventLogTest, KeepsAReplyThatIsLargerThanAllThatThereMayBeUntilThereIsAnother) {
  const std::string largest(2 * limits.bytes, 'x');
  tell("other", 1, 10);
  const auto source = outbox();
  open("s", source)->release();
  source->end({largest});
  EXPECT_EQ(missed("s", "r2-0"), Messages{"r2-1 " + largest});
  EXPECT_EQ(missed("s", "r2-0"), Messages{"r2-1 " + largest});
  tell("other", 1, 10);
  EXPECT_EQ(missed("s", "r2-0"), Messages{"unknown"});
  EXPECT_LE(log_->bytes(), limits.bytes);
}

TEST_F(EventLogTest, DoesNotKnowAStreamThatHasAnEventLeftAndNotItsReply) {
  const std::string large(limits.session_bytes, 'x');
  const auto stream = open("s");
  stream->add(large);
  stream->add("reply");
  stream->end();
  stream->release();
  EXPECT_EQ(missed("s", "r1-0"), (Messages{"r1-1 " + large, "r1-2 reply"}));
  tell("s", 20, 400);
  EXPECT_EQ(missed("s", "r1-0"), Messages{"unknown"});
  EXPECT_EQ(missed("s", "r1-1"), Messages{"unknown"});
}

TEST_F(EventLogTest, DoesNotKnowAStreamWhoseClientReadTooSlowlyForItsReply) {
  const auto source = outbox();
  const auto stream = open("s", source);
  source->put(std::string(Outbox::max_bytes + 1, 'x'));
  source->put("one too many");
  source->end({"reply"});
  stream->lose();
  stream->release();
  EXPECT_EQ(missed("s", "r1-0"), Messages{"unknown"}) << "it would come back for a reply that never comes";
  EXPECT_EQ(log_->bytes(), 0U);

  const auto another = outbox();
  open("s", another)->release();
  another->put(std::string(Outbox::max_bytes + 1, 'x'));
  EXPECT_NE(log_->bytes(), 0U);
}

TEST_F(EventLogTest, KnowsASessionAgainThatHadNoStreamLeft) {
  for (int i = 1; i <= 3; ++i) {
    const auto stream = open("s");
    stream->lose();
    stream->release();
    EXPECT_EQ(log_->bytes(), 0U);
    tell("s", 1, 10);
    EXPECT_EQ(missed("s", "r" + std::to_string(2 * i) + "-0").size(), 1U);
    log_->forget("s");
  }
  // Each of which takes the place of the one before.
  for (int i = 0; i < 100; ++i)
    tell("s" + std::to_string(i), 1, limits.bytes);
  EXPECT_LE(log_->bytes(), limits.bytes + EventLog::stream_cost + EventLog::event_cost);
  tell("s0", 1, 10);
  EXPECT_EQ(missed("s0", "r107-0").size(), 1U);
}

TEST_F(EventLogTest, MakesRoomForAllByForgettingTheSessionThatWasUsedLongestAgo) {
  tell("first", 6, 1000);
  tell("second", 6, 1000);
  missed("first", "r1-0");
  tell("third", 6, 1000);
  EXPECT_LE(log_->bytes(), limits.bytes);
  EXPECT_EQ(resume("first", "r1-0").missed.size(), 6U);
  EXPECT_LT(resume("second", "r2-0").missed.size(), 6U);
  EXPECT_EQ(resume("third", "r3-0").missed.size(), 6U);
}

TEST_F(EventLogTest, DropsWhatAListenerWasToldThoughItHadNothingToDropBefore) {
  const auto listener = log_->open_listening("listener");
  const auto silent = log_->open_listening("silent");
  for (int i = 0; i < 4; ++i)
    tell("s" + std::to_string(i), 6, 1000);
  listener->add("told");
  tell("last", 6, 1000);
  EXPECT_LE(log_->bytes(), limits.bytes);
  listener->release();
  EXPECT_EQ(missed("listener", "l1-0"), Messages{}) << "it has been there for longest";
  EXPECT_EQ(resume("last", "r7-0").missed.size(), 6U);
}

TEST_F(EventLogTest, ForgetsWhatNobodyUsesForLong) {
  tell("s", 1, 10);
  now_ += 59s;
  log_->forget_unused();
  EXPECT_EQ(resume("s", "r1-0").outcome, Resumed::resumed);
  now_ += 61s;
  log_->forget_unused();
  EXPECT_EQ(missed("s", "r1-0"), Messages{"carried"}) << "in use";
  tell("other", 1, 10);
  now_ += 61s;
  log_->forget_unused();
  EXPECT_EQ(missed("other", "r2-0"), Messages{"unknown"});
}

TEST_F(EventLogTest, KeepsAReplyForLongAfterItCameHoweverLongItTook) {
  const auto source = outbox();
  open("s", source)->release();
  now_ += 1h;
  log_->forget_unused();
  source->end({"late"});
  now_ += 59s;
  log_->forget_unused();
  EXPECT_EQ(missed("s", "r1-0"), Messages{"r1-1 late"});
}

TEST_F(EventLogTest, ForgetsASessionThatHasEnded) {
  const auto source = outbox();
  const auto stream = open("s", source);
  stream->add("a");
  log_->forget("s");
  log_->forget("never there");
  EXPECT_EQ(log_->bytes(), 0U);
  EXPECT_EQ(stream->add("b").text(), "r1-2") << "its connection goes on";
  stream->release();
  EXPECT_EQ(log_->bytes(), 0U);
  EXPECT_EQ(missed("s", "r1-0"), Messages{"unknown"});
}

TEST_F(EventLogTest, LeavesNothingBehind) {
  for (int i = 0; i < 50; ++i) {
    tell("a" + std::to_string(i), 20, 100);
    tell("b", 3, 500);
  }
  now_ += 61s;
  log_->forget_unused();
  EXPECT_EQ(log_->bytes(), 0U);
}

// One connection after the other takes what there is and is lost, while the
// call goes on.
TEST_F(EventLogTest, LosesNothingThoughConnectionsComeAndGo) {
  constexpr int count = 5000;
  const auto log = std::make_shared<EventLog>(EventLog::Limits());
  const auto source = outbox();
  auto stream = log->open_response("s", source);
  std::thread call([source] {
    for (int i = 0; i < count; ++i)
      source->put(std::to_string(i));
    source->end({"reply"});
  });
  Messages heard;
  auto last = stream->before_first();
  const auto hear = [&](const EventId& id, const std::string& message) {
    heard.push_back(message);
    last = id;
  };
  while (heard.empty() || heard.back() != "reply") {
    stream->release();
    const auto resumption = log->resume("s", last, reader_);
    ASSERT_EQ(resumption.outcome, Resumed::resumed);
    for (const auto& event : resumption.missed)
      hear(event.id, *event.message);
    stream = resumption.stream;
    if (resumption.outbox == nullptr) continue;
    auto content = resumption.outbox->take();
    for (const auto& message : content.messages)
      hear(stream->add(message), message);
    if (content.reply) hear(stream->add(content.reply->body), content.reply->body);
  }
  call.join();
  ASSERT_EQ(heard.size(), count + 1U);
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(heard[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST_F(EventLogTest, MayGoBeforeItsStreams) {
  auto log = std::make_shared<EventLog>(limits);
  const auto source = outbox();
  const auto stream = log->open_response("s", source);
  stream->release();
  log.reset();
  source->put("nobody keeps this");
  EXPECT_EQ(stream->add("nor this"), stream->before_first()) << "it has no number";
  EXPECT_EQ(source->take().messages, std::vector<std::string>{"nobody keeps this"}) << "nobody has taken it";
  stream->end();
  stream->release();
}

}  // namespace
}  // namespace mcph
