// Where a command writes its answer: standard output, which plugins in this process have, too. One for the process,
// used by the thread of the command.
#pragma once

#include <ostream>

namespace mcph {

std::ostream& own_output();
// Where that goes.
int own_output_descriptor();
// Writes what has been printed. 0, or the system's error for which some of it cannot be written, which is told once.
int write_printed();

// From now on what plugins print goes to standard error, and the answer alone to standard output. Once, before any is
// loaded.
void keep_output_from_plugins();

}  // namespace mcph
