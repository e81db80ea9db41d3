#include "audit/audit_log.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/audit_folder.hpp"
#include "base/regular_file.hpp"
#include "support/eventually.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;
using test::eventually;

// As long as it is there, this process can write no byte behind this place of a file, as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(std::uint64_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

class AuditLogTest : public ::testing::Test {
 protected:
  // Which outcomes those have heard who had to wait.
  struct Heard {
    std::atomic<int> good{0};
    std::atomic<int> bad{0};
    std::atomic<int> at_once{0};
  };
  void add(AuditLog& audit, int number = 0) {
    const auto wait = [this]() -> AuditLog::Then {
      return [this](const Result<>& recorded) { ++(recorded.has_value() ? heard_.good : heard_.bad); };
    };
    if (audit.add(AuditEvent("request").add("number", number), wait)) ++heard_.at_once;
  }
  // Which nobody waits for.
  static void add_many(AuditLog& audit, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      audit.add(AuditEvent("request"));
  }
  AuditOptions with_mode(AuditOptions::Mode mode) const {
    auto options = folder_.options();
    options.mode = mode;
    return options;
  }
  // The file as a host leaves it that is killed before it says that it ends.
  void leave_as_killed() const {
    auto text = folder_.text();
    text.resize(text.rfind('\n', text.rfind(R"("event":"stop")")) + 1);
    std::ofstream(folder_.file) << text;
  }
  // That have this event.
  long count(const std::string& event) const {
    const auto lines = folder_.lines();
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find("\"event\":\"" + event + "\"") != std::string::npos;
    });
  }

  Heard heard_;
  test::AuditFolder folder_;
};

class AuditLogInEachModeTest : public AuditLogTest, public ::testing::WithParamInterface<AuditOptions::Mode> {};

INSTANTIATE_TEST_SUITE_P(All, AuditLogInEachModeTest,
                         ::testing::Values(AuditOptions::Mode::strict, AuditOptions::Mode::async));

TEST_F(AuditLogTest, WritesWhatHappensFromItsStartToItsEnd) {
  auto audit = folder_.opened(folder_.options());
  add(*audit, 7);
  audit.reset();
  const auto lines = folder_.lines();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], HasSubstr(R"("event":"start","previous":"0000)"));
  EXPECT_THAT(lines[1], HasSubstr(R"("event":"request","number":7)"));
  EXPECT_THAT(lines[2], HasSubstr(R"("event":"stop")"));
  EXPECT_THAT(lines[3], HasSubstr(R"("event":"checkpoint","signature":")"));
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_TRUE(folder_.summary().has_end);
  struct ::stat status {};
  ::stat(folder_.file.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(AuditLogTest, GoesOnWhereItEndedBefore) {
  for (int i = 0; i < 3; ++i)
    add(*folder_.opened(folder_.options()));
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_EQ(folder_.summary().lines, 12U);
}

TEST_F(AuditLogTest, HasNoCheckpointsWithoutAKey) {
  auto options = folder_.options();
  options.key.clear();
  add(*folder_.opened(options));
  EXPECT_EQ(count("checkpoint"), 0);
  EXPECT_EQ(folder_.verify(folder_.files(), false), "ok");
  EXPECT_THAT(folder_.verify(), HasSubstr("nothing is signed"));
}

TEST_F(AuditLogTest, InModeStrictWhoeverAsksGoesOnWhenItsLineIsWritten) {
  const auto audit = folder_.opened(with_mode(AuditOptions::Mode::strict));
  const auto wait = [this]() -> AuditLog::Then {
    return [this](const Result<>&) { heard_.good = static_cast<int>(count("request")); };
  };
  EXPECT_FALSE(audit->add(AuditEvent("request"), wait));
  EXPECT_TRUE(eventually([&] { return heard_.good.load() == 1; }));
}

TEST_F(AuditLogTest, KeepsTheLinesOfManyThreads) {
  for (const auto mode : {AuditOptions::Mode::strict, AuditOptions::Mode::async}) {
    auto audit = folder_.opened(with_mode(mode));
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int j = 0; j < 500; ++j)
          add(*audit);
      });
    for (auto& thread : threads)
      thread.join();
    audit.reset();
  }
  EXPECT_EQ(count("request"), 8000);
  EXPECT_EQ(heard_.good + heard_.at_once, 8000);
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_GE(count("checkpoint"), 8);
}

