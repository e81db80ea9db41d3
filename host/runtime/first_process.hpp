// What the first process of a system or of a container owes it: processes whose parents have ended become its children,
// and stay as zombies until it waits for them. A free function; while there is one thread.
#pragma once

namespace mcph {

// Where this process is the first one, it stays to wait for whoever ends, hands its signals on, and ends as the program
// does, which goes on in a child: the function returns there. Elsewhere it returns at once.
void leave_orphans_to_first_process();

}  // namespace mcph
