#include "protocol/state/session.hpp"

#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "support/principals.hpp"
#include "support/recording_exchange.hpp"
#include "support/recording_stream.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using Messages = std::vector<std::string>;

constexpr auto tools_changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
constexpr auto resources_changed = R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})";
constexpr auto prompts_changed = R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})";

class SessionTest : public ::testing::Test {
 protected:
  std::shared_ptr<test::RecordingStream> attach() {
    auto stream = std::make_shared<test::RecordingStream>();
    session_.attach(stream);
    return stream;
  }

  Session session_{"id", {"2025-11-25"}};
};

TEST_F(SessionTest, TellsWhichListsChanged) {
  const auto stream = attach();
  session_.initialized();
  session_.lists_changed({.tools = true, .prompts = true});
  EXPECT_EQ(stream->messages, (Messages{tools_changed, prompts_changed}));
  session_.lists_changed({.resources = true});
  EXPECT_EQ(stream->messages.back(), resources_changed);
}

TEST_F(SessionTest, TellsNothingBeforeTheClientIsInitialized) {
  const auto stream = attach();
  session_.lists_changed({.tools = true});
  EXPECT_TRUE(stream->messages.empty());
  session_.initialized();
  EXPECT_EQ(stream->messages, Messages{tools_changed});
}

TEST_F(SessionTest, TellsOnOneStreamOnly) {
  const auto first = attach();
  const auto second = attach();
  session_.initialized();
  session_.lists_changed({.tools = true});
  EXPECT_EQ(first->messages.size() + second->messages.size(), 1U);
}

TEST_F(SessionTest, TellsOnTheNewestStream) {
  const auto first = attach();
  const auto second = attach();
  session_.initialized();
  session_.lists_changed({.tools = true});
  EXPECT_EQ(second->messages, Messages{tools_changed});
}

TEST_F(SessionTest, ClosesAStreamThatComesAfterItsEnd) {
  session_.close_streams();
  EXPECT_TRUE(attach()->closed);
  EXPECT_FALSE(session_.in_use());
}

TEST_F(SessionTest, TellsOnAnotherStreamWhenOneIsClosed) {
  const auto first = attach();
  const auto second = attach();
  session_.initialized();
  second->close();
  session_.lists_changed({.tools = true});
  EXPECT_EQ(first->messages, Messages{tools_changed});
}

TEST_F(SessionTest, KeepsAChangeUntilAStreamIsThere) {
  session_.initialized();
  session_.lists_changed({.tools = true});
  session_.lists_changed({.tools = true, .resources = true});
  EXPECT_EQ(attach()->messages, (Messages{tools_changed, resources_changed}));
  EXPECT_TRUE(attach()->messages.empty());
}

TEST_F(SessionTest, KeepsAChangeThatAClosedStreamDidNotTake) {
  session_.initialized();
  const auto closed = attach();
  closed->close();
  session_.lists_changed({.prompts = true});
  EXPECT_EQ(attach()->messages, Messages{prompts_changed});
}

TEST_F(SessionTest, KeepsAChangeWhenItsStreamIsGone) {
  session_.initialized();
  attach().reset();
  EXPECT_FALSE(session_.in_use());
  session_.lists_changed({.tools = true});
  const auto stream = attach();
  EXPECT_TRUE(session_.in_use());
  EXPECT_EQ(stream->messages, Messages{tools_changed});
}

TEST_F(SessionTest, ClosesItsStreams) {
  const auto first = attach();
  const auto second = attach();
  session_.close_streams();
  EXPECT_TRUE(first->closed);
  EXPECT_TRUE(second->closed);
  EXPECT_FALSE(session_.in_use());
}

// A stream whose client does not read.
class FullStream final : public NotificationStream {
 public:
  bool send(std::string) override {
    ++attempts;
    return false;
  }
  void close() override {}

  int attempts = 0;
};

// Or a burst of changes would take a time that grows with its square.
TEST(SessionOfAnIdleClient, IsTriedOnceForEachChange) {
  PublishedCatalog catalog;
  const auto session = std::make_shared<Session>("id", Caller{"2025-11-25"});
  session->initialized();
  const std::vector<std::string> uris{"a://1", "a://2", "a://3", "a://4"};
  for (const auto& uri : uris)
    ASSERT_TRUE(session->subscribe(uri, catalog).has_value());
  const auto full = std::make_shared<FullStream>();
  session->attach(full);
  for (const auto& uri : uris)
    session->resource_updated(uri);
  EXPECT_EQ(full->attempts, 4);
  const auto stream = std::make_shared<test::RecordingStream>();
  session->attach(stream);
  EXPECT_EQ(stream->messages.size(), 4U);
}

// Holds up who tells it something.
class BusyStream final : public NotificationStream {
 public:
  bool send(std::string /*message*/) override {
    is_told.set_value();
    goes_on.get_future().wait();
    return true;
  }
  void close() override {}