TEST_F(AuditLogTest, SignsWhatAHostHasLeftThatWasKilled) {
  auto options = folder_.options();
  options.checkpoint_time = 1h;
  for (int i = 0; i < 3; ++i) {
    add_many(*folder_.opened(options), 600);
    leave_as_killed();
  }
  folder_.opened(options).reset();
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_EQ(count("request"), 1800);
  EXPECT_EQ(count("checkpoint"), 4);
  EXPECT_THAT(folder_.summary().signed_later,
              ElementsAre(AuditLines{1, 601}, AuditLines{604, 1203}, AuditLines{1206, 1805}));
}

TEST_F(AuditLogTest, SignsAsManyLinesAsMayBeWithoutACheckpoint) {
  auto options = folder_.options();
  options.checkpoint_time = 1h;
  add_many(*folder_.opened(options), max_lines_to_checkpoint - 1);
  auto text = folder_.text();
  text.resize(text.find(R"("event":"checkpoint")"));
  std::ofstream(folder_.file) << text;
  folder_.opened(options).reset();
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_THAT(folder_.lines().at(max_lines_to_checkpoint), HasSubstr(R"("event":"start")"));
  EXPECT_THAT(folder_.lines().at(max_lines_to_checkpoint + 1), HasSubstr(R"("event":"checkpoint")"));
}

TEST_F(AuditLogTest, SignsTheLinesOfAHostWithoutAKeyIfTheyAreNotTooMany) {
  auto options = folder_.options();
  auto without_key = options;
  without_key.key.clear();
  add_many(*folder_.opened(without_key), 600);
  add_many(*folder_.opened(options), 600);
  EXPECT_EQ(folder_.verify(), "ok");
  // Also where it has died between two files.
  add_many(*folder_.opened(without_key), 990);
  std::filesystem::rename(folder_.file, folder_.file.string() + ".000000000001");
  add_many(*folder_.opened(options), 600);
  EXPECT_EQ(folder_.verify(), "ok");
  add_many(*folder_.opened(without_key), 1000);
  folder_.opened(options).reset();
  EXPECT_THAT(folder_.verify(), HasSubstr("no checkpoint covers the 1000 lines before it"));
}

