// The files of the page, as they have been made from page/ when the program was built (EmbedPage.cmake). Static; any
// thread.
#pragma once

#include <span>
#include <string_view>

namespace mcph {

struct DashboardAsset {
  std::string_view path;  // at which it is found
  std::string_view content_type;
  std::string_view bytes;  // compressed by gzip, which every browser takes
};

extern const std::span<const DashboardAsset> dashboard_assets;

// Where what an MCP App shows is shown: a page that may do nothing but run what it is given.
inline constexpr std::string_view dashboard_frame_path = "/frame";

}  // namespace mcph