  std::promise<void> is_told;
  std::promise<void> goes_on;
};

// Sessions whose clock the test moves.
class SessionsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Session> open() { return sessions_.open({"2025-11-25"}); }
  std::shared_ptr<test::RecordingStream> stream_of(Session& session) {
    auto stream = std::make_shared<test::RecordingStream>();
    session.attach(stream);
    return stream;
  }

  Sessions::Time now_{1h};
  PublishedCatalog catalog_;
  Sessions sessions_{{.count = 3, .idle_time = 60s}, catalog_, [this] { return now_; }};
};

TEST_F(SessionsTest, HaveIdsThatNobodyGuesses) {
  const auto first = open();
  const auto second = open();
  EXPECT_NE(first->id(), second->id());
  EXPECT_GE(first->id().size(), 43U);  // 256 bits in base64url
  EXPECT_EQ(first->id().find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
            std::string::npos);
}

TEST_F(SessionsTest, AreFoundThoughTheyAreBusy) {
  const auto session = open();
  session->initialized();
  const auto stream = std::make_shared<BusyStream>();
  session->attach(stream);
  std::thread teller([&session] { session->lists_changed({.tools = true}); });
  stream->is_told.get_future().wait();
  auto found = std::async(std::launch::async, [&] { return sessions_.find(session->id(), anonymous); });
  const auto status = found.wait_for(30s);
  stream->goes_on.set_value();
  teller.join();
  EXPECT_EQ(status, std::future_status::ready);
  EXPECT_EQ(found.get(), session);
}

TEST_F(SessionsTest, AreUnknownToAnotherPrincipal) {
  Caller caller{"2025-11-25"};
  caller.principal = test::principal("ada");
  const auto hers = sessions_.open(caller);
  EXPECT_EQ(sessions_.find(hers->id(), test::principal("ada")), hers);
  EXPECT_EQ(sessions_.find(hers->id(), test::principal("eve")), nullptr);
  EXPECT_EQ(sessions_.find(hers->id(), anonymous), nullptr);
}

TEST_F(SessionsTest, TellHowLongEachHasLasted) {
  struct SessionEnds final : CallObserver {
    void ended(const CallEnd&) override {}
    void session_ended(const SessionEnd& end) override { times.push_back(end.took); }
    std::vector<std::chrono::nanoseconds> times;
  } told;
  using Times = std::vector<std::chrono::nanoseconds>;
  Sessions sessions(
      {.count = 3, .idle_time = 60s}, catalog_, [this] { return now_; }, &told);
  const auto closed = sessions.open({"2025-11-25"})->id();
  const auto expired = sessions.open({"2025-11-25"})->id();
  sessions.open({"2025-11-25"});
  now_ += 5s;
  sessions.close(closed);
  EXPECT_EQ(told.times, Times{5s});
  EXPECT_EQ(sessions.count(), 2U);
  sessions.find(expired, anonymous);
  now_ += 1h;
  EXPECT_EQ(sessions.count(), 0U);
  EXPECT_EQ(told.times, (Times{5s, 60s, 65s})) << "it has ended when its time was over";
  sessions.open({"2025-11-25"});
  now_ += 1s;
  sessions.close_all();
  EXPECT_EQ(told.times.back(), 1s);
}

TEST_F(SessionsTest, AreFoundByTheirId) {
  const auto session = open();
  EXPECT_EQ(sessions_.find(session->id(), anonymous), session);
  EXPECT_EQ(sessions_.find("other", anonymous), nullptr);
  EXPECT_EQ(sessions_.find("", anonymous), nullptr);
  EXPECT_EQ(session->caller()->protocol_version, "2025-11-25");
}

TEST_F(SessionsTest, ExpireWhenIdleForTooLong) {
  const auto id = open()->id();
  now_ += 60s;
  EXPECT_NE(sessions_.find(id, anonymous), nullptr);
  now_ += 60s;
  EXPECT_NE(sessions_.find(id, anonymous), nullptr);
  now_ += 61s;
  EXPECT_EQ(sessions_.find(id, anonymous), nullptr);
}

TEST_F(SessionsTest, DoNotExpireWhileAStreamIsOpen) {
  const auto session = open();
  auto stream = stream_of(*session);
  now_ += 1h;
  EXPECT_NE(sessions_.find(session->id(), anonymous), nullptr);
  stream.reset();
  now_ += 61s;
  EXPECT_EQ(sessions_.find(session->id(), anonymous), nullptr);
}

TEST_F(SessionsTest, MeasureTheirIdleTimeByAClockThatNobodySets) {
  EXPECT_TRUE(Sessions::Time::clock::is_steady);
}

TEST_F(SessionsTest, TellHowLongTheyMayBeIdle) {
  EXPECT_EQ(sessions_.idle_time(), 60s);
}

