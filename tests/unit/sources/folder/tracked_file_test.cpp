// The table of tracked_file.hpp, line by line, without a disk and without waiting.
#include "sources/folder/tracked_file.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "support/fake_plugin.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using State = TrackedFile::State;
using Failure = TrackedFile::Failure;

const FilePatience patience{.settle = 10ms,
                            .bundle = 40ms,
                            .copy = 100ms,
                            .empty = 800ms,
                            .removal = 20ms,
                            .new_file = 50ms,
                            .configuration = 500ms,
                            .first_retry = 1s,
                            .last_retry = 3s};

// What lies there, told apart by its size; with a configuration unless it says otherwise.
PluginFile lies(std::uint64_t size, bool configured = true) {
  PluginFile file{.file = "/components/tools/a.so"};
  file.identity.size = size;
  if (configured) file.configuration.identity.emplace();
  return file;
}

ServedPlugin version() {
  return {std::make_shared<test::FakePlugin>("/components/tools/a.so"), std::make_shared<const Components>()};
}

class TrackedFileTest : public ::testing::Test {
 protected:
  TrackedFile::Sighting see(const PluginFile& file) { return tracked_.see(file, false, now_); }
  void wait(std::chrono::milliseconds time) { now_ += time; }
  // Sees it, and sees it again when it has been still for long enough.
  bool settles(const PluginFile& file) {
    see(file);
    wait(1h);
    return see(file).take;
  }
  void load(const PluginFile& file) {
    ASSERT_TRUE(settles(file));
    tracked_.begin_load(file, ++attempt_);
  }
  void serve(const PluginFile& file) {
    load(file);
    tracked_.end_load(version());
    ASSERT_EQ(tracked_.state(), State::serving);
  }
  Failure refuse(const PluginFile& file, const Error& error) {
    load(file);
    return tracked_.fail_load(error, now_);
  }

  TrackedFile tracked_{patience};
  TrackedFile::Time now_{1h};
  std::uint64_t attempt_ = 0;
};

TEST_F(TrackedFileTest, IsTakenWhenItHasBeenStill) {
  EXPECT_FALSE(see(lies(1)).take);
  EXPECT_TRUE(see(lies(1)).waits) << "others wait with it";
  EXPECT_EQ(tracked_.state(), State::settling);
  EXPECT_EQ(tracked_.due(), now_ + patience.settle);
  wait(9ms);
  EXPECT_FALSE(see(lies(2)).take) << "it has changed";
  wait(9ms);
  EXPECT_FALSE(see(lies(2)).take);
  wait(1ms);
  EXPECT_TRUE(see(lies(2)).take);
}

TEST_F(TrackedFileTest, IsTakenAtOnceAtTheStart) {
  EXPECT_TRUE(tracked_.see(lies(1), true, now_).take);
}

TEST_F(TrackedFileTest, IsServedWhenItsLoadEndsWell) {
  load(lies(1));
  EXPECT_EQ(tracked_.state(), State::loading);
  EXPECT_TRUE(tracked_.is_loading(1));
  EXPECT_FALSE(see(lies(1)).take) << "it is being loaded";
  EXPECT_EQ(tracked_.due(), std::nullopt);
  EXPECT_EQ(tracked_.end_load(version()).plugin, nullptr);
  EXPECT_EQ(tracked_.state(), State::serving);
  EXPECT_FALSE(see(lies(1)).take);
  EXPECT_EQ(tracked_.due(), std::nullopt);
}

// So that who asks for it waits for that load, and begins no other.
TEST_F(TrackedFileTest, SaysWhichLoadIsOfThisState) {
  EXPECT_EQ(tracked_.loading(lies(1)), std::nullopt);
  load(lies(1));
  EXPECT_EQ(tracked_.loading(lies(1)), 1U);
  EXPECT_EQ(tracked_.loading(lies(2)), std::nullopt);
  tracked_.end_load(version());
  EXPECT_EQ(tracked_.loading(lies(1)), std::nullopt);
}

