#include "dashboard/page_news.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/recording_log.hpp"

namespace mcph {
namespace {

class PageNewsTest : public ::testing::Test {
 protected:
  Json next() {
    const auto text = news_.next();
    auto news = text.empty() ? Json() : Json::parse(text);
    // They come once a second, whatever else there is.
    if (news.is_object() && !news.contains("reset")) news.erase("figures");
    return news.empty() ? Json() : news;
  }

  OrderedJson status_ = {{"ok", true},
                         {"host", {{"version", "1"}, {"upSeconds", 1}}},
                         {"plugins", {{{"file", "/a.so"}, {"state", "serving"}, {"calls", 0}}}}};
  RecentCalls calls_{10};
  test::RecordingLog below_{Log::Level::info};
  WatchedLog log_{below_};
  SharedStatus shared_{[this] { return status_; }, std::chrono::milliseconds(0)};
  const PageNews::Sources sources_{.status = shared_,
                                   .figures =
                                       [] {
                                         return OrderedJson{{"sessions", 1}};
                                       },
                                   .calls = calls_,
                                   .log = log_};
  PageNews news_{sources_, {{"name", "operator"}}, true};
};

TEST_F(PageNewsTest, TellsEverythingAtFirst) {
  log_.info("serving");
  const auto first = next();
  EXPECT_EQ(first["reset"], true);
  EXPECT_EQ(first["login"]["name"], "operator");
  EXPECT_EQ(first["order"], Json({"/a.so"}));
  EXPECT_EQ(first["rows"]["/a.so"]["state"], "serving");
  EXPECT_EQ(first["status"]["host"]["upSeconds"], 1);
  EXPECT_EQ(first["figures"]["sessions"], 1);
  EXPECT_EQ(first["log"][0]["event"], "serving");
}

TEST_F(PageNewsTest, TellsThenWhatHasChanged) {
  next();
  status_["host"]["upSeconds"] = 2;  // the page counts on by itself
  EXPECT_EQ(next(), Json());
  status_["plugins"][0]["calls"] = 1;
  EXPECT_EQ(next(), Json({{"rows", {{"/a.so", {{"file", "/a.so"}, {"state", "serving"}, {"calls", 1}}}}}}));
  status_["ok"] = false;
  EXPECT_EQ(next()["status"]["ok"], false);
}

TEST_F(PageNewsTest, TellsWhatHasComeAndGone) {
  next();
  status_["plugins"].push_back({{"file", "/a.so"}, {"state", "draining"}, {"digest", "d"}});
  EXPECT_EQ(next()["order"], Json({"/a.so", "/a.so#d"}));
  status_["plugins"] = OrderedJson::array();
  EXPECT_EQ(next(), Json({{"order", Json::array()}}));
}

TEST_F(PageNewsTest, SaysHowMuchItLeavesOut) {
  next();
  for (std::size_t i = 0; i < PageNews::max_lines + 7; ++i)
    log_.info("line");
  const auto news = next();
  EXPECT_EQ(news["log"].size(), PageNews::max_lines);
  EXPECT_EQ(news["logLeftOut"], 7);
}

}  // namespace
}  // namespace mcph
