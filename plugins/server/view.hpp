// The page that shows the result of host_status, as one text. A constant.
#pragma once

#include <string_view>

namespace plugins::server {

std::string_view view();

}  // namespace plugins::server
