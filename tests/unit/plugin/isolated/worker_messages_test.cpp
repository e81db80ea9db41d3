#include "plugin/isolated/worker_messages.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

// A message as it comes out at the other side.
template <class Message>
Message read_back(const Message& message) {
  const auto frame = frame_of(message);
  if constexpr (std::is_constructible_v<to_host::Message, Message>) {
    EXPECT_FALSE(to_worker::read(frame));
    return std::get<Message>(to_host::read(frame).value());
  } else {
    EXPECT_FALSE(to_host::read(frame));
    return std::get<Message>(to_worker::read(frame).value());
  }
}

TEST(WorkerMessagesTest, ReachAWorkerAsTheyWereSent) {
  using namespace to_worker;
  EXPECT_EQ(read_back(Load{7, "a setup"}).query, 7U);
  EXPECT_EQ(read_back(Load{7, "a setup"}).setup, "a setup");
  EXPECT_EQ(read_back(Describe{8}).query, 8U);
  EXPECT_EQ(read_back(Start{9}).query, 9U);
  const auto invoke = read_back(Invoke{10, PluginMethod::prompts_get, "params", "context"});
  EXPECT_EQ(invoke.call, 10U);
  EXPECT_EQ(invoke.method, PluginMethod::prompts_get);
  EXPECT_EQ(invoke.params, "params");
  EXPECT_EQ(invoke.context, "context");
  EXPECT_TRUE(invoke.wants_progress);
  const auto quiet = read_back(Invoke{10, PluginMethod::completion_complete, "params", "context", false});
  EXPECT_EQ(quiet.method, PluginMethod::completion_complete);
  EXPECT_FALSE(quiet.wants_progress);
  EXPECT_EQ(read_back(Cancel{11, 3}).call, 11U);
  EXPECT_EQ(read_back(Cancel{11, 3}).reason, 3);
  EXPECT_EQ(read_back(Answer{12, "who it is"}).query, 12U);
  EXPECT_EQ(read_back(Answer{12, "who it is"}).text, "who it is");
  read_back(Stop{});
  read_back(TellPlaces{});
  EXPECT_EQ(read_back(SubscriptionsChanged{"changes"}).changes, "changes");
  const to_worker::StoreAnswer kept{13, StoreStatus::full, 1ULL << 40, "no room"};
  EXPECT_EQ(read_back(kept).query, 13U);
  EXPECT_EQ(read_back(kept).status, StoreStatus::full);
  EXPECT_EQ(read_back(kept).revision, 1ULL << 40);
  EXPECT_EQ(read_back(kept).text, "no room");
}

TEST(WorkerMessagesTest, ReachAHostAsTheyWereSent) {
  using namespace to_host;
  const auto ready = read_back(Ready{7, "a description", "an identity"});
  EXPECT_EQ(ready.query, 7U);
  EXPECT_EQ(ready.description, "a description");
  EXPECT_EQ(ready.identity, "an identity");
  const auto failed = read_back(Failed{8, true, "no file"});
  EXPECT_EQ(failed.query, 8U);
  EXPECT_TRUE(failed.may_pass);
  EXPECT_EQ(failed.why, "no file");
  EXPECT_FALSE(read_back(Failed{8, false, "no file"}).may_pass);
  const auto completed = read_back(Completed{9, -7, "a result", false});
  EXPECT_EQ(completed.call, 9U);
  EXPECT_EQ(completed.outcome, -7);
  EXPECT_EQ(completed.text, "a result");
  EXPECT_FALSE(completed.by_worker);
  EXPECT_TRUE(read_back(Completed{9, 1, "an error", true}).by_worker);
  const Progressed progress{10, {0.5, 2}, "half of one"};
  EXPECT_EQ(read_back(progress).call, 10U);
  EXPECT_EQ(read_back(progress).progress_and_total, progress.progress_and_total);
  EXPECT_EQ(read_back(progress).message, "half of one");
  const auto said = read_back(Said{11, 4, "words"});
  EXPECT_EQ(said.call, 11U);
  EXPECT_EQ(said.level, 4);
  EXPECT_EQ(said.words, "words");
  const auto logged = read_back(Logged{2, 1, "a reason"});
  EXPECT_EQ(logged.level, 2);
  EXPECT_EQ(logged.event, 1U);
  EXPECT_EQ(logged.text, "a reason");
  read_back(ComponentsChanged{});
  EXPECT_EQ(read_back(ResourceUpdated{"test://a"}).uri, "test://a");
  const ContextQuery query{12, 1ULL << 40};
  EXPECT_EQ(read_back(query).query, 12U);
  EXPECT_EQ(read_back(query).call, 1ULL << 40);
  const CallerQuery caller{14, 1ULL << 40};
  EXPECT_EQ(read_back(caller).query, 14U);
  EXPECT_EQ(read_back(caller).call, 1ULL << 40);
  EXPECT_EQ(read_back(ServerInfoQuery{13}).query, 13U);
  EXPECT_EQ(read_back(SubscriptionsQuery{15}).query, 15U);
  read_back(SubscriptionsTaken{});
  const StoreQuery put{16, StoreOperation::Kind::put, {7, 3}, "keyvalue"};
  EXPECT_EQ(read_back(put).query, 16U);
  EXPECT_EQ(read_back(put).kind, StoreOperation::Kind::put);
  EXPECT_EQ(read_back(put).revision_and_key_size[0], 7U);
  EXPECT_EQ(read_back(put).key(), "key");
  EXPECT_EQ(read_back(put).value(), "value");
  EXPECT_EQ(read_back(MetricsRecorded{"changes"}).changes, "changes");
  EXPECT_EQ(read_back(Crashed{"SEGV"}).signal, "SEGV");
  read_back(PlaceFollows{});
  EXPECT_EQ(read_back(StackLine{"actor.so+0x1"}).text, "actor.so+0x1");
  read_back(LacksMemory{});
}

