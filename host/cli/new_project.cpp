// Makes a plugin project that builds at once, with a test.
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/complain.hpp"

namespace mcph {
namespace {

struct ProjectFile {
  std::string_view path;
  std::string_view content;  // @NAME@ is the plugin's name, @PREFIX@ where its build finds the plugin API
};

constexpr std::array project_files{
    ProjectFile{"CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.25)
project(@NAME@ LANGUAGES CXX)
# Optimized, and with what leads from a crash's backtrace to a line.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

# Where the plugin API is installed; -DCMAKE_PREFIX_PATH=... names another place.
list(APPEND CMAKE_PREFIX_PATH "@PREFIX@")
find_package(mcp-plugin CONFIG REQUIRED)

add_mcp_plugin(@NAME@ KIND tools SOURCES src/plugin.cpp src/setup.cpp)

enable_testing()
add_executable(setup_test tests/setup_test.cpp src/setup.cpp)
target_include_directories(setup_test PRIVATE src)
target_link_libraries(setup_test PRIVATE mcp::plugin_testing)
add_test(NAME setup COMMAND setup_test)
)"},
    ProjectFile{"src/setup.hpp", R"(#pragma once

namespace mcp {
class Plugin;
}

// Says what this plugin exports. Called once for each instance of the plugin.
void setup(mcp::Plugin& plugin);
)"},
    ProjectFile{"src/setup.cpp", R"(#include "setup.hpp"

#include <string>

#include <mcp/plugin.hpp>

void setup(mcp::Plugin& plugin) {
  plugin
      .tool(
          "hello", "Greets somebody.", [](const std::string& name) { return "Hello, " + name + "!"; },
          mcp::arg("name", "Whom to greet").min_length(1))
      .read_only();
}
)"},
    ProjectFile{"src/plugin.cpp", R"(#include <mcp/plugin.hpp>

#include "setup.hpp"

MCP_PLUGIN("@NAME@", "0.1.0", setup)
)"},
    ProjectFile{"tests/setup_test.cpp", R"(// Calls the tools without a host and without loading a library.
#include <iostream>

#include <mcp/plugin/testing.hpp>

#include "setup.hpp"

int main() {
  mcp::testing::Harness plugin(setup);
  const auto greeting = plugin.call_tool("hello", {{"name", "Ada"}});
  if (greeting.ok() && greeting.text() == "Hello, Ada!") return 0;
  std::cerr << "unexpected: " << greeting.json << "\n";
  return 1;
}
)"},
    ProjectFile{"README.md", R"(# @NAME@

A plugin for mcp-plugin-host.

    cmake -S . -B build && cmake --build build && ctest --test-dir build
    mcp-plugin-host inspect build/mcp_components/tools/@NAME@.so
    mcp-plugin-host call --components build/mcp_components hello '{"name":"Ada"}'

Copy `build/mcp_components/tools/@NAME@.so` into the `tools` folder of a running host, and it is served.
)"},
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// The program is PREFIX/bin/mcp-plugin-host, installed and in its build tree alike, and the plugin API lies beside it.
std::filesystem::path own_prefix() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path();
}

}  // namespace

int run(const NewCommand& command) {
  const auto folder = command.directory / command.name;
  std::error_code error;
  if (std::filesystem::exists(folder, error)) {
    return complain(folder.string() + " exists already; choose another name, or another place with --in");
  }
  const auto prefix = own_prefix().generic_string();
  for (const auto& [path, content] : project_files) {
    const auto file = folder / path;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) return complain("cannot make " + file.parent_path().string() + ": " + error.message());
    std::string text(content);
    replace_all(text, "@NAME@", command.name);
    replace_all(text, "@PREFIX@", prefix);
    std::ofstream stream(file);
    stream << text;
    if (!stream.flush()) return complain("cannot write " + file.string());
  }
  std::cout << "Made " << folder.string() << ". Build and test it:\n  cmake -S " << folder.string() << " -B "
            << (folder / "build").string() << " && cmake --build " << (folder / "build").string() << " --parallel"
            << " && ctest --test-dir " << (folder / "build").string() << "\n";
  return 0;
}

}  // namespace mcph
