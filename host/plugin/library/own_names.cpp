#include "plugin/library/own_names.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "plugin/library/elf_library.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

// The C and C++ libraries are one with the process: where a bundle brings them, those that are there already serve.
constexpr std::array<std::string_view, 8> of_the_process{"ld-linux",      "libc.so.",  "libm.so.",  "libpthread.so.",
                                                         "libstdc++.so.", "libgcc_s.", "libdl.so.", "librt.so."};

bool belongs_to_process(std::string_view name) {
  return std::ranges::any_of(of_the_process, [&](const auto begin) { return name.starts_with(begin); });
}

struct Library {
  fs::path file;
  std::vector<ElfName> names;
};

std::uint64_t size_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : size;
}

// Applies `function` to each file of a bundle that begins as a library does, with its size.
template <class Function>
void for_each_elf(const fs::path& bundle, Function function) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(bundle, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_symlink() || !entry->is_regular_file()) continue;
    std::ifstream stream(entry->path(), std::ios::binary);
    std::array<char, 4> head{};
    if (!stream.read(head.data(), head.size()) || !is_elf({head.data(), head.size()})) continue;
    function(entry->path(), stream, size_of(entry->path()));
  }
}

// What else is there is data.
std::vector<Library> read_libraries(const fs::path& bundle) {
  std::vector<Library> libraries;
  for_each_elf(bundle, [&](const fs::path& file, std::istream& stream, std::uint64_t size) {
    if (auto names = read_elf_names(stream, size)) libraries.push_back({file, *std::move(names)});
  });
  return libraries;
}

// Those under which the dynamic linker could find a library of the bundle.
std::set<std::string> names_to_change(const std::vector<Library>& libraries) {
  std::set<std::string> known;
  std::set<std::string> files;
  for (const auto& library : libraries) {
    files.insert(library.file.filename().string());
    for (const auto& name : library.names) {
      if (name.use == ElfName::Use::own) known.insert(name.text);
    }
  }
  for (const auto& library : libraries) {
    for (const auto& name : library.names) {
      if (name.use == ElfName::Use::needed && files.contains(name.text)) known.insert(name.text);
    }
  }
  std::erase_if(known, [](const auto& name) { return name.empty() || belongs_to_process(name); });
  return known;
}

// Of this length, and the same for the same number only; empty if there is none.
std::string name_for(std::uint64_t number, std::size_t length) {
  constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  // With which no library's name begins.
  std::string name(length, '~');
  for (auto at = length; at > 1; --at, number /= digits.size())
    name[at - 1] = digits[static_cast<std::size_t>(number % digits.size())];
  return number == 0 && length > 1 ? name : std::string();
}

Error only_in_worker(const std::string& why) {
  return fail(why +
              ", which a bundle that runs in the host's own process needs for its libraries: set \"isolation\" to " +
              "\"worker\" in its configuration");
}

Result<> write_names(const Library& library, const std::map<std::string, std::string>& names) {
  std::error_code error;
  fs::permissions(library.file, fs::perms::owner_write, fs::perm_options::add, error);
  std::fstream file(library.file, std::ios::binary | std::ios::in | std::ios::out);
  for (const auto& name : library.names) {
    const auto found = names.find(name.text);
    if (found == names.end()) continue;
    if (name.shares_bytes) {
      return only_in_worker("its library " + library.file.filename().string() + " has no room for another name than " +
                            name.text);
    }
    file.seekp(static_cast<std::streamoff>(name.offset));
    file.write(found->second.data(), static_cast<std::streamsize>(found->second.size()));
  }
  file.close();
  fs::permissions(library.file, fs::perms::owner_write, fs::perm_options::remove, error);
  if (!file) return fail_for_now("the private copy of its library cannot be written");
  return {};
}

}  // namespace

Result<std::vector<OwnName>> give_own_names(const PrivateCopy& bundle) {
  const auto libraries = read_libraries(bundle.bundle());
  constexpr std::uint64_t most = 4096;  // more than a bundle has files
  auto number = bundle.generation() * most;
  std::map<std::string, std::string> names;
  std::vector<OwnName> given;
  for (const auto& before : names_to_change(libraries)) {
    auto name = name_for(number++, before.size());
    if (name.empty()) return only_in_worker("its library " + before + " has a name too short to be given another one");
    given.push_back({name, before});
    names.emplace(before, std::move(name));
  }
  for (const auto& library : libraries) {
    if (auto written = write_names(library, names); written.has_error()) return written.error();
    const auto found = names.find(library.file.filename().string());
    if (found == names.end()) continue;
    // The file keeps its own name, for backtraces, and for a plugin that opens it by its path.
    std::error_code error;
    fs::create_symlink(library.file.filename(), library.file.parent_path() / found->second, error);
    if (error) return fail_for_now("the private copy of its library cannot be named: " + error.message());
  }
  return given;
}

std::string with_names_before(std::string text, const std::vector<OwnName>& names) {
  for (const auto& [name, before] : names) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + before.size()))
      text.replace(at, name.size(), before);
  }
  return text;
}

std::vector<BundledLibrary> libraries_in(const PrivateCopy& bundle) {
  std::vector<BundledLibrary> libraries;
  for_each_elf(bundle.bundle(), [&](const fs::path& file, std::istream& stream, std::uint64_t size) {
    if (file == bundle.path()) return;
    auto facts = read_elf_library(stream, size, default_entry_symbol_prefix);
    if (facts) libraries.push_back({file.lexically_relative(bundle.bundle()), *std::move(facts)});
  });
  return libraries;
}

}  // namespace mcph
