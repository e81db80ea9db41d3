// Where the threads of a process were, as the process has told it, and as people read it. Values; one thread at a time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/isolated/symbolizer.hpp"

namespace mcph {

struct StackTrace {
  std::string title;
  std::vector<std::string> lines;  // innermost first, each FILE+OFFSET FUNCTION, or an address alone
};

// What is told of one or more of them.
struct ReadableStacks {
  std::string place;               // "notes.cpp:182 in add_note": the plugin's own code, of one trace; empty: unknown
  bool has_line = false;           // else the place is "notes.so+0x6bc0 add_note"
  std::vector<std::string> lines;  // of all of them, each after its title
  std::string build_id;            // of the plugin's library; empty: unknown
};

// A path of a library that the traces have, and the name that people know it by.
struct TracedLibrary {
  std::string path;
  std::string name;
};

// What to ask a symbolizer that is given the library. In the order in which readable() takes the answers.
std::vector<std::string> places_in(const std::vector<StackTrace>& traces, const TracedLibrary& library);

// Without the frames below the plugin's own, which are the host's and the system's. `symbols` are of the places above,
// or of none.
ReadableStacks readable(const std::vector<StackTrace>& traces, const TracedLibrary& library, const Symbols& symbols);

// "add_note(int) at notes.cpp:182"; empty where the line is not known.
std::string words_for(const SourceFrame& frame);

}  // namespace mcph