TEST_F(AuditLogTest, SignsWhatIsThereAfterAWhile) {
  auto options = folder_.options();
  options.checkpoint_time = 5ms;
  const auto audit = folder_.opened(options);
  EXPECT_TRUE(eventually([&] { return count("checkpoint") == 1; }));
  add(*audit);
  EXPECT_TRUE(eventually([&] { return count("checkpoint") == 2; }));
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_F(AuditLogTest, InModeStrictNothingIsDoneWhileTheDiskIsFull) {
  auto audit = folder_.opened(with_mode(AuditOptions::Mode::strict));
  {
    const FullDisk full(std::filesystem::file_size(folder_.file) + 50);
    add(*audit);
    EXPECT_TRUE(eventually([&] { return heard_.bad.load() == 1; }));
    EXPECT_TRUE(audit->refuses().has_value());
    EXPECT_TRUE(audit->trouble().has_value());
    EXPECT_EQ(folder_.verify(folder_.files(), false), "ok");  // without a part of a line
    EXPECT_EQ(folder_.log.count("audit log cannot be written"), 1U);
  }
  EXPECT_TRUE(eventually([&] { return folder_.log.count("audit log is written again") == 1; }));
  EXPECT_FALSE(audit->refuses().has_value());
  add(*audit);
  audit.reset();
  EXPECT_EQ(count("request"), 2);
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_P(AuditLogInEachModeTest, RefusesOnceItIsClosedWhatMustBeOnTheDiskFirst) {
  const auto audit = folder_.opened(with_mode(GetParam()));
  audit->close();
  const bool is_strict = GetParam() == AuditOptions::Mode::strict;
  EXPECT_EQ(audit->refuses(), is_strict ? std::optional<std::string>("the host ends") : std::nullopt);
}

TEST_F(AuditLogTest, InModeAsyncRequestsAreRefusedOnceTooManyLinesWait) {
  auto options = with_mode(AuditOptions::Mode::async);
  options.max_waiting = 4;
  options.checkpoint_time = 5ms;
  auto audit = folder_.opened(options);
  EXPECT_TRUE(eventually([&] { return count("checkpoint") == 1; }));
  {
    const FullDisk full(std::filesystem::file_size(folder_.file));
    add(*audit);
    EXPECT_TRUE(eventually([&] { return audit->trouble().has_value(); }));
    EXPECT_FALSE(audit->refuses().has_value());
    for (int i = 0; i < 3; ++i)
      add(*audit);
    EXPECT_TRUE(audit->refuses().has_value());
    for (int i = 0; i < 5; ++i)
      add(*audit);  // of requests that were under way
    EXPECT_EQ(heard_.at_once, 4);
    EXPECT_TRUE(eventually([&] { return heard_.bad.load() == 5; }));
  }
  EXPECT_TRUE(eventually([&] { return !audit->trouble(); }));
  EXPECT_FALSE(audit->refuses().has_value());
  audit.reset();
  EXPECT_EQ(count("request"), 9);
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_F(AuditLogTest, ManyBytesAreTooManyLines) {
  auto options = with_mode(AuditOptions::Mode::async);
  options.max_waiting_bytes = 1000;
  const auto audit = folder_.opened(options);
  const FullDisk full(std::filesystem::file_size(folder_.file));
  audit->add(AuditEvent("request").add("text", std::string(999, 'a')));
  EXPECT_TRUE(eventually([&] { return audit->refuses().has_value(); }));
}

TEST_P(AuditLogInEachModeTest, CountsLinesThatNobodyWaitsForWhereFarTooManyWait) {
  auto options = with_mode(GetParam());
  options.max_waiting = 4;
  auto audit = folder_.opened(options);
  {
    const FullDisk full(std::filesystem::file_size(folder_.file));
    audit->add(AuditEvent("plugin"));
    EXPECT_TRUE(eventually([&] { return audit->trouble().has_value(); }));
    for (int i = 0; i < 19; ++i)
      audit->add(AuditEvent("plugin"));
    add(*audit);  // which somebody waits for
    EXPECT_TRUE(eventually([&] { return heard_.bad.load() == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return count("left_out") == 1; }));
  EXPECT_EQ(folder_.log.count("audit lines left out"), 1U);
  EXPECT_THAT(folder_.text(), HasSubstr(R"("event":"left_out","count":12,)"));
  audit.reset();
  EXPECT_EQ(count("plugin"), 8);
  EXPECT_EQ(count("request"), 1);
  EXPECT_EQ(folder_.verify(), "ok");
}

// What a disk does that loses what it was given: the sync fails once, and the next one knows of nothing.
std::atomic<int> syncs_to_fail{0};
std::atomic<int> syncs{0};
int failing_sync(int descriptor) {
  // Before it is counted, because a test may say what is to fail as soon as it is.
  const bool fails = syncs_to_fail.load() != 0 && syncs_to_fail.fetch_sub(1) != 0;
  ++syncs;
  if (!fails) return ::fdatasync(descriptor);
  struct ::stat status {};
  ::fstat(descriptor, &status);
  // Zeros in place of the last line, as if its block had never come to the disk.
  const std::string zeros(100, '\0');
  const int writable = ::open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(::pwrite(writable, zeros.data(), zeros.size(), status.st_size - static_cast<off_t>(zeros.size())), 100);
  ::close(writable);
  errno = EIO;
  return -1;
}

// Of the log's thread, whenever it syncs.
std::vector<std::string> synced;  // what is in the file
int kept_sync(int descriptor) {
  struct ::stat status {};
  ::fstat(descriptor, &status);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  EXPECT_EQ(::pread(descriptor, text.data(), text.size(), 0), status.st_size);
  synced.push_back(std::move(text));
  return ::fdatasync(descriptor);
}

std::atomic<int> folder_syncs{0};
int counted_folder_sync(int descriptor) {
  ++folder_syncs;
  return ::fsync(descriptor);
}

constexpr AuditSyncs failing_syncs{failing_sync, counted_folder_sync};

TEST_P(AuditLogInEachModeTest, WritesAnewWhatASyncThatFailedMayHaveLost) {
  auto options = with_mode(GetParam());
  options.checkpoint_time = 5ms;
  auto audit = folder_.opened(options, std::chrono::system_clock::now, failing_syncs);
  EXPECT_TRUE(eventually([&] { return audit->head().seq == 2; }));  // the checkpoint is on the disk
  syncs_to_fail = 3;
  add(*audit, 7);
  EXPECT_TRUE(eventually([&] { return folder_.log.count("audit log is written again") == 1; }));
  EXPECT_EQ(folder_.log.count("audit log cannot be written"), 1U);
  EXPECT_EQ(heard_.bad, GetParam() == AuditOptions::Mode::strict ? 1 : 0);
  EXPECT_EQ(count("request"), 1);
  audit.reset();
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_F(AuditLogTest, IsOnTheDiskWhenTheHostEnds) {
  auto options = with_mode(AuditOptions::Mode::async);
  options.checkpoint_time = 1h;
  options.key.clear();
  synced.clear();
  auto audit = folder_.opened(options, std::chrono::system_clock::now, {.file = kept_sync});
  add(*audit);
  audit.reset();
  // That it ends, when all before that is there.
  ASSERT_EQ(synced.size(), 3U);
  EXPECT_THAT(synced[0], HasSubstr(R"("event":"start")"));
  EXPECT_THAT(synced[1], HasSubstr(R"("event":"request")"));
  EXPECT_THAT(synced[1], Not(HasSubstr(R"("event":"stop")")));
  EXPECT_EQ(synced[2], folder_.text());
  EXPECT_TRUE(folder_.summary().has_end);
}

TEST_P(AuditLogInEachModeTest, HasNoEndWhereTheLinesBeforeItDoNotComeToTheDisk) {
  auto options = with_mode(GetParam());
  options.checkpoint_time = 1h;
  const int before = syncs;
  auto audit = folder_.opened(options, std::chrono::system_clock::now, failing_syncs);
  EXPECT_TRUE(eventually([&] { return syncs == before + 1; }));
  syncs_to_fail = 1'000'000;
  add(*audit);
  audit.reset();
  syncs_to_fail = 0;
  ASSERT_EQ(folder_.verify(folder_.files(), false), "ok");
  EXPECT_EQ(folder_.summary().lines, 1U);
  EXPECT_EQ(folder_.log.count("audit lines lost file=" + folder_.file.string() +
                              " reason=they cannot be written, and the host ends lines=1"),
            1U);
  folder_.opened(options).reset();
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_F(AuditLogTest, HasNoEndThatDoesNotComeToTheDisk) {
  const auto options = with_mode(AuditOptions::Mode::strict);
  auto audit = folder_.opened(options, std::chrono::system_clock::now, failing_syncs);
  add(*audit);
  EXPECT_TRUE(eventually([&] { return heard_.good == 1; }));
  syncs_to_fail = 1;
  audit.reset();
  ASSERT_EQ(folder_.verify(folder_.files(), false), "ok");
  EXPECT_FALSE(folder_.summary().has_end);
  EXPECT_EQ(count("request"), 1);
  EXPECT_EQ(folder_.log.count("audit lines lost"), 1U);
}

TEST_F(AuditLogTest, BringsToTheDiskWhatAHostHasLeftThatWasKilled) {
  auto options = with_mode(AuditOptions::Mode::async);
  options.checkpoint_time = 1h;
  const auto syncs_of_start = [&] {
    const int before = syncs;
    folder_syncs = 0;
    const auto audit = folder_.opened(options, std::chrono::system_clock::now, failing_syncs);
    EXPECT_TRUE(eventually([&] { return audit->head().seq > 0 && syncs > before; }));
    return syncs - before;
  };
  EXPECT_EQ(syncs_of_start(), 1);  // beside the last one, of the end
  EXPECT_EQ(folder_syncs, 1);
  EXPECT_EQ(syncs_of_start(), 1);
  EXPECT_EQ(folder_syncs, 0);
  leave_as_killed();
  EXPECT_EQ(syncs_of_start(), 2);
  EXPECT_EQ(folder_syncs, 1);  // the file may never have been there
}

TEST_F(AuditLogTest, ANewFileComesToTheDiskWithItsFolder) {
  auto options = with_mode(AuditOptions::Mode::strict);
  options.rotate_bytes = 1;
  options.checkpoint_time = 1h;
  folder_syncs = 0;
  const auto audit = folder_.opened(options, std::chrono::system_clock::now, failing_syncs);
  for (int files = 1; files <= 3; ++files) {
    EXPECT_TRUE(eventually([&] { return folder_syncs == files; })) << files;
    add(*audit);
  }
}

TEST_F(AuditLogTest, SaysWhatIsLostWhereItCannotBeWrittenToTheEnd) {
  auto audit = folder_.opened(with_mode(AuditOptions::Mode::async));
  const FullDisk full(std::filesystem::file_size(folder_.file));
  add(*audit);
  audit.reset();
  EXPECT_EQ(folder_.log.count("audit lines lost"), 1U);
}

TEST_F(AuditLogTest, CountsNoLineAsLostThatIsInTheFile) {
  auto options = with_mode(AuditOptions::Mode::async);
  options.checkpoint_time = 1h;
  auto audit = folder_.opened(options);
  add(*audit);
  EXPECT_TRUE(eventually([&] { return count("request") == 1; }));
  const FullDisk full(std::filesystem::file_size(folder_.file));
  add(*audit);
  audit.reset();
  EXPECT_EQ(count("request"), 1);
  EXPECT_EQ(folder_.log.count("audit lines lost file=" + folder_.file.string() +
                              " reason=they cannot be written, and the host ends lines=1"),
            1U);
}

TEST_F(AuditLogTest, BringsToTheDiskWhatItHasWhileTheDiskIsFull) {
  auto options = with_mode(AuditOptions::Mode::async);
  options.checkpoint_time = 300ms;
  options.key.clear();
  const int before = syncs;
  const auto audit = folder_.opened(options, std::chrono::system_clock::now, failing_syncs);
  add(*audit);
  EXPECT_TRUE(eventually([&] { return count("request") == 1; }));
  const FullDisk full(std::filesystem::file_size(folder_.file));
  add(*audit);
  EXPECT_TRUE(eventually([&] { return audit->trouble().has_value(); }));
  EXPECT_TRUE(eventually([&] { return syncs == before + 2; }));
  EXPECT_TRUE(audit->trouble().has_value());
}

TEST_F(AuditLogTest, PutsAFileAsideThatIsLarge) {
  auto options = folder_.options();
  options.rotate_bytes = 2000;
  auto audit = folder_.opened(options);
  for (int i = 0; i < 100; ++i) {
    add(*audit, i);
    EXPECT_TRUE(eventually([&] { return heard_.good == i + 1; }));
  }
  audit.reset();
  const auto files = folder_.files();
  EXPECT_GT(files.size(), 5U);
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_THAT(folder_.text(), HasSubstr(R"("event":"rotated","previous":")"));
  EXPECT_THAT(folder_.verify({files[0], files[2]}), HasSubstr("audit.jsonl.0000"));
  EXPECT_EQ(folder_.verify({files[files.size() - 2], files.back()}), "ok");
  EXPECT_EQ(folder_.summary().first_seq, 1U);
}

TEST_P(AuditLogInEachModeTest, BeginsAnewWhereItsFileHasBeenRemoved) {
  auto audit = folder_.opened(with_mode(GetParam()));
  add(*audit, 1);
  EXPECT_TRUE(eventually([&] { return count("request") == 1; }));
  std::filesystem::remove(folder_.file);
  add(*audit, 2);
  EXPECT_TRUE(eventually([&] { return count("request") == 1; }));
  EXPECT_EQ(folder_.log.count("audit log removed file=" + folder_.file.string()), 1U);
  audit.reset();
  EXPECT_THAT(folder_.lines()[0], HasSubstr(R"("event":"rotated","previous":")"));
  EXPECT_THAT(folder_.lines()[1], HasSubstr(R"("number":2)"));
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_P(AuditLogInEachModeTest, BeginsAnewWhereItsFileHasBeenMoved) {
  auto audit = folder_.opened(with_mode(GetParam()));
  add(*audit, 1);
  EXPECT_TRUE(eventually([&] { return count("request") == 1; }));
  const std::filesystem::path moved = folder_.file.string() + ".1";
  std::filesystem::rename(folder_.file, moved);
  add(*audit, 2);
  EXPECT_TRUE(eventually([&] { return count("request") == 1; }));
  EXPECT_EQ(folder_.log.count("audit log removed file=" + folder_.file.string()), 1U);
  audit.reset();
  EXPECT_THAT(test::AuditFolder::text_of_file(moved), HasSubstr(R"("number":1)"));
  EXPECT_THAT(folder_.lines()[0], HasSubstr(R"("event":"rotated","previous":")"));
  EXPECT_THAT(folder_.lines()[1], HasSubstr(R"("number":2)"));
  EXPECT_EQ(folder_.verify({moved, folder_.file}), "ok");
}

TEST_F(AuditLogTest, CannotBeWrittenWhileAnotherFileHasItsPlaceAndThenLosesNoLine) {
  auto audit = folder_.opened(with_mode(AuditOptions::Mode::strict));
  const std::filesystem::path moved = folder_.file.string() + ".1";
  std::filesystem::rename(folder_.file, moved);
  std::ofstream(folder_.file) << "of another program\n";
  ::chmod(folder_.file.c_str(), 0600);
  add(*audit, 1);
  EXPECT_TRUE(eventually([&] { return heard_.bad == 1; }));
  EXPECT_EQ(audit->refuses(), "it has been removed, and no other begins: another file has its place; move that away");
  std::filesystem::remove(folder_.file);
  EXPECT_TRUE(eventually([&] { return !audit->refuses(); }));
  audit.reset();
  EXPECT_THAT(test::AuditFolder::text_of_file(moved), HasSubstr(R"("number":1)"));
  EXPECT_EQ(folder_.verify({moved, folder_.file}), "ok");
}

TEST_F(AuditLogTest, CannotBeWrittenWhereItsFolderHasBeenRemoved) {
  const auto audit = folder_.opened(with_mode(AuditOptions::Mode::strict));
  const auto folder = folder_.file.parent_path();
  std::filesystem::remove_all(folder);
  add(*audit);
  EXPECT_TRUE(eventually([&] { return heard_.bad == 1; }));
  EXPECT_THAT(audit->refuses().value_or(""),
              StartsWith("it has been removed, and no other begins: cannot be written: "));
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(eventually([&] { return !audit->refuses(); }));
  EXPECT_THAT(folder_.text(), HasSubstr("rotated"));
}

TEST_F(AuditLogTest, KeepsAsManyFilesAsItIsToldTo) {
  auto options = folder_.options();
  options.rotate_bytes = 2000;
  options.keep = 2;
  auto audit = folder_.opened(options);
  for (int i = 0; i < 100; ++i) {
    add(*audit, i);
    EXPECT_TRUE(eventually([&] { return heard_.good == i + 1; }));
  }
  audit.reset();
  EXPECT_EQ(folder_.files().size(), 3U);
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_GT(folder_.summary().first_seq, 1U);
}

TEST_F(AuditLogTest, PutsAFileAsideThatIsOld) {
  auto options = folder_.options();
  options.rotate_time = 3600s;
  std::atomic<std::chrono::system_clock::duration> now{1'785'240'000s};
  const auto clock = [&] { return std::chrono::system_clock::time_point(now.load()); };
  auto audit = folder_.opened(options, clock);
  add(*audit);
  EXPECT_TRUE(eventually([&] { return heard_.good == 1; }));
  EXPECT_EQ(folder_.files().size(), 1U);
  audit.reset();
  audit = folder_.opened(options, clock);  // which does not make the file younger
  now = 1'785'240'000s + 3600s;
  add(*audit);
  EXPECT_TRUE(eventually([&] { return folder_.files().size() == 2; }));
  audit.reset();
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_F(AuditLogTest, GoesOnAfterADeathBetweenTwoFiles) {
  add(*folder_.opened(folder_.options()));
  std::filesystem::rename(folder_.file, folder_.file.string() + ".000000000001");
  add(*folder_.opened(folder_.options()));
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_EQ(folder_.files().size(), 2U);
  EXPECT_EQ(folder_.summary().lines, 8U);
}

TEST_F(AuditLogTest, MovesAPartOfALineAwayAndSaysSo) {
  add(*folder_.opened(folder_.options()));
  const std::string torn = R"({"seq":5,"time":"2026-07-28T12:00)";
  std::ofstream(folder_.file, std::ios::app) << torn;
  EXPECT_THAT(folder_.verify(), HasSubstr("audit.jsonl:5: it is cut off"));
  add(*folder_.opened(folder_.options()));
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_THAT(folder_.lines().at(4),
              HasSubstr(R"("truncated_bytes":33,"truncated_to":"torn-000000000005.audit.jsonl")"));
  EXPECT_EQ(test::AuditFolder::text_of_file(folder_.file.parent_path() / "torn-000000000005.audit.jsonl"), torn);
}

TEST_F(AuditLogTest, KeepsEachPartOfTheSameLine) {
  add(*folder_.opened(folder_.options()));
  const auto whole = folder_.text();
  for (const std::string torn : {"first", "second", "third"}) {
    // As a loss of power leaves it that takes what was written since.
    std::ofstream(folder_.file) << whole << torn;
    add(*folder_.opened(folder_.options()));
    EXPECT_THAT(folder_.text(), HasSubstr("\"truncated_bytes\":" + std::to_string(torn.size()) + ","));
  }
  EXPECT_THAT(folder_.text(), HasSubstr(R"("truncated_to":"torn-000000000005-3.audit.jsonl")"));
  const auto kept = [&](const std::string& name) {
    return test::AuditFolder::text_of_file(folder_.file.parent_path() / name);
  };
  EXPECT_EQ(kept("torn-000000000005.audit.jsonl"), "first");
  EXPECT_EQ(kept("torn-000000000005-2.audit.jsonl"), "second");
  EXPECT_EQ(kept("torn-000000000005-3.audit.jsonl"), "third");
}

TEST_F(AuditLogTest, LeavesNoPieceOfAPartThatCannotBeMovedAway) {
  folder_.opened(folder_.options()).reset();
  std::ofstream(folder_.file, std::ios::app) << "torn";
  {
    const FullDisk full(2);
    EXPECT_TRUE(folder_.open(folder_.options()).has_error());
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file.parent_path() / "torn-000000000004.audit.jsonl"));
  folder_.opened(folder_.options()).reset();
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_F(AuditLogTest, MovesAwayAlsoTheOnlyLineThatThereIs) {
  std::ofstream(folder_.file) << "{\"se";
  ::chmod(folder_.file.c_str(), 0600);
  add(*folder_.opened(folder_.options()));
  EXPECT_EQ(folder_.verify(), "ok");
  EXPECT_EQ(folder_.summary().first_seq, 1U);
}

TEST_F(AuditLogTest, DoesNotGoOnAfterALineThatIsWrong) {
  add(*folder_.opened(folder_.options()));
  auto text = folder_.text();
  text[text.rfind("checkpoint")] = 'C';
  std::ofstream(folder_.file) << text;
  const auto audit = folder_.open(folder_.options());
  ASSERT_TRUE(audit.has_error());
  EXPECT_THAT(audit.error().message, HasSubstr("whose hash does not follow"));
}

TEST_F(AuditLogTest, IsWrittenByOneHost) {
  const auto audit = folder_.opened(folder_.options());
  const auto second = folder_.open(folder_.options());
  ASSERT_TRUE(second.has_error());
  EXPECT_THAT(second.error().message, HasSubstr("another host writes it"));
}

TEST_F(AuditLogTest, IsLockedByARegularFileOnly) {
  const auto lock = folder_.file.parent_path() / ".audit.jsonl.lock";
  ASSERT_EQ(::mkfifo(lock.c_str(), 0600), 0);
  const auto audit = folder_.open(folder_.options());
  ASSERT_TRUE(audit.has_error());
  EXPECT_THAT(audit.error().message,
              HasSubstr("cannot be locked by " + lock.string() + ": it is not a regular file; remove it"));
}

// Who has a lease is signalled, and has the time that the system gives: 45 s as a rule.
TEST_F(AuditLogTest, WaitsForNobodyWhoHasALeaseOfTheFileThatLocksIt) {
  folder_.opened(folder_.options()).reset();
  const auto lock = open_to_read(folder_.file.parent_path() / ".audit.jsonl.lock");
  if (::fcntl(lock.get(), F_SETSIG, SIGURG) != 0 || ::fcntl(lock.get(), F_SETLEASE, F_RDLCK) != 0)
    GTEST_SKIP() << "no leases here: " << last_error();
  const auto audit = folder_.open(folder_.options());
  ASSERT_TRUE(audit.has_error());
  EXPECT_THAT(audit.error().message, HasSubstr("another program has a lease of it; end that one"));
}

TEST_F(AuditLogTest, IsNobodyElses) {
  folder_.opened(folder_.options()).reset();
  ::chmod(folder_.file.c_str(), 0644);
  EXPECT_TRUE(folder_.open(folder_.options()).has_error());
  ::chmod(folder_.file.c_str(), 0600);
  ::chmod(folder_.key.c_str(), 0644);
  const auto audit = folder_.open(folder_.options());
  ASSERT_TRUE(audit.has_error());
  EXPECT_THAT(audit.error().message, HasSubstr("everybody may read it"));
}

TEST_F(AuditLogTest, SumsUpRefusalsByTheMinute) {
  auto options = folder_.options();
  options.checkpoint_time = 1h;
  std::atomic<std::chrono::system_clock::duration> now{1'785'240'000s};
  std::atomic<int> asked{0};
  const auto clock = [&] {
    ++asked;
    return std::chrono::system_clock::time_point(now.load());
  };
  auto audit = folder_.opened(options, clock);
  for (int i = 0; i < 1000; ++i)
    audit->add({.source = "10.0.0.1", .outcome = "http 401"});
  EXPECT_EQ(count("refused"), 0);
  // Beside those of this thread: the log's own has looked at the clock, and sleeps until the minute is over.
  EXPECT_TRUE(eventually([&] { return asked > 1001; }));
  now = 1'785'240'000s + 60s;
  add(*audit);
  EXPECT_TRUE(eventually([&] { return count("refused") == 1; }));
  EXPECT_THAT(folder_.text(), HasSubstr(R"("time":"2026-07-28T12:01:00.000Z","event":"refused","source":"10.0.0.1",)"
                                        R"("minute":"2026-07-28T12:00:00.000Z","count":1000,)"));
  audit->add({.source = "10.0.0.1", .outcome = "http 401"});
  audit.reset();
  EXPECT_EQ(count("refused"), 2);
  EXPECT_THAT(folder_.text(), HasSubstr(R"("count":1000,"outcomes":{"http 401":1000})"));
}

std::atomic<bool> disk_hangs{false};
int hanging_sync(int descriptor) {
  disk_hangs.wait(true);
  return ::fdatasync(descriptor);
}

TEST_F(AuditLogTest, LogsAHeadThatIsOnTheDisk) {
  auto options = folder_.options();
  options.checkpoint_time = 1h;
  disk_hangs = true;
  const auto audit = folder_.opened(options, std::chrono::system_clock::now, {.file = hanging_sync});
  EXPECT_EQ(count("start"), 1);
  EXPECT_EQ(folder_.log.count("audit log open"), 0U);
  disk_hangs = false;
  disk_hangs.notify_all();
  EXPECT_TRUE(eventually([&] { return folder_.log.count("audit log open") == 1; }));
  const auto head = to_text(folder_.summary().head);
  EXPECT_EQ(folder_.log.count("audit log open file=" + folder_.file.string() + " head=" + head), 1U);
}

TEST_F(AuditLogTest, GoesOnWhereThereIsNoMemoryForWhatHasWaited) {
  auto audit = folder_.opened(with_mode(AuditOptions::Mode::strict));
  const auto forgetful = []() -> AuditLog::Then { return [](const Result<>&) { throw std::bad_alloc(); }; };
  EXPECT_FALSE(audit->add(AuditEvent("request"), forgetful));
  add(*audit);
  EXPECT_TRUE(eventually([&] { return heard_.good == 1; }));
  audit.reset();
  EXPECT_EQ(count("request"), 2);
  EXPECT_EQ(folder_.verify(), "ok");
}

// A clock that finds no memory so many times, when the log's own thread asks it.
class ForgetfulClock {
 public:
  AuditLog::Clock clock() {
    return [this, of_test = std::this_thread::get_id()] {
      if (std::this_thread::get_id() != of_test && times.load() > 0 && times.fetch_sub(1) > 0) throw std::bad_alloc();
      return std::chrono::system_clock::now();
    };
  }

  std::atomic<int> times{0};
};

TEST_P(AuditLogInEachModeTest, LosesNoLineWhereThereIsNoMemoryForAWhile) {
  ForgetfulClock forgetful;
  auto audit = folder_.opened(with_mode(GetParam()), forgetful.clock());
  EXPECT_TRUE(eventually([&] { return folder_.log.count("audit log open") == 1; }));
  forgetful.times = 3;
  add(*audit, 1);
  EXPECT_TRUE(eventually([&] { return folder_.log.count("audit log is written again") == 1; }));
  EXPECT_EQ(folder_.log.count("audit log cannot be written file=" + folder_.file.string() + " reason=no memory left"),
            1U);
  EXPECT_EQ(heard_.bad, GetParam() == AuditOptions::Mode::strict ? 1 : 0);
  EXPECT_FALSE(audit->refuses().has_value());
  add(*audit, 2);
  audit.reset();
  EXPECT_EQ(count("request"), 2);
  EXPECT_TRUE(folder_.summary().has_end);
  EXPECT_EQ(folder_.verify(), "ok");
}

// Of two batches the first has been taken when there is none, and the second waits behind it.
TEST_P(AuditLogInEachModeTest, WritesAtTheEndAlsoWhatWaitsBehindWhatFoundNoMemory) {
  ForgetfulClock forgetful;
  auto audit = folder_.opened(with_mode(GetParam()), forgetful.clock());
  EXPECT_TRUE(eventually([&] { return folder_.log.count("audit log open") == 1; }));
  forgetful.times = 1'000'000;
  add(*audit, 1);
  EXPECT_TRUE(eventually([&] { return audit->trouble().has_value(); }));
  add(*audit, 2);
  forgetful.times = 0;
  audit.reset();
  EXPECT_EQ(count("request"), 2);
  EXPECT_TRUE(folder_.summary().has_end);
  EXPECT_EQ(folder_.verify(), "ok");
}

TEST_F(AuditLogTest, SaysWhatIsLostWhereThereIsNoMemoryToTheEnd) {
  ForgetfulClock forgetful;
  auto audit = folder_.opened(with_mode(AuditOptions::Mode::strict), forgetful.clock());
  EXPECT_TRUE(eventually([&] { return folder_.log.count("audit log open") == 1; }));
  forgetful.times = 1'000'000;
  add(*audit);
  EXPECT_TRUE(eventually([&] { return heard_.bad == 1; }));
  EXPECT_EQ(audit->refuses(), "no memory left");
  add(*audit);  // which waits behind that
  audit.reset();
  EXPECT_EQ(folder_.log.count("audit lines lost file=" + folder_.file.string() +
                              " reason=they cannot be written, and the host ends lines=2"),
            1U);
  EXPECT_EQ(folder_.verify(folder_.files(), false), "ok");
  EXPECT_FALSE(folder_.summary().has_end);
}

TEST_F(AuditLogTest, TellsItsHead) {
  auto audit = folder_.opened(folder_.options());
  add(*audit);
  EXPECT_TRUE(eventually([&] { return audit->head().seq == 2; }));
  const auto head = audit->head();
  audit.reset();
  EXPECT_EQ(folder_.verify(folder_.files(), true, head), "ok");
}

}  // namespace
}  // namespace mcph
