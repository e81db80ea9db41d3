// What a process can give up of itself, for good. Each says whether it worked.
#pragma once

namespace mcph {

// Neither a program that it starts nor one that it becomes has more privileges than it has now.
bool refuse_new_privileges();

// All capabilities, which do not come back where new privileges are refused: as root it then is a user like any other,
// who owns root's files.
bool drop_capabilities();

}  // namespace mcph