TEST(WorkerMessagesTest, AreNoneWithNumbersOfAnotherSize) {
  EXPECT_FALSE(to_host::read({.kind = Frame::Kind::progressed, .more = "short"}));
  EXPECT_FALSE(to_host::read({.kind = Frame::Kind::context_query, .more = "much too long"}));
  EXPECT_FALSE(to_host::read({.kind = Frame::Kind::context_query}));
}

// What is kept of an answer is bounded by its text.
TEST(WorkerMessagesTest, AreNoneWithMoreThanAnAnswerHas) {
  EXPECT_FALSE(to_host::read({Frame::Kind::completed, 0, 9, "{}", "more"}));
}

TEST(WorkerMessagesTest, AreNoneWithAnOperationThatNoStoreHas) {
  const to_host::StoreQuery query{1, StoreOperation::Kind::list, {0, 3}, "key"};
  auto frame = frame_of(query);
  EXPECT_TRUE(to_host::read(frame));
  frame.number = 4;
  EXPECT_FALSE(to_host::read(frame));
  frame.number = -1;
  EXPECT_FALSE(to_host::read(frame));
  const to_host::StoreQuery longer{1, StoreOperation::Kind::get, {0, 4}, "key"};
  EXPECT_FALSE(to_host::read(frame_of(longer))) << "its key is longer than all";
}

TEST(WorkerMessagesTest, AreNoneWithAMethodThatNoPluginHas) {
  EXPECT_TRUE(to_worker::read({.kind = Frame::Kind::invoke, .number = plugin_method_names.size() - 1}));
  EXPECT_FALSE(to_worker::read({.kind = Frame::Kind::invoke, .number = plugin_method_names.size()}));
  EXPECT_FALSE(to_worker::read({.kind = Frame::Kind::invoke, .number = -1}));
}

TEST(WorkerMessagesTest, AreNoneWithAnEventThatNoWorkerHas) {
  EXPECT_TRUE(to_host::read({.kind = Frame::Kind::logged, .id = worker_log_events.size() - 1}));
  EXPECT_FALSE(to_host::read({.kind = Frame::Kind::logged, .id = worker_log_events.size()}));
}

TEST(WorkerMessagesTest, SayWhatALongOneIsBeforeItIsRead) {
  using Kind = to_host::LongMessage::Kind;
  const auto completed = to_host::long_message({.kind = Frame::Kind::completed, .id = 7}, 1000);
  EXPECT_EQ(completed.kind, Kind::completed);
  EXPECT_EQ(completed.id, 7U);
  EXPECT_EQ(completed.bytes, 1000U);
  EXPECT_EQ(to_host::long_message({.kind = Frame::Kind::ready}, 1000).kind, Kind::ready);
  EXPECT_EQ(to_host::long_message({.kind = Frame::Kind::said}, 1000).kind, Kind::other);
}

}  // namespace
}  // namespace mcph
