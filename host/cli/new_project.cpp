// Makes a plugin project that builds at once, with a test, of the template of a language.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/own_prefix.hpp"
#include "base/regular_file.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file_bytes = std::size_t{16} << 20;

fs::path templates() {
  return own_prefix() / "share/mcp-plugin-host/templates";
}

// What CMake finds packages by, as it finds programs.
bool is_in_path(const fs::path& folder) {
  const auto* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): no other thread sets it
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string each; std::getline(folders, each, ':');) {
    std::error_code error;
    if (fs::equivalent(each, folder, error)) return true;
  }
  return false;
}

// A template's text, or the path of a file of it, for a project of this name.
std::string named(std::string text, std::string_view name) {
  constexpr std::string_view placeholder = "@NAME@";
  for (auto at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at + name.size()))
    text.replace(at, placeholder.size(), name);
  return text;
}

std::set<std::string> languages_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& each : fs::directory_iterator(folder, error))
    names.insert(each.path().filename());
  return names;
}

std::string joined(const std::set<std::string>& names) {
  std::string all;
  for (const auto& name : names)
    all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

Result<> copy_file(const fs::path& from, const fs::path& to, const std::string& name) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) return fail("cannot make " + to.parent_path().string() + ": " + error.message());
  const auto opened = open_to_read(from);
  auto text = opened ? read_regular_file(opened, max_file_bytes) : Result<std::string>(fail(last_error()));
  if (text.has_error()) return fail("cannot read " + from.string() + ": " + text.error().message);
  std::ofstream output(to, std::ios::binary);
  output << named(*std::move(text), name);
  if (!output.flush()) return fail("cannot write " + to.string());
  return {};
}

Result<> copy_template(const fs::path& from, const fs::path& to, const std::string& name) {
  std::error_code error;
  for (const auto& each : fs::recursive_directory_iterator(from, error)) {
    if (!each.is_regular_file()) continue;
    const auto path = named(each.path().lexically_relative(from).string(), name);
    if (auto copied = copy_file(each.path(), to / path, name); copied.has_error()) return copied;
  }
  if (error) return fail("cannot read " + from.string() + ": " + error.message());
  return {};
}

// A crate has the name, too.
bool can_be_a_crate(const std::string& name) {
  return name.find('.') == std::string::npos && (name.front() < '0' || name.front() > '9');
}

}  // namespace

int run(const NewCommand& command) {
  const auto folder = command.directory / command.name;
  std::error_code error;
  if (fs::exists(folder, error)) {
    return complain(folder.string() + " exists already; choose another name, or another place with --in");
  }
  const auto languages = languages_in(templates());
  if (!languages.contains(command.language)) {
    return complain(languages.empty()
                        ? "the templates are not where they are installed with this program: " + templates().string()
                        : "there is no template for \"" + command.language + "\"; --lang is one of " +
                              joined(languages));
  }
  if (command.language == "rust" && !can_be_a_crate(command.name))
    return complain("a crate of Rust cannot be called " + command.name +
                    ": choose a name that begins with a letter and has no full stop");
  if (const auto copied = copy_template(templates() / command.language, folder, command.name); copied.has_error()) {
    fs::remove_all(folder, error);  // it would be in the way of the next attempt
    return complain(copied.error().message);
  }
  const auto programs = own_prefix() / "bin";
  std::cout << "Made " << folder.string() << ". Build and test it:\n";
  if (!is_in_path(programs)) std::cout << "  export PATH=\"" << programs.string() << ":$PATH\"\n";
  std::cout << "  cd " << folder.string()
            << "\n  cmake --preset release && cmake --build --preset release && ctest --preset release\n"
               "Then build and serve it, and do so again each time that you save a change:\n"
               "  mcp-plugin-host dev\n";
  return 0;
}

}  // namespace mcph
