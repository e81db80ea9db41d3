#include "catalog/resource_updates.hpp"

#include <atomic>
#include <new>
#include <string>
#include <string_view>
#include <sys/mman.h>
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

TEST_F(ResourceUpdatesTest, AreToldByAUriThatIsThreeTimesAsLongAsTheListeners) {
  std::string letters = "file:///";
  std::string encoded = "%66%69%6c%65:///";
  for (int i = 0; i < 1000; ++i) {
    letters += "\xC3\xA4";
    encoded += "%C3%A4";
  }
  const auto place = updates_->listen(letters, listener_);
  updates_->updated(encoded);
  updates_->tell();
  EXPECT_EQ(listener_->heard(), Heard{letters});
}

TEST_F(ResourceUpdatesTest, AreNotReadWhereNobodyCanListenToThem) {
  constexpr std::size_t size = 60'000;
  // Whoever reads it dies.
  auto* const memory = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::string_view unreadable(static_cast<const char*>(memory), size);
  updates_->updated(unreadable);
  {
    const auto long_one = updates_->listen("a://" + std::string(100'000, 'x'), listener_);
    const auto place = updates_->listen("a://b", listener_);
  }
  updates_->updated(unreadable);
  const auto place = updates_->listen("a://b", listener_);
  updates_->updated(unreadable);
  updates_->updated("a://b");
  updates_->tell();
  EXPECT_EQ(listener_->heard(), Heard{"a://b"});
  ::munmap(memory, size);
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
