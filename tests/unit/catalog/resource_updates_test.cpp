#include "catalog/resource_updates.hpp"

#include <atomic>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/update_thread.hpp"
#include "support/eventually.hpp"

namespace mcph {
namespace {

class Listener final : public ResourceListener {
 public:
  void resource_updated(const std::string& uri) override {
    const std::lock_guard lock(mutex_);
    heard_.push_back(uri);
  }
  std::vector<std::string> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> heard_;
};

using Heard = std::vector<std::string>;

class ResourceUpdatesTest : public ::testing::Test {
 protected:
  const std::shared_ptr<ResourceUpdates> updates_ = std::make_shared<ResourceUpdates>();
  const std::shared_ptr<Listener> listener_ = std::make_shared<Listener>();
};

TEST_F(ResourceUpdatesTest, AreToldToThoseWhoListenToTheResource) {
  const auto other = std::make_shared<Listener>();
  const auto place = updates_->listen("a://b", listener_);
  const auto other_place = updates_->listen("a://c", other);
  updates_->updated("a://b");
  updates_->updated("a://unheard");
  updates_->tell();
  EXPECT_EQ(listener_->heard(), Heard{"a://b"});
  EXPECT_EQ(other->heard(), Heard{});
}

TEST_F(ResourceUpdatesTest, OfOneResourceInABurstAreToldOnce) {
  const auto first = updates_->listen("a://b", listener_);
  const auto second = updates_->listen("a://c", listener_);
  for (int i = 0; i < 100; ++i) {
    updates_->updated("a://b");
    updates_->updated("a://c");
  }
  EXPECT_EQ(listener_->heard(), Heard{});
  updates_->tell();
  updates_->tell();
  EXPECT_EQ(listener_->heard(), (Heard{"a://b", "a://c"}));
}

TEST_F(ResourceUpdatesTest, AreToldByTheUriThatTheListenerWrote) {
  const auto place = updates_->listen("file:///caf\xC3\xA9/%7ea", listener_);
  updates_->updated("file:///caf%C3%A9/~a");
  updates_->tell();
  EXPECT_EQ(listener_->heard(), Heard{"file:///caf\xC3\xA9/%7ea"});
}

TEST_F(ResourceUpdatesTest, AreNotToldOnceTheInterestHasEnded) {
  {
    const auto place = updates_->listen("a://b", listener_);
    updates_->updated("a://b");
  }
  updates_->tell();
  EXPECT_EQ(listener_->heard(), Heard{});
}

TEST_F(ResourceUpdatesTest, AreNotToldToAListenerThatIsGone) {
  auto gone = std::make_shared<Listener>();
  const std::weak_ptr<Listener> trace = gone;
  const auto its_place = updates_->listen("a://b", gone);
  const auto place = updates_->listen("a://b", listener_);
  gone.reset();
  EXPECT_TRUE(trace.expired()) << "an interest keeps no listener";
  updates_->updated("a://b");
  updates_->tell();
  EXPECT_EQ(listener_->heard(), Heard{"a://b"});
}

TEST_F(ResourceUpdatesTest, HaveABoundOnInterests) {
  std::vector<ResourceUpdates::Place> places;
  places.reserve(ResourceUpdates::max_interests);
  for (std::size_t i = 0; i < ResourceUpdates::max_interests; ++i)
    places.push_back(updates_->listen("a://b", listener_).value());
  EXPECT_FALSE(updates_->listen("a://b", listener_));
  places.pop_back();
  EXPECT_TRUE(updates_->listen("a://b", listener_));
}

TEST_F(ResourceUpdatesTest, HaveABoundOnBytes) {
  const std::string long_uri = "a://" + std::string(ResourceUpdates::max_bytes / 4, 'x');
  auto first = updates_->listen(long_uri, listener_);
  ASSERT_TRUE(first);
  EXPECT_FALSE(updates_->listen(long_uri, listener_));
  first.reset();
  EXPECT_TRUE(updates_->listen(long_uri, listener_));
}

TEST_F(ResourceUpdatesTest, AreToldByAThreadOfTheirOwn) {
  const auto place = updates_->listen("a://b", listener_);
  const UpdateThread thread(
      updates_, [] {}, std::chrono::milliseconds(0));
  updates_->updated("a://b");
  EXPECT_TRUE(test::eventually([&] { return listener_->heard().size() == 1; }));
  updates_->updated("a://b");
  EXPECT_TRUE(test::eventually([&] { return listener_->heard().size() == 2; }));
}

TEST_F(ResourceUpdatesTest, EndWithoutWaitingForTheBurstToBeOver) {
  const auto place = updates_->listen("a://b", listener_);
  const auto begin = std::chrono::steady_clock::now();
  {
    const UpdateThread thread(
        updates_, [] {}, std::chrono::hours(1));
    updates_->updated("a://b");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
}

TEST_F(ResourceUpdatesTest, AreToldByAThreadThatGoesOnAfterALackOfMemory) {
  std::atomic<int> attended{0};
  const UpdateThread thread(
      updates_,
      [&] {
        if (++attended == 1) throw std::bad_alloc();
      },
      std::chrono::milliseconds(0));
  updates_->look_again();
  EXPECT_TRUE(test::eventually([&] { return attended == 2; }));
}

}  // namespace
}  // namespace mcph
