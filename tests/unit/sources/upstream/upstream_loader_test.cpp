#include "sources/upstream/upstream_loader.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/event_loops.hpp"
#include "sources/upstream/upstream_http.hpp"
#include "support/eventually.hpp"
#include "support/recording_log.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_workers.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

// A server that is there and says nothing.
class MuteServer final : public UpstreamTransport {
 public:
  Result<> begin(std::weak_ptr<UpstreamListener> /*listener*/, std::chrono::milliseconds /*patience*/) override {
    return is_away ? Result<>(fail_for_now("nobody is there")) : Result<>();
  }
  Result<> send(UpstreamMessage /*message*/) override {
    is_asked = true;
    return {};
  }
  void abandon(std::string_view /*id*/) override {}
  void close() override { is_closed = true; }

  std::atomic<bool> is_away = false;
  std::atomic<bool> is_asked = false;
  std::atomic<bool> is_closed = false;
};

class UpstreamLoaderTest : public ::testing::Test {
 protected:
  Result<LoadedPlugin> load() { return loader_.load_version({.file = file_}, {}); }

  const std::filesystem::path file_ = "/components/tools/mute.mcp.json";
  const test::TemporaryFolder temporary_;
  EventLoops loops_{1, 4};
  std::vector<std::shared_ptr<UpstreamHttp>> before_;  // of each connection, and what it has made
  std::vector<std::shared_ptr<UpstreamHttp>> made_;
  test::RecordingLog log_;
  test::TestWorkers workers_;
  Reaper reaper_{10s, log_};
  std::shared_ptr<MuteServer> server_ = std::make_shared<MuteServer>();  // null: there is no memory for it
  UpstreamLoader loader_{{.data_root = temporary_.path(),
                          .components = "/components",
                          .configured = {{file_, R"({"url": "http://127.0.0.1:1/mcp", "connectMs": 3600000})"}}},
                         [this](const HttpUpstreamSettings& settings,
                                std::shared_ptr<UpstreamHttp>& http) -> Result<std::shared_ptr<UpstreamTransport>> {
                           if (server_ == nullptr) throw std::bad_alloc();
                           before_.push_back(http);
                           http = std::make_shared<UpstreamHttp>(settings, loops_, http.get());
                           made_.push_back(http);
                           return {server_};
                         },
                         workers_.threads,
                         workers_.workers,
                         reaper_,
                         log_};
};

TEST_F(UpstreamLoaderTest, WaitsForNoServerOnceItIsStopped) {
  auto loading = std::async(std::launch::async, [this] { return load(); });
  EXPECT_TRUE(test::eventually([this] { return server_->is_asked.load(); }));
  loader_.stop();
  const auto loaded = loading.get();
  ASSERT_TRUE(loaded.has_error());
  EXPECT_EQ(loaded.error().message, "it is being stopped");
  EXPECT_TRUE(loaded.error().may_pass());
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  EXPECT_TRUE(server_->is_closed);
  EXPECT_EQ(load().error().message, "it is being stopped");
}

// So that the token of the one before is good for the next one.
TEST_F(UpstreamLoaderTest, GoesOnWithTheHttpOfTheAttemptBefore) {
  server_->is_away = true;
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(load().has_error());
  ASSERT_EQ(before_.size(), 2U);
  EXPECT_EQ(before_[0], nullptr);
  EXPECT_EQ(before_[1], made_[0]);
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
}

TEST_F(UpstreamLoaderTest, SaysThatThereIsNoMemory) {
  server_ = nullptr;
  const auto loaded = load();
  ASSERT_TRUE(loaded.has_error());
  EXPECT_EQ(loaded.error().message, "this host cannot keep it connected now: std::bad_alloc");
  EXPECT_TRUE(loaded.error().may_pass());
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
}

}  // namespace
}  // namespace mcph
