#include "http/client/name_lookup.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "http/client/network_caller.hpp"
#include "support/eventually.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

// Finds names that begin with "slow" when it is told to, and all others at once. Its copies share what it knows.
class Names {
 public:
  NameLookup::Addresses operator()(const std::string& name) const {
    state_->asked.fetch_add(1);
    if (name.starts_with("slow")) state_->answers_slow.wait();
    return std::vector{boost::asio::ip::make_address("127.0.0.1")};
  }
  int asked() const { return state_->asked.load(); }
  void answer_slow() const { state_->slow.set_value(); }
  // Nobody has a copy any more, so that no look-up is under way.
  bool are_let_go() const { return state_.use_count() == 1; }

 private:
  struct State {
    std::promise<void> slow;
    std::shared_future<void> answers_slow = slow.get_future().share();
    std::atomic<int> asked = 0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class Heard {
 public:
  NameLookup::Found listener() {
    return [this](const NameLookup::Addresses& addresses) {
      const std::lock_guard lock(mutex_);
      if (addresses.has_error()) {
        last_ = addresses.error().message;
      } else {
        last_ = addresses->empty() ? "nowhere" : addresses->front().to_string();
      }
      ++times_;
    };
  }
  std::string last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  int times() const {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  mutable std::mutex mutex_;
  std::string last_;
  int times_ = 0;
};

class NameLookupTest : public ::testing::Test {
 protected:
  ~NameLookupTest() override {
    if (hangs_) names_.answer_slow();
    EXPECT_TRUE(test::eventually([this] { return names_.are_let_go(); }));
  }
  void answer_slow() {
    hangs_ = false;
    names_.answer_slow();
  }

  const Names names_;
  Heard heard_;
  bool hangs_ = true;
};

TEST_F(NameLookupTest, LooksUpNoAddress) {
  NameLookup lookup(names_);
  lookup.find("192.0.2.1", heard_.listener());
  EXPECT_EQ(heard_.last(), "192.0.2.1");
  lookup.find("2001:db8::1", heard_.listener());
  EXPECT_EQ(heard_.last(), "2001:db8::1");
  EXPECT_EQ(names_.asked(), 0);
}

TEST_F(NameLookupTest, KeepsNobodyWaitingForTheNameOfAnother) {
  NameLookup lookup(names_);
  Heard slow;
  lookup.find("slow.example", slow.listener());
  lookup.find("quick.example", heard_.listener());
  EXPECT_TRUE(test::eventually([&] { return heard_.last() == "127.0.0.1"; }));
  EXPECT_EQ(slow.times(), 0);
  answer_slow();
  EXPECT_TRUE(test::eventually([&] { return slow.last() == "127.0.0.1"; }));
}

TEST_F(NameLookupTest, LooksANameUpOnceForAllWhoWaitForIt) {
  NameLookup lookup(names_);
  for (int i = 0; i < 5; ++i)
    lookup.find("slow.example", heard_.listener());
  answer_slow();
  EXPECT_TRUE(test::eventually([&] { return heard_.times() == 5; }));
  EXPECT_EQ(names_.asked(), 1);
}

TEST_F(NameLookupTest, LooksUpSoManyNamesAtOnceAndNoMore) {
  NameLookup lookup(names_);
  Heard slow;
  for (std::size_t i = 0; i < NameLookup::max_names; ++i)
    lookup.find("slow" + std::to_string(i) + ".example", slow.listener());
  lookup.find("quick.example", heard_.listener());
  EXPECT_EQ(heard_.last(), "the names of other hosts are still being looked up");
  answer_slow();
  EXPECT_TRUE(test::eventually([&] { return slow.times() == static_cast<int>(NameLookup::max_names); }));
  lookup.find("quick.example", heard_.listener());
  EXPECT_TRUE(test::eventually([&] { return heard_.last() == "127.0.0.1"; }));
}

TEST_F(NameLookupTest, TellsNobodyAfterItsEnd) {
  std::make_unique<NameLookup>(names_)->find("slow.example", heard_.listener());
  EXPECT_TRUE(test::eventually([&] { return names_.asked() == 1; }));
  answer_slow();
  EXPECT_TRUE(test::eventually([&] { return names_.are_let_go(); }));
  EXPECT_EQ(heard_.times(), 0);
}

TEST(NameLookupBySystemTest, FindsThisMachine) {
  const auto addresses = NameLookup::by_system("localhost");
  ASSERT_FALSE(addresses.has_error());
  ASSERT_FALSE(addresses->empty());
  EXPECT_TRUE(addresses->front().is_loopback());
}

// One thread serves all calls.
class SlowNamesTest : public NameLookupTest {
 protected:
  ~SlowNamesTest() override {
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }
  // Where nobody listens.
  std::future<std::string> ask(const std::string& host, std::chrono::milliseconds patience) {
    const auto answer = std::make_shared<std::promise<std::string>>();
    caller_.send(
        {.url = {.tls = false, .host = host, .port = "1", .authority = host, .target = "/"}, .patience = patience},
        [answer](const Result<HttpAnswer>& got) {
          answer->set_value(got.has_error() ? got.error().message : std::to_string(got->status));
        });
    return answer->get_future();
  }

  EventLoops threads_{1, 4};
  NetworkCaller caller_{threads_, {}, names_};
};

TEST_F(SlowNamesTest, HoldUpNoOtherCallNorTheEnd) {
  auto slow = ask("slow.example", 1h);
  EXPECT_TRUE(test::eventually([&] { return names_.asked() == 1; }));
  EXPECT_EQ(ask("quick.example", 20s).get(), "Connection refused");
  EXPECT_EQ(ask("127.0.0.1", 20s).get(), "Connection refused");
  EXPECT_EQ(slow.wait_for(0s), std::future_status::timeout);
}

TEST_F(SlowNamesTest, AreWaitedForAsLongAsTheCallSays) {
  EXPECT_EQ(ask("slow.example", 20ms).get(), "it did not answer within 20 ms");
}

}  // namespace
}  // namespace mcph