TEST_F(TrackedFileTest, ServesTheVersionBeforeUntilTheNextIsThere) {
  serve(lies(1));
  const auto before = tracked_.served().plugin;
  load(lies(2));
  EXPECT_EQ(tracked_.served().plugin, before);
  EXPECT_EQ(tracked_.end_load(version()).plugin, before) << "to be drained";
  EXPECT_NE(tracked_.served().plugin, before);
}

TEST_F(TrackedFileTest, GoesOnAsItWasWhenItChangesBack) {
  serve(lies(1));
  see(lies(2));
  EXPECT_EQ(tracked_.state(), State::settling);
  EXPECT_FALSE(see(lies(1)).take);
  EXPECT_EQ(tracked_.state(), State::serving);
}

TEST_F(TrackedFileTest, DropsALoadWhenItChangesMeanwhile) {
  load(lies(1));
  see(lies(2));
  EXPECT_EQ(tracked_.state(), State::settling);
  EXPECT_FALSE(tracked_.is_loading(1));
}

TEST_F(TrackedFileTest, IsRefusedWithTheLastGoodVersionServing) {
  serve(lies(1));
  EXPECT_EQ(refuse(lies(2), fail("no library")), Failure::news);
  EXPECT_EQ(tracked_.state(), State::refused);
  EXPECT_EQ(tracked_.refusal(), "no library");
  EXPECT_NE(tracked_.served().plugin, nullptr);
  EXPECT_EQ(tracked_.due(), std::nullopt) << "only a change helps";
  serve(lies(3));
  EXPECT_EQ(tracked_.refusal(), "");
}

TEST_F(TrackedFileTest, IsTriedAgainWhenItsRefusalMayPass) {
  const auto busy = fail_for_now("the port is taken");
  EXPECT_EQ(refuse(lies(1), busy), Failure::news);
  for (const auto delay : {1s, 2s, 3s, 3s}) {
    EXPECT_EQ(tracked_.due(), now_ + delay);
    EXPECT_FALSE(see(lies(1)).take);
    wait(delay);
    EXPECT_TRUE(see(lies(1)).take);
    tracked_.begin_load(lies(1), ++attempt_);
    EXPECT_EQ(tracked_.fail_load(busy, now_), Failure::known);
  }
  EXPECT_EQ(refuse(lies(2), busy), Failure::news);
  EXPECT_EQ(tracked_.due(), now_ + 1s) << "another file";
}

TEST_F(TrackedFileTest, HasMoreTimeWhereItMayBeHalfACopy) {
  auto half = fail("it ends too early");
  half.code = ErrorCode::incomplete;
  see(lies(1));
  wait(50ms);
  ASSERT_TRUE(see(lies(1)).take);
  tracked_.begin_load(lies(1), 1);
  EXPECT_EQ(tracked_.fail_load(half, now_), Failure::incomplete);
  EXPECT_EQ(tracked_.state(), State::settling);
  EXPECT_FALSE(see(lies(1)).take);
  EXPECT_FALSE(see(lies(1)).waits) << "for what may take long nobody waits";
  wait(50ms);
  EXPECT_TRUE(see(lies(1)).take);
  tracked_.begin_load(lies(1), 2);
  EXPECT_EQ(tracked_.fail_load(half, now_), Failure::news);
  EXPECT_EQ(tracked_.state(), State::refused);
}

TEST_F(TrackedFileTest, AnEmptyFileHasTheTimeThatALinkerTakes) {
  auto empty = fail("the file is empty");
  empty.code = ErrorCode::incomplete;
  serve(lies(1));
  see(lies(0));
  wait(10ms);
  ASSERT_TRUE(see(lies(0)).take);
  tracked_.begin_load(lies(0), ++attempt_);
  EXPECT_EQ(tracked_.fail_load(empty, now_), Failure::incomplete);
  EXPECT_EQ(tracked_.due(), now_ + 790ms);
  wait(789ms);
  EXPECT_FALSE(see(lies(0)).take);
  // What it has become is taken as soon as any other file.
  see(lies(2));
  EXPECT_EQ(tracked_.due(), now_ + patience.settle);
}

