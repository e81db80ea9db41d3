#include "plugin/library/library_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

#include <mcp/plugin.h>

#include "base/regular_file.hpp"
#include "plugin/library/elf_library.hpp"

namespace mcph {
namespace {

using namespace std::string_view_literals;

// The contract that this host speaks.
constexpr std::uint32_t contract_version = 1;
static_assert(MCP_PLUGIN_ENTRY_SYMBOL == "mcp_plugin_entry_v1"sv, "the contract's version and its entry symbol differ");

struct Signature {
  std::string_view bytes;
  std::string_view words;
};

constexpr std::array signatures{
    Signature{"!<arch>\n"sv, "a static library (.a)"},
    Signature{"!<thin>\n"sv, "a static library (.a)"},
    Signature{"MZ"sv, "a Windows program or DLL"},
    Signature{"\xfe\xed\xfa\xce"sv, "a macOS program or library (Mach-O)"},
    Signature{"\xfe\xed\xfa\xcf"sv, "a macOS program or library (Mach-O)"},
    Signature{"\xce\xfa\xed\xfe"sv, "a macOS program or library (Mach-O)"},
    Signature{"\xcf\xfa\xed\xfe"sv, "a macOS program or library (Mach-O)"},
    Signature{"\xca\xfe\xba\xbe"sv, "a macOS universal binary or a Java class"},
    Signature{"\0asm"sv, "a WebAssembly module"},
    Signature{"BC\xc0\xde"sv, "LLVM bitcode"},
    Signature{"PK\x03\x04"sv, "a ZIP archive"},
    Signature{"\x1f\x8b"sv, "a gzip archive"},
    Signature{"#!"sv, "a script"},
    Signature{"version https://git-lfs"sv, "a Git LFS pointer (run git lfs pull)"},
};

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : (byte >= '\t' && byte <= '\r');
  });
}

std::string_view look_of(std::string_view head) {
  for (const auto& signature : signatures) {
    if (head.starts_with(signature.bytes)) return signature.words;
  }
  if (is_text(head)) return "a text file";
  if (head.find_first_not_of('\0') == head.npos) return "zero bytes only, as an interrupted copy leaves";
  return "data of an unknown kind";
}

// The first bytes of the file, enough to say what it looks like; none if it cannot be read.
std::string read_head(std::istream& in, std::uint64_t size) {
  constexpr std::uint64_t enough = 256;
  std::string head(static_cast<std::size_t>(std::min(size, enough)), '\0');
  if (!in.read(head.data(), static_cast<std::streamsize>(head.size()))) head.clear();
  return head;
}

std::optional<std::uint32_t> version_of(std::string_view symbol, std::string_view prefix) {
  const auto digits = symbol.substr(prefix.size());
  std::uint32_t version = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return version;
}

Result<> check_entry_symbol(const std::vector<std::string>& symbols, std::string_view prefix) {
  std::optional<std::uint32_t> other;
  for (const auto& symbol : symbols) {
    const auto version = version_of(symbol, prefix);
    if (version == contract_version) return {};
    if (version) other = version;
  }
  const auto spoken = std::to_string(contract_version);
  if (!other) {
    return fail("it is not an MCP plugin: it does not export the function " + std::string(prefix) + spoken +
                "; write MCP_PLUGIN(...) once in its source and build it with add_mcp_plugin()");
  }
  const auto made_for = "it was made for contract version " + std::to_string(*other) + ", this host speaks " + spoken;
  return *other > contract_version
             ? fail(made_for + ": contract too new; update the host, or build it against this " + "host's mcp/plugin.h")
             : fail(made_for + ": contract too old; build it against this host's mcp/plugin.h");
}

}  // namespace

Result<LibraryFacts> inspect_library(const std::filesystem::path& file, std::string_view entry_symbol_prefix) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (error) return fail_for_now("it cannot be read: " + error.message());
  // Asked before opening: opening a named pipe would wait for its writer.
  if (!std::filesystem::is_regular_file(status)) return fail("it is not a regular file");
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error) return fail_for_now("it cannot be read: " + error.message());
  if (size == 0) return fail("the file is empty; copy it again");
  if (size > max_library_size) {
    return fail("it has " + std::to_string(size) + " bytes, more than the " + std::to_string(max_library_size) +
                " that a plugin may have");
  }

  std::ifstream in(file, std::ios::binary);
  if (!in) return fail_for_now("it cannot be opened: " + last_error());
  const auto head = read_head(in, size);
  if (head.empty()) return fail_for_now("it could not be read");
  if (!is_elf(head)) return fail("it is not a shared library but " + std::string(look_of(head)));

  auto facts = read_elf_library(in, size, entry_symbol_prefix);
  if (!facts) return facts.error();
  if (const auto checked = check_entry_symbol(facts->entry_symbols, entry_symbol_prefix); !checked) {
    return checked.error();
  }
  return facts;
}

}  // namespace mcph
