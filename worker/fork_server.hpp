// The fork server (plugin/isolated/fork_server.hpp) on its own side: this program, before it has a plugin.
#pragma once

#include <span>

namespace mcph {

// Returns in each worker that is forked, with the descriptors and signals of one that has just been started, and the
// plugin's name in `name`, where people who list processes see it. The fork server itself ends with its host. While the
// process has one thread.
void fork_workers(int socket, std::span<char> name);

}  // namespace mcph
