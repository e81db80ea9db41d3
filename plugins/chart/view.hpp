// The page that shows a chart in clients that have apps: view/*, put together by the build.
#pragma once

#include <string_view>

namespace plugins::chart {

std::string_view view();

}  // namespace plugins::chart
