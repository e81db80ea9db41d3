// The settings of how connections are made, and of what they show of clients. Free functions; any thread.
#pragma once

#include "config/config.hpp"

namespace mcph {

Form<Config> tls_table();
Form<Config> proxy_table();

}  // namespace mcph
