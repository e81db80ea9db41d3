#include "traces/span_exporter.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/eventually.hpp"
#include "support/recording_log.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

// A collector that says what a test wants, or nothing.
class Collector final : public HttpCaller {
 public:
  void send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) override {
    Result<HttpAnswer> answer = HttpAnswer{200, "{}"};
    {
      const MutexLock lock(mutex_);
      bodies_.push_back(std::move(call.body));
      if (silent_) {
        unanswered_ = std::move(done);
        return;
      }
      if (!answers_.empty()) {
        answer = answers_.front();
        answers_.erase(answers_.begin());
      }
    }
    done(std::move(answer));
  }
  void answer(std::vector<Result<HttpAnswer>> answers) {
    const MutexLock lock(mutex_);
    answers_ = std::move(answers);
  }
  void fall_silent() {
    const MutexLock lock(mutex_);
    silent_ = true;
  }
  std::vector<std::string> bodies() {
    const MutexLock lock(mutex_);
    return bodies_;
  }

 private:
  Mutex mutex_;
  std::vector<Result<HttpAnswer>> answers_ GUARDED_BY(mutex_);
  std::vector<std::string> bodies_ GUARDED_BY(mutex_);
  bool silent_ GUARDED_BY(mutex_) = false;
  std::function<void(Result<HttpAnswer>)> unanswered_ GUARDED_BY(mutex_);
};

class SpanExporterTest : public ::testing::Test {
 protected:
  SpanExporter& exporter(std::chrono::milliseconds batch_time = 0ms, std::chrono::milliseconds lifetime = 60s,
                         std::chrono::milliseconds first_pause = 1ms) {
    exporter_ = std::make_unique<SpanExporter>(SpanExporter::Options{.collector = {.authority = "collector"},
                                                                     .service_name = "host",
                                                                     .service_version = "1.0",
                                                                     .batch_time = batch_time,
                                                                     .first_pause = first_pause,
                                                                     .batch_lifetime = lifetime},
                                               log_);
    return *exporter_;
  }
  static std::vector<std::string> names_in(const std::string& body) {
    std::vector<std::string> names;
    const auto json = Json::parse(body);
    for (const auto& span : json["resourceSpans"][0]["scopeSpans"][0]["spans"])
      names.push_back(span["name"]);
    return names;
  }

  test::RecordingLog log_;
  Collector collector_;
  std::unique_ptr<SpanExporter> exporter_;
};

TEST_F(SpanExporterTest, SendsTheLastBatchBeforeItsEnd) {
  auto& exporter = this->exporter(1h);
  exporter.run(collector_);
  exporter.add(R"({"name":"a"})");
  exporter.add(R"({"name":"b"})");
  exporter.stop(test::patience);
  ASSERT_EQ(collector_.bodies().size(), 1U);
  EXPECT_EQ(names_in(collector_.bodies()[0]), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(exporter.figures().sent, 2U);
  exporter.add(R"({"name":"late"})");
  EXPECT_EQ(exporter.figures().dropped, 1U);
}

TEST_F(SpanExporterTest, DropsWhatHasNoRoomWhileTheCollectorIsSilent) {
  collector_.fall_silent();
  auto& exporter = this->exporter();
  exporter.run(collector_);
  const auto span = R"({"name":")" + std::string(1000, 'a') + R"("})";
  constexpr std::size_t count = 10'000;
  for (std::size_t i = 0; i < count; ++i)
    exporter.add(span);
  const auto figures = exporter.figures();
  EXPECT_LE(figures.queued_bytes, SpanExporter::max_queue_bytes);
  EXPECT_GT(figures.dropped, count / 2);
  exporter.stop(0ms);
  EXPECT_LE(collector_.bodies().size(), 1U) << "one at a time";
}

TEST_F(SpanExporterTest, TriesAgainWhatALaterAttemptMayChange) {
  collector_.answer({HttpAnswer{503, {}}, fail_for_now("nobody is there"), HttpAnswer{429, {}}});
  auto& exporter = this->exporter();
  exporter.run(collector_);
  exporter.add(R"({"name":"a"})");
  ASSERT_TRUE(test::eventually([&] { return exporter.figures().sent == 1; }));
  const auto bodies = collector_.bodies();
  ASSERT_EQ(bodies.size(), 4U);
  EXPECT_EQ(bodies[0], bodies[3]);
  EXPECT_EQ(exporter.figures().failed_requests, 3U);
  exporter.stop(1s);
}

TEST_F(SpanExporterTest, TriesOnceMoreAtItsEndWhatWaitsForItsNextAttempt) {
  for (const auto last : {200U, 503U}) {
    collector_.answer({HttpAnswer{503, {}}, HttpAnswer{last, {}}});
    auto& exporter = this->exporter(0ms, 2h, 1h);
    exporter.run(collector_);
    exporter.add(R"({"name":"a"})");
    ASSERT_TRUE(test::eventually([&] { return exporter.figures().failed_requests == 1; }));
    exporter.stop(test::patience);
    EXPECT_EQ(exporter.figures().sent, last == 200 ? 1U : 0U);
    EXPECT_EQ(exporter.figures().dropped, last == 200 ? 0U : 1U);
  }
  EXPECT_EQ(collector_.bodies().size(), 4U);
}

TEST_F(SpanExporterTest, DropsWhatTheCollectorRefuses) {
  collector_.answer({HttpAnswer{400, {}}, HttpAnswer{200, R"({"partialSuccess":{"rejectedSpans":"1"}})"}});
  auto& exporter = this->exporter();
  exporter.run(collector_);
  exporter.add(R"({"name":"a"})");
  ASSERT_TRUE(test::eventually([&] { return exporter.figures().dropped == 1; }));
  exporter.add(R"({"name":"b"})");
  ASSERT_TRUE(test::eventually([&] { return exporter.figures().dropped == 2; }));
  EXPECT_EQ(exporter.figures().sent, 0U);
  EXPECT_EQ(collector_.bodies().size(), 2U);
  exporter.stop(1s);
}

TEST_F(SpanExporterTest, GivesABatchUpAfterItsTime) {
  collector_.answer(std::vector<Result<HttpAnswer>>(100, HttpAnswer{503, {}}));
  auto& exporter = this->exporter(0ms, 0ms);
  exporter.run(collector_);
  exporter.add(R"({"name":"a"})");
  EXPECT_TRUE(test::eventually([&] { return exporter.figures().dropped == 1; }));
  exporter.stop(1s);
}

TEST(ReadHeaderFileTest, ReadsALineAHeaderAndSaysNothingOfWhatItIs) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "headers";
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return read_header_file(file);
  };
  const auto fields = read("X-Key: s3cret\r\n\nX-Tenant:team\n");
  ASSERT_TRUE(fields.has_value()) << fields.error().message;
  EXPECT_EQ(*fields, (HeaderFile{{"X-Key", "s3cret"}, {"X-Tenant", "team"}}));
  for (const auto* const wrong : {"X-Key s3cret\n", "X Key: s3cret\n", "X-Key:\n", "X-Key: s3cret\x01\n", "\n"}) {
    const auto refused = read(wrong);
    ASSERT_TRUE(refused.has_error()) << wrong;
    EXPECT_THAT(refused.error().message, ::testing::Not(::testing::HasSubstr("s3cret")));
  }
  std::filesystem::permissions(file, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  EXPECT_TRUE(read_header_file(file).has_error());
}

}  // namespace
}  // namespace mcph
