// What one page that looks at the host is to be told next: everything at first, then what has changed since, put
// together as it is when the page is told, so that a busy host says no more than a quiet one. Owned by the stream that
// carries it; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/json_text.hpp"
#include "dashboard/recent_calls.hpp"
#include "dashboard/recent_log.hpp"

namespace mcph {

class PageNews {
 public:
  // Of one look; what is beyond is left out, and counted.
  static constexpr std::size_t max_calls = 50;
  static constexpr std::size_t max_lines = 100;
  // Between looks at what is dear to find out.
  static constexpr std::chrono::milliseconds between_figures{1000};

  struct Sources {
    std::function<nlohmann::ordered_json()> status;   // as the operator is told it
    std::function<nlohmann::ordered_json()> figures;  // of the host as a whole; an object
    const RecentCalls& calls;
    const RecentLog& log;
  };

  // The sources outlive it. `login` is what the page is told of whoever looks at it.
  PageNews(const Sources& sources, const nlohmann::ordered_json& login);

  // A JSON object; empty: there is nothing new.
  std::string next();

 private:
  void add_status(nlohmann::ordered_json& news);
  void add_plugins(const nlohmann::ordered_json& plugins, nlohmann::ordered_json& news);
  void add_figures(nlohmann::ordered_json& news);
  std::string calls();
  std::string log_lines();

  const Sources& sources_;
  std::string login_;  // empty: it has been told
  std::string told_status_;
  std::string told_order_;
  std::map<std::string, std::string> told_plugins_;  // by key
  std::chrono::steady_clock::time_point figures_due_{};
  std::uint64_t seen_calls_ = 0;
  std::uint64_t seen_lines_ = 0;
  bool has_begun_ = false;
};

}  // namespace mcph
