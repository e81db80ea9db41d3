// The program's whole work, from its command line to the status with which it exits. One thread calls it, once.
#pragma once

namespace mcph {

// Parses the command line and runs what it asks for. Throws what neither can do anything about: no threads, no memory.
int run_program(int argc, char** argv);

}  // namespace mcph
