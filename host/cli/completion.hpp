// Which words may come next on a command line of this program, by its own options. Values and a free function; one
// thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mcph {

struct Candidate {
  std::string text;
  std::string description = {};
};

// What only a running host, the components folder or the shell knows.
enum class Names { none, files, plugins, components, tools, resources, prompts, completed, upstreams };

struct Completion {
  std::string begin = {};  // of the word that is typed, "--option=" perhaps, which candidates do not repeat
  std::string typed = {};  // the rest of that word
  std::vector<Candidate> candidates = {};           // that the options tell
  Names names = Names::none;                        // which are candidates, too
  std::map<std::string, std::string> options = {};  // that have been given before, with their values
  std::vector<std::string> arguments = {};          // likewise, without options
};

// `words` are those behind the program's name, up to the one that is typed, which may be empty. `prepare` is called for
// each command that they name, before its options are looked at.
Completion complete_words(const CLI::App& app, const std::vector<std::string>& words,
                          const std::function<void(const CLI::App&)>& prepare);

}  // namespace mcph