TEST_F(TrackedFileTest, AFileThatStaysEmptyIsRefused) {
  auto empty = fail("the file is empty");
  empty.code = ErrorCode::incomplete;
  EXPECT_EQ(refuse(lies(0), empty), Failure::incomplete);
  wait(1h);
  ASSERT_TRUE(see(lies(0)).take);
  tracked_.begin_load(lies(0), ++attempt_);
  EXPECT_EQ(tracked_.fail_load(empty, now_), Failure::news);
  EXPECT_EQ(tracked_.state(), State::refused);
  EXPECT_EQ(tracked_.refusal(), "the file is empty");
}

TEST_F(TrackedFileTest, IsQuarantinedWhenItsVersionGivesUp) {
  serve(lies(1));
  EXPECT_EQ(tracked_.give_up(99, fail("of another version"), now_).plugin, nullptr);
  const auto version = tracked_.served().plugin;
  EXPECT_EQ(tracked_.give_up(1, fail("it crashes"), now_).plugin, version);
  EXPECT_EQ(tracked_.state(), State::quarantined);
  EXPECT_EQ(tracked_.refusal(), "quarantined: it crashes");
  EXPECT_EQ(tracked_.served().plugin, nullptr);
  EXPECT_EQ(tracked_.withdrawn()->name, version->identity().name);
  EXPECT_FALSE(see(lies(1)).take);
  serve(lies(2));
}

TEST_F(TrackedFileTest, IsLoadedAgainWhereItsGivingUpMayPass) {
  serve(lies(1));
  tracked_.give_up(1, fail_for_now("no processes"), now_);
  EXPECT_TRUE(see(lies(1)).take);
  tracked_.begin_load(lies(1), ++attempt_);
  tracked_.fail_load(fail_for_now("no disk"), now_);
  EXPECT_EQ(tracked_.due(), now_ + 1s);
}

TEST_F(TrackedFileTest, KeepsTheRefusalOfANewerFileWhenItsVersionGivesUp) {
  serve(lies(1));
  refuse(lies(2), fail("no library"));
  tracked_.give_up(1, fail("it crashes"), now_);
  EXPECT_EQ(tracked_.refusal(), "no library");
}

TEST_F(TrackedFileTest, IsLeftAloneWhileItIsDisabled) {
  serve(lies(1));
  EXPECT_NE(tracked_.disable().plugin, nullptr);
  EXPECT_EQ(tracked_.state(), State::disabled);
  EXPECT_FALSE(settles(lies(2)));
  EXPECT_FALSE(tracked_.miss(now_).gone) << "what the operator said is remembered";
  EXPECT_EQ(tracked_.due(), std::nullopt);
  EXPECT_TRUE(tracked_.enable());
  EXPECT_FALSE(tracked_.enable());
  EXPECT_EQ(tracked_.state(), State::settling);
  EXPECT_TRUE(settles(lies(2)));
}

TEST_F(TrackedFileTest, SettlesAsSoonAsItChangesInWhateverStateItIs) {
  auto changes = [this, size = std::uint64_t{100}]() mutable {
    see(lies(++size));
    return tracked_.state() == State::settling;
  };
  load(lies(1));
  EXPECT_TRUE(changes());
  serve(lies(2));
  EXPECT_TRUE(changes());
  refuse(lies(3), fail("no library"));
  ASSERT_EQ(tracked_.state(), State::refused);
  EXPECT_TRUE(changes());
  serve(lies(4));
  tracked_.give_up(attempt_, fail("it crashes"), now_);
  ASSERT_EQ(tracked_.state(), State::quarantined);
  EXPECT_TRUE(changes());
  load(lies(5));
  tracked_.pass_over();
  ASSERT_EQ(tracked_.state(), State::passed_over);
  EXPECT_TRUE(changes());
}

