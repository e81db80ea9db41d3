// What one page that looks at the host is to be told next: everything at first, then what has changed since, put
// together as it is when the page is told, so that a busy host says no more than a quiet one. Owned by the stream that
// carries it; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dashboard/recent_calls.hpp"
#include "dashboard/shared_status.hpp"
#include "telemetry/watched_log.hpp"

namespace mcph {

class PageNews {
 public:
  // Of one look; what is beyond is left out, and counted.
  static constexpr std::size_t max_calls = 50;
  static constexpr std::size_t first_calls = 1000;  // of the first look
  static constexpr std::size_t max_lines = 100;
  // Between looks at what is dear to find out. By them a page also knows that the host is there.
  static constexpr std::chrono::milliseconds between_figures{1000};

  struct Sources {
    SharedStatus& status;
    std::function<nlohmann::ordered_json()> figures;  // of the host as a whole; an object
    const RecentCalls& calls;
    const WatchedLog& log;
  };

  // The sources outlive it. `login` is what the page is told of whoever looks at it. What is said in calls, which lines
  // of the level trace have, is for those who may operate.
  PageNews(const Sources& sources, const nlohmann::ordered_json& login, bool may_operate);

  // A JSON object; empty: there is nothing new.
  std::string next();

 private:
  void add_status(std::string& news);
  void add_plugins(const StatusTexts& status, std::string& news) const;
  void add_figures(std::string& news);
  void add_calls(std::string& news);
  void add_log_lines(std::string& news);

  const Sources& sources_;
  const std::string login_;
  const bool may_operate_;
  std::shared_ptr<const StatusTexts> told_;  // null: nothing yet
  std::chrono::steady_clock::time_point figures_due_{};
  std::uint64_t seen_calls_ = 0;
  std::uint64_t seen_lines_ = 0;
  bool has_begun_ = false;
};

}  // namespace mcph