TEST_F(SessionsTest, MakeRoomAmongThoseOfWhoHasMost) {
  const auto open_for = [this](std::string_view name) {
    Caller caller{"2025-11-25"};
    caller.principal = test::principal(name);
    const auto session = sessions_.open(std::move(caller));
    now_ += 1s;
    return session == nullptr ? std::string() : session->id();
  };
  const auto is_open = [this](const std::string& id, std::string_view name) {
    return sessions_.find(id, test::principal(name)) != nullptr;
  };
  const auto adas = open_for("ada");
  const auto eves = open_for("eve");
  const auto eves_second = open_for("eve");
  const auto eves_third = open_for("eve");
  EXPECT_FALSE(is_open(eves, "eve"));
  EXPECT_TRUE(is_open(adas, "ada"));
  const auto stream = stream_of(*sessions_.find(eves_second, test::principal("eve")));
  const auto other_stream = stream_of(*sessions_.find(eves_third, test::principal("eve")));
  EXPECT_NE(open_for("eve"), "");
  EXPECT_FALSE(is_open(adas, "ada")) << "hers was the only one that was not in use";
}

TEST_F(SessionsTest, MakeRoomByEndingTheIdlest) {
  const auto first = open();
  now_ += 1s;
  const auto second = open();
  now_ += 1s;
  const auto third = open();
  now_ += 1s;
  sessions_.find(first->id(), anonymous);
  ASSERT_NE(open(), nullptr);
  EXPECT_NE(sessions_.find(first->id(), anonymous), nullptr);
  EXPECT_EQ(sessions_.find(second->id(), anonymous), nullptr);
  EXPECT_NE(sessions_.find(third->id(), anonymous), nullptr);
}

TEST_F(SessionsTest, CloseAStreamThatComesToOneThatHasMadeRoom) {
  const auto found = open();
  for (int i = 0; i < 3; ++i)
    open();
  EXPECT_EQ(sessions_.find(found->id(), anonymous), nullptr);
  EXPECT_TRUE(stream_of(*found)->closed);
}

TEST_F(SessionsTest, NeverEndOneWithAStreamToMakeRoom) {
  const auto first = open();
  const auto stream = stream_of(*first);
  now_ += 1s;
  const auto second = open();
  now_ += 1s;
  open();
  ASSERT_NE(open(), nullptr);
  EXPECT_NE(sessions_.find(first->id(), anonymous), nullptr);
  EXPECT_EQ(sessions_.find(second->id(), anonymous), nullptr);
}

TEST_F(SessionsTest, NeverEndOneWithARequestInFlightToMakeRoom) {
  const auto first = open();
  auto exchange = std::make_shared<test::RecordingExchange>();
  first->requests().add("1", anonymous, exchange);
  now_ += 1s;
  const auto second = open();
  open();
  ASSERT_NE(open(), nullptr);
  EXPECT_NE(sessions_.find(first->id(), anonymous), nullptr);
  EXPECT_EQ(sessions_.find(second->id(), anonymous), nullptr);
  exchange.reset();
  EXPECT_FALSE(first->in_use());
}

TEST_F(SessionsTest, AreGoneWhenExpiredAlthoughNobodyAsks) {
  const std::weak_ptr<Session> forgotten = open();
  now_ += 61s;
  open();
  EXPECT_TRUE(forgotten.expired());
}

TEST_F(SessionsTest, AreRefusedWhenAllAreInUse) {
  std::vector<std::shared_ptr<test::RecordingStream>> streams;
  for (int i = 0; i < 3; ++i)
    streams.push_back(stream_of(*open()));
  EXPECT_EQ(open(), nullptr);
  streams.pop_back();
  EXPECT_NE(open(), nullptr);
}

TEST_F(SessionsTest, EndWhenClosed) {
  const auto session = open();
  const auto stream = stream_of(*session);
  EXPECT_TRUE(sessions_.close(session->id()));
  EXPECT_TRUE(stream->closed);
  EXPECT_EQ(sessions_.find(session->id(), anonymous), nullptr);
  EXPECT_FALSE(sessions_.close(session->id()));
}

TEST_F(SessionsTest, CloseTheirStreamsTogether) {
  const auto first = stream_of(*open());
  const auto second = stream_of(*open());
  sessions_.close_all();
  EXPECT_TRUE(first->closed);
  EXPECT_TRUE(second->closed);
}

TEST_F(SessionsTest, HearWhatTheCatalogPublishes) {
  const auto session = open();
  const auto stream = stream_of(*session);
  session->initialized();
  catalog_.publish(
      std::make_shared<const Catalog>(1, std::vector{test::served_plugin("a.so", test::tools(test::tool("t")))}));
  EXPECT_EQ(stream->messages, Messages{tools_changed});
}

}  // namespace
}  // namespace mcph