TEST_F(TrackedFileTest, DropsALoadWhenItIsDisabledMeanwhile) {
  load(lies(1));
  EXPECT_EQ(tracked_.disable().plugin, nullptr);
  EXPECT_FALSE(tracked_.is_loading(1));
}

TEST_F(TrackedFileTest, KeepsItsStateWhileItIsMissing) {
  serve(lies(1));
  EXPECT_FALSE(tracked_.miss(now_).gone);
  EXPECT_TRUE(tracked_.miss(now_).waits);
  EXPECT_EQ(tracked_.due(), now_ + patience.removal);
  wait(19ms);
  EXPECT_FALSE(see(lies(1)).take) << "it is back";
  EXPECT_EQ(tracked_.state(), State::serving);
  EXPECT_FALSE(tracked_.miss(now_).gone);
  wait(20ms);
  EXPECT_TRUE(tracked_.miss(now_).gone);
}

TEST_F(TrackedFileTest, WaitsForAConfigurationThatMayFollow) {
  see(lies(1, false));
  EXPECT_TRUE(tracked_.awaits_configuration(lies(1, false), now_));
  wait(49ms);
  EXPECT_FALSE(see(lies(1, false)).take);
  wait(1ms);
  EXPECT_TRUE(see(lies(1, false)).take);
  EXPECT_FALSE(tracked_.awaits_configuration(lies(1, false), now_));
}

TEST_F(TrackedFileTest, WaitsLongForAConfigurationThatIsLost) {
  serve(lies(1));
  EXPECT_FALSE(see(lies(1, false)).take);
  EXPECT_TRUE(tracked_.has_lost_configuration(lies(1, false)));
  EXPECT_FALSE(see(lies(1, false)).waits);
  wait(499ms);
  EXPECT_FALSE(see(lies(1, false)).take);
  wait(1ms);
  ASSERT_TRUE(see(lies(1, false)).take);
  tracked_.begin_load(lies(1, false), ++attempt_);
  tracked_.end_load(version());
  EXPECT_FALSE(tracked_.has_lost_configuration(lies(1, false))) << "it has been taken without one";
}

PluginFile bundle_lies(std::uint64_t contents, std::uint64_t passed_over = 0) {
  auto file = lies(1);
  file.file = "/components/tools/a.plugin";
  file.identity.contents = contents;
  file.passed_over = passed_over;
  return file;
}

TEST_F(TrackedFileTest, ABundleIsTakenWhenItHasBeenStillForLonger) {
  EXPECT_FALSE(see(bundle_lies(1)).take);
  wait(39ms);
  EXPECT_FALSE(see(bundle_lies(1)).take);
  wait(1ms);
  EXPECT_TRUE(see(bundle_lies(1)).take);
}

TEST_F(TrackedFileTest, ABundleIntoWhichSomebodyCopiesIsNotStill) {
  serve(bundle_lies(1));
  see(bundle_lies(2, 1));
  wait(30ms);
  see(bundle_lies(2, 2));
  wait(30ms);
  EXPECT_FALSE(see(bundle_lies(2, 2)).take) << "a temporary file in it grew";
  wait(10ms);
  EXPECT_TRUE(see(bundle_lies(2, 2)).take);
}

TEST_F(TrackedFileTest, ATemporaryFileInABundleIsNoChangeOfIt) {
  serve(bundle_lies(1));
  EXPECT_FALSE(settles(bundle_lies(1, 1)));
  EXPECT_EQ(tracked_.state(), State::serving);
}

TEST_F(TrackedFileTest, ALibraryThatIsNoPluginIsPassedOverUntilItChanges) {
  load(lies(1));
  EXPECT_TRUE(tracked_.pass_over());
  EXPECT_EQ(tracked_.state(), State::passed_over);
  EXPECT_EQ(tracked_.refusal(), "");
  EXPECT_FALSE(settles(lies(1)));
  EXPECT_TRUE(settles(lies(2)));
}

}  // namespace
}  // namespace mcph
