// The manual in the language of man(7), made of what --help says. A value and a free function; one thread.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mcph {

struct ManualPage {
  std::string name;  // "mcp-plugin-host-serve.1"
  std::string text;
};

// One of the program, and one of each of its commands. All commands must have their options.
std::vector<ManualPage> manual_pages(const CLI::App& app);

}  // namespace mcph
