#include "plugin/library/library_file.hpp"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/library/elf_library.hpp"
#include "support/processor_time.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::string_view_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view entry_symbol = "mcp_plugin_entry_v1";

template <class T>
T get(const std::string& bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
void put(std::string& bytes, std::size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// A plugin that the build of the tests made. Each test damages a copy of its own.
std::string plugin_bytes() {
  std::ifstream in(MCP_TEST_LIBRARY, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string refusal_of_file(const std::filesystem::path& file) {
  const auto facts = inspect_library(file);
  return facts ? "accepted" : facts.error().message;
}

std::string refusal_of_bytes(std::string_view bytes) {
  const test::TemporaryFolder folder;
  return refusal_of_file(folder.write("plugin.so", bytes));
}

LibraryFacts facts_of_bytes(const std::string& bytes) {
  const test::TemporaryFolder folder;
  const auto facts = inspect_library(folder.write("plugin.so", bytes));
  EXPECT_TRUE(facts) << facts.error().message;
  return facts ? *facts : LibraryFacts{};
}

// Without a file, for the tests that read thousands.
bool is_accepted(const std::string& bytes) {
  std::istringstream stream(bytes);
  const auto facts = read_elf_library(stream, bytes.size(), default_entry_symbol_prefix);
  if (!facts) {
    EXPECT_THAT(facts.error().message, StartsWith("it"));
  }
  return facts.has_value();
}

void replace_all(std::string& bytes, std::string_view from, std::string_view to) {
  for (auto at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + to.size())) {
    bytes.replace(at, from.size(), to);
  }
}

std::size_t segment_offset(const std::string& bytes, std::uint32_t type) {
  const auto header = get<ElfW(Ehdr)>(bytes, 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto offset = header.e_phoff + i * sizeof(ElfW(Phdr));
    if (get<ElfW(Phdr)>(bytes, offset).p_type == type) return offset;
  }
  ADD_FAILURE() << "the test's library has no segment of type " << type;
  return header.e_phoff;
}

std::size_t dynamic_offset(const std::string& bytes, std::int64_t tag) {
  const auto segment = get<ElfW(Phdr)>(bytes, segment_offset(bytes, PT_DYNAMIC));
  for (auto offset = segment.p_offset; offset < segment.p_offset + segment.p_filesz; offset += sizeof(ElfW(Dyn))) {
    if (get<ElfW(Dyn)>(bytes, offset).d_tag == tag) return offset;
  }
  ADD_FAILURE() << "the test's library has no dynamic entry " << tag;
  return segment.p_offset;
}

void set_dynamic_flags(std::string& bytes, std::uint64_t flags) {
  // Takes the place of an entry that says nothing about the file.
  put(bytes, dynamic_offset(bytes, DT_INIT), ElfW(Dyn){DT_FLAGS_1, {flags}});
}

std::size_t entry_symbol_offset(const std::string& bytes) {
  const auto header = get<ElfW(Ehdr)>(bytes, 0);
  const auto section = [&](std::size_t index) {
    return get<ElfW(Shdr)>(bytes, header.e_shoff + index * sizeof(ElfW(Shdr)));
  };
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto symbols = section(i);
    if (symbols.sh_type != SHT_DYNSYM) continue;
    const auto names = section(symbols.sh_link).sh_offset;
    for (auto offset = symbols.sh_offset; offset < symbols.sh_offset + symbols.sh_size; offset += sizeof(ElfW(Sym))) {
      if (bytes.data() + names + get<ElfW(Sym)>(bytes, offset).st_name == entry_symbol) return offset;
    }
  }
  ADD_FAILURE() << "the test's library has no entry symbol";
  return 0;
}

// --- What is accepted, and what it says ---

TEST(LibraryFile, TellsThePlainFactsOfAPlugin) {
  const auto facts = inspect_library(MCP_TEST_LIBRARY);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_THAT(facts->entry_symbols, ElementsAre(entry_symbol));
  EXPECT_EQ(facts->size, std::filesystem::file_size(MCP_TEST_LIBRARY));
  EXPECT_EQ(facts->unique_symbol_count, 0U);
  EXPECT_FALSE(facts->never_unloads);
  EXPECT_EQ(facts->other_symbol_count, 0U);
  EXPECT_FALSE(facts->has_text_relocations);
}

TEST(LibraryFile, FindsEntrySymbolsByThePrefixAskedFor) {
  const auto facts = inspect_library(MCP_TEST_LIBRARY, "mcp_plugin_entry_v");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->entry_symbols.size(), 1U);
  const auto none = inspect_library(MCP_TEST_LIBRARY, "other_entry_v");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("does not export the function other_entry_v1"));
}

TEST(LibraryFile, SeesThatALibraryWasLinkedNeverToUnload) {
  auto bytes = plugin_bytes();
  set_dynamic_flags(bytes, DF_1_NODELETE);
  EXPECT_TRUE(facts_of_bytes(bytes).never_unloads);
}

TEST(LibraryFile, SeesThreadLocalStorage) {
  auto bytes = plugin_bytes();
  auto segment = get<ElfW(Phdr)>(bytes, segment_offset(bytes, PT_GNU_STACK));
  segment.p_type = PT_TLS;
  segment.p_memsz = 8;
  put(bytes, segment_offset(bytes, PT_GNU_STACK), segment);
  EXPECT_TRUE(facts_of_bytes(bytes).has_thread_local_storage);
}

TEST(LibraryFile, ReadsTheBuildId) {
  auto bytes = plugin_bytes();
  // A note of the GNU build-id kind, put where a segment without content can point to: behind everything else.
  const auto note_offset = bytes.size();
  bytes += std::string("\4\0\0\0\5\0\0\0\3\0\0\0GNU\0\x01\x23\xab\xcd\xef\0\0\0", 24);
  ElfW(Phdr) segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = note_offset;
  segment.p_filesz = 24;
  segment.p_align = 4;
  // The build may have given the library notes of its own; they would be found first.
  const auto header = get<ElfW(Ehdr)>(bytes, 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto offset = header.e_phoff + i * sizeof(ElfW(Phdr));
    if (get<ElfW(Phdr)>(bytes, offset).p_type == PT_NOTE) put(bytes, offset, ElfW(Phdr){});
  }
  put(bytes, segment_offset(bytes, PT_GNU_STACK), segment);
  EXPECT_EQ(facts_of_bytes(bytes).build_id, "0123abcdef");
}

// A library as another linker could make it: no sections at all, and the hash table of the System V ABI.
std::string minimal_library() {
  struct Image {
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[2];
    ElfW(Dyn) dynamic[7];
    ElfW(Sym) symbols[2];
    std::uint32_t hash[2 + 1 + 2];
    char strings[48];
  } image{};
  std::memcpy(image.header.e_ident, get<ElfW(Ehdr)>(plugin_bytes(), 0).e_ident, EI_NIDENT);
  image.header.e_machine = get<ElfW(Ehdr)>(plugin_bytes(), 0).e_machine;
  image.header.e_type = ET_DYN;
  image.header.e_phoff = offsetof(Image, segments);
  image.header.e_phentsize = sizeof(ElfW(Phdr));
  image.header.e_phnum = 2;

  image.segments[0].p_type = PT_LOAD;
  image.segments[0].p_filesz = image.segments[0].p_memsz = sizeof(Image);
  image.segments[1].p_type = PT_DYNAMIC;
  image.segments[1].p_offset = image.segments[1].p_vaddr = offsetof(Image, dynamic);
  image.segments[1].p_filesz = image.segments[1].p_memsz = sizeof image.dynamic;

  image.dynamic[0] = {DT_HASH, {offsetof(Image, hash)}};
  image.dynamic[1] = {DT_SYMTAB, {offsetof(Image, symbols)}};
  image.dynamic[2] = {DT_SYMENT, {sizeof(ElfW(Sym))}};
  image.dynamic[3] = {DT_STRTAB, {offsetof(Image, strings)}};
  image.dynamic[4] = {DT_STRSZ, {sizeof image.strings}};
  image.dynamic[5] = {DT_NEEDED, {21}};

  image.symbols[1].st_name = 1;
  image.symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  image.symbols[1].st_shndx = 1;
  image.hash[0] = 1;  // buckets
  image.hash[1] = 2;  // symbols
  image.hash[2] = 1;
  std::memcpy(image.strings + 1, entry_symbol.data(), entry_symbol.size());
  std::memcpy(image.strings + 21, "libneeded.so.1", 14);
  return {reinterpret_cast<const char*>(&image), sizeof image};
}

// The same with other tables, appended, which its dynamic table leads to: `needed` times the string at 1 as the name of
// a library that it needs, `symbols` functions of that name, and strings that begin with a zero byte.
std::string library_of(std::size_t needed, std::size_t symbols, std::string_view strings) {
  auto bytes = minimal_library();
  const auto append = [&bytes](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto hash_at = bytes.size();
  append(std::uint32_t{1});
  append(static_cast<std::uint32_t>(symbols));
  const auto symbols_at = bytes.size();
  ElfW(Sym) symbol{};
  symbol.st_name = 1;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = 1;
  for (std::size_t i = 0; i < symbols; ++i)
    append(symbol);
  const auto strings_at = bytes.size();
  bytes.append(strings).append(8 - bytes.size() % 8, '\0');

  const auto dynamic_at = bytes.size();
  append(ElfW(Dyn){DT_HASH, {hash_at}});
  append(ElfW(Dyn){DT_SYMTAB, {symbols_at}});
  append(ElfW(Dyn){DT_SYMENT, {sizeof(ElfW(Sym))}});
  append(ElfW(Dyn){DT_STRTAB, {strings_at}});
  append(ElfW(Dyn){DT_STRSZ, {strings.size()}});
  for (std::size_t i = 0; i < needed; ++i)
    append(ElfW(Dyn){DT_NEEDED, {1}});
  append(ElfW(Dyn){});

  auto load = get<ElfW(Phdr)>(bytes, segment_offset(bytes, PT_LOAD));
  load.p_filesz = load.p_memsz = bytes.size();
  put(bytes, segment_offset(bytes, PT_LOAD), load);
  auto dynamic = get<ElfW(Phdr)>(bytes, segment_offset(bytes, PT_DYNAMIC));
  dynamic.p_offset = dynamic.p_vaddr = dynamic_at;
  dynamic.p_filesz = dynamic.p_memsz = bytes.size() - dynamic_at;
  put(bytes, segment_offset(bytes, PT_DYNAMIC), dynamic);
  return bytes;
}

std::string one_string(const std::string& text) {
  return '\0' + text + '\0';
}

TEST(LibraryFile, ReadsALibraryWithoutSectionsAndWithTheOldHashTable) {
  const auto facts = facts_of_bytes(minimal_library());
  EXPECT_THAT(facts.entry_symbols, ElementsAre(entry_symbol));
  EXPECT_THAT(facts.needed_libraries, ElementsAre("libneeded.so.1"));
  EXPECT_EQ(facts.build_id, "");
  EXPECT_FALSE(facts.has_thread_local_storage);
  EXPECT_FALSE(facts.has_thread_exit_destructors);
}

TEST(LibraryFile, CountsUniqueSymbolsAndNamesSome) {
  auto bytes = minimal_library();
  const auto symbols = get<ElfW(Dyn)>(bytes, dynamic_offset(bytes, DT_SYMTAB)).d_un.d_ptr;
  auto symbol = get<ElfW(Sym)>(bytes, symbols + sizeof(ElfW(Sym)));
  symbol.st_info = ELF64_ST_INFO(STB_GNU_UNIQUE, STT_FUNC);
  put(bytes, symbols + sizeof symbol, symbol);
  const auto facts = facts_of_bytes(bytes);
  EXPECT_EQ(facts.other_symbol_count, 0U);  // the entry function is none of the others
  EXPECT_EQ(facts.unique_symbol_count, 1U);
  EXPECT_THAT(facts.unique_symbol_examples, ElementsAre(entry_symbol));
}

TEST(LibraryFile, SeesThatDestructorsWillRunWhenThreadsEnd) {
  auto bytes = minimal_library();
  // The second name becomes that of an imported symbol, which takes the place of the null symbol before the entry.
  replace_all(bytes, "libneeded.so.1\0\0\0\0\0"sv, "__cxa_thread_atexit"sv);
  ElfW(Sym) imported{};
  imported.st_name = 21;
  imported.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  const auto symbols = get<ElfW(Dyn)>(bytes, dynamic_offset(bytes, DT_SYMTAB)).d_un.d_ptr;
  put(bytes, symbols, imported);
  EXPECT_TRUE(facts_of_bytes(bytes).has_thread_exit_destructors);
}

// --- What is refused, and why ---

TEST(LibraryFile, SaysThatAFileIsEmpty) {
  EXPECT_EQ(refusal_of_bytes(""), "the file is empty; copy it again");
}

TEST(LibraryFile, SaysWhatAFileLooksLikeThatIsNoLibrary) {
  EXPECT_EQ(refusal_of_bytes("#!/bin/sh\necho hello\n"), "it is not a shared library but a script");
  EXPECT_EQ(refusal_of_bytes("int main() {}\n"), "it is not a shared library but a text file");
  EXPECT_EQ(refusal_of_bytes("!<arch>\nplugin.o/"), "it is not a shared library but a static library (.a)");
  EXPECT_EQ(refusal_of_bytes("MZ\x90\0\3\0"sv), "it is not a shared library but a Windows program or DLL");
  EXPECT_EQ(refusal_of_bytes("\xcf\xfa\xed\xfe\7\0\0\1"sv),
            "it is not a shared library but a macOS program or library (Mach-O)");
  EXPECT_EQ(refusal_of_bytes("\0asm\1\0\0\0"sv), "it is not a shared library but a WebAssembly module");
  EXPECT_EQ(refusal_of_bytes(std::string(5000, '\0')),
            "it is not a shared library but zero bytes only, as an interrupted copy leaves");
  EXPECT_EQ(refusal_of_bytes("\1\2\3\4"), "it is not a shared library but data of an unknown kind");
}

TEST(LibraryFile, SaysThatAnObjectFileOrAProgramMustBeLinkedAsALibrary) {
  auto bytes = plugin_bytes();
  put<std::uint16_t>(bytes, offsetof(ElfW(Ehdr), e_type), ET_REL);
  EXPECT_EQ(refusal_of_bytes(bytes), "it is not a shared library but an object file (.o); link it with -shared");
  put<std::uint16_t>(bytes, offsetof(ElfW(Ehdr), e_type), ET_EXEC);
  EXPECT_EQ(refusal_of_bytes(bytes), "it is not a shared library but an executable program; link it with -shared");
}

TEST(LibraryFile, RecognisesPositionIndependentPrograms) {
  constexpr auto words = "it is not a shared library but an executable program; link it with -shared";
  EXPECT_EQ(refusal_of_file("/proc/self/exe"), words);

  auto with_interpreter = plugin_bytes();
  put<std::uint32_t>(with_interpreter, segment_offset(with_interpreter, PT_GNU_STACK), PT_INTERP);
  EXPECT_EQ(refusal_of_bytes(with_interpreter), words);

  auto statically_linked = plugin_bytes();
  set_dynamic_flags(statically_linked, DF_1_PIE);
  EXPECT_EQ(refusal_of_bytes(statically_linked), words);
}

TEST(LibraryFile, NamesBothArchitecturesIfTheyDiffer) {
  auto bytes = plugin_bytes();
  const bool on_arm = get<ElfW(Ehdr)>(bytes, 0).e_machine == EM_AARCH64;
  put<std::uint16_t>(bytes, offsetof(ElfW(Ehdr), e_machine), on_arm ? EM_X86_64 : EM_AARCH64);
  const auto refusal = refusal_of_bytes(bytes);
  EXPECT_THAT(refusal, AllOf(HasSubstr("AArch64 (arm64), 64 bit"), HasSubstr("this host runs on"),
                             HasSubstr("build it for this machine")));
  EXPECT_THAT(refusal, StartsWith(on_arm ? "it was built for x86-64" : "it was built for AArch64"));
}

TEST(LibraryFile, NamesTheWordSizeAndByteOrderOfAForeignLibrary) {
  auto other_size = plugin_bytes();
  put<unsigned char>(other_size, EI_CLASS, sizeof(void*) == 8 ? ELFCLASS32 : ELFCLASS64);
  EXPECT_THAT(refusal_of_bytes(other_size), HasSubstr(sizeof(void*) == 8 ? ", 32 bit, " : ", 64 bit, "));

  auto big_endian = plugin_bytes();
  put<unsigned char>(big_endian, EI_DATA, ELFDATA2MSB);
  put<unsigned char>(big_endian, offsetof(ElfW(Ehdr), e_machine), 0);
  put<unsigned char>(big_endian, offsetof(ElfW(Ehdr), e_machine) + 1, EM_S390);
  EXPECT_THAT(refusal_of_bytes(big_endian), StartsWith("it was built for IBM Z, 64 bit, big-endian, but this host"));
}

TEST(LibraryFile, SaysHowMuchOfATruncatedLibraryIsThere) {
  const auto bytes = plugin_bytes();
  const auto header = get<ElfW(Ehdr)>(bytes, 0);
  const auto whole = header.e_shoff + header.e_shnum * sizeof(ElfW(Shdr));
  EXPECT_EQ(refusal_of_bytes(bytes.substr(0, bytes.size() / 2)),
            "it is truncated: its section table should end at byte " + std::to_string(whole) + ", but the file has " +
                std::to_string(bytes.size() / 2) + " bytes; copy it again");
  EXPECT_THAT(refusal_of_bytes(bytes.substr(0, 10)), StartsWith("it is truncated: its ELF header should end at byte"));
}

TEST(LibraryFile, SaysThatALibraryIsNoPlugin) {
  auto bytes = plugin_bytes();
  replace_all(bytes, entry_symbol, "mcp_plugin_other_v1");
  EXPECT_EQ(
      refusal_of_bytes(bytes),
      "it is not an MCP plugin: it does not export the function mcp_plugin_entry_v1; write MCP_PLUGIN(...) once in "
      "its source and build it with add_mcp_plugin()");
}

TEST(LibraryFile, DoesNotTakeAVariableForTheEntryFunction) {
  auto bytes = plugin_bytes();
  const auto offset = entry_symbol_offset(bytes);
  auto symbol = get<ElfW(Sym)>(bytes, offset);
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  put(bytes, offset, symbol);
  EXPECT_THAT(refusal_of_bytes(bytes), StartsWith("it is not an MCP plugin"));
}

TEST(LibraryFile, SaysForWhichContractAPluginWasMade) {
  auto newer = plugin_bytes();
  replace_all(newer, entry_symbol, "mcp_plugin_entry_v7");
  EXPECT_THAT(refusal_of_bytes(newer),
              StartsWith("it was made for contract version 7, this host speaks 1: contract too new"));
  auto older = plugin_bytes();
  replace_all(older, entry_symbol, "mcp_plugin_entry_v0");
  EXPECT_THAT(refusal_of_bytes(older),
              StartsWith("it was made for contract version 0, this host speaks 1: contract too old"));
  auto unknown = plugin_bytes();
  replace_all(unknown, entry_symbol, "mcp_plugin_entry_vX");
  EXPECT_THAT(refusal_of_bytes(unknown), StartsWith("it is not an MCP plugin"));
}

TEST(LibraryFile, SaysWhyAPathCannotBeRead) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(refusal_of_file(folder.path()), "it is not a regular file");
  EXPECT_THAT(refusal_of_file(folder.path() / "absent.so"), StartsWith("it "));
  ASSERT_EQ(::mkfifo((folder.path() / "pipe.so").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of_file(folder.path() / "pipe.so"), "it is not a regular file");
}

TEST(LibraryFile, RefusesAFileThatIsFarTooLarge) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("plugin.so", plugin_bytes());
  std::filesystem::resize_file(file, max_library_size + 1);  // sparse
  EXPECT_THAT(refusal_of_file(file), HasSubstr("more than the 536870912 that a plugin may have"));
}

TEST(LibraryFile, SaysThatDebugInformationAloneIsNoLibrary) {
  auto bytes = plugin_bytes();
  const auto offset = segment_offset(bytes, PT_DYNAMIC);
  auto segment = get<ElfW(Phdr)>(bytes, offset);
  segment.p_filesz = 0;
  put(bytes, offset, segment);
  EXPECT_THAT(refusal_of_bytes(bytes), HasSubstr("debug information only"));
}

// --- Damage of every kind ---

TEST(DamagedLibraryFile, IsRefusedForANeededLibraryWhoseNameHasNoEnd) {
  const auto longest = std::string(4096, 'n');
  EXPECT_THAT(refusal_of_bytes(library_of(1, 1, one_string(longest))), HasSubstr("is not an MCP plugin"));
  EXPECT_THAT(refusal_of_bytes(library_of(1, 1, one_string(longest + "n"))),
              HasSubstr("the name of a library that it needs has no end"));
  // 2,000 copies of it would be 2 GB.
  EXPECT_THAT(refusal_of_bytes(library_of(2000, 1, one_string(std::string(1'000'000, 'n')))),
              HasSubstr("the name of a library that it needs has no end"));
}

TEST(DamagedLibraryFile, IsRefusedForNeedingMoreLibrariesThanAnyLibraryDoes) {
  EXPECT_THAT(refusal_of_bytes(library_of(1024, 1, one_string("libneeded.so"))), HasSubstr("is not an MCP plugin"));
  EXPECT_THAT(refusal_of_bytes(library_of(1025, 1, one_string("libneeded.so"))),
              HasSubstr("it needs more than 1024 libraries"));
}

TEST(DamagedLibraryFile, IsRefusedForEntryFunctionsThatNoPluginHas) {
  const std::string entry(entry_symbol);
  EXPECT_EQ(refusal_of_bytes(library_of(0, 64, one_string(entry))), "accepted");
  EXPECT_THAT(refusal_of_bytes(library_of(0, 65, one_string(entry))), HasSubstr("it has more than 64 entry functions"));
  EXPECT_THAT(refusal_of_bytes(library_of(0, 1, one_string(entry + std::string(4096, '1')))),
              HasSubstr("the name of an entry function has no end"));
}

TEST(DamagedLibraryFile, IsReadInNoTimeHoweverLongTheNamesOfItsSymbolsAre) {
  // Measuring this name for each of these symbols takes minutes.
  const auto bytes = library_of(0, 300'000, one_string(std::string(16'000'000, 'n')));
  const auto begin = test::processor_time();
  EXPECT_THAT(refusal_of_bytes(bytes), HasSubstr("is not an MCP plugin"));
  EXPECT_LT(test::processor_time() - begin, std::chrono::seconds(10));
}

TEST(DamagedLibraryFile, IsRefusedWhereverItIsTruncated) {
  constexpr std::size_t cuts = 600;
  const auto bytes = plugin_bytes();
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < cuts; ++i)
    accepted += is_accepted(bytes.substr(0, i * bytes.size() / cuts)) ? 1 : 0;
  EXPECT_FALSE(is_accepted(bytes.substr(0, bytes.size() - 1)));
  EXPECT_TRUE(is_accepted(bytes));
  EXPECT_EQ(accepted, 0U);
}

TEST(DamagedLibraryFile, IsRefusedWhereverItsTailWasNeverFilled) {
  constexpr std::size_t tails = 300;
  const auto bytes = plugin_bytes();
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < tails; ++i) {
    auto zeroed = bytes;
    const auto from = SELFMAG + i * (bytes.size() - SELFMAG) / tails;
    std::fill(zeroed.begin() + static_cast<std::ptrdiff_t>(from), zeroed.end(), '\0');
    accepted += is_accepted(zeroed) ? 1 : 0;
  }
  EXPECT_EQ(accepted, 0U);
}

// What matters is that nothing crashes and nothing is read out of bounds, which the sanitizers see.
TEST(DamagedLibraryFile, IsReadSafelyWhateverItsBytesSay) {
  const auto bytes = plugin_bytes();
  const auto section_table = get<ElfW(Ehdr)>(bytes, 0).e_shoff;
  const auto dynamic_table = get<ElfW(Phdr)>(bytes, segment_offset(bytes, PT_DYNAMIC)).p_offset;
  std::mt19937 random(20240607);
  const auto flip = [&](std::size_t from, std::size_t size) {
    auto damaged = bytes;
    std::uniform_int_distribution<std::size_t> somewhere(from, std::min(from + size, bytes.size()) - 1);
    std::uniform_int_distribution<int> value(1, 255);
    const auto position = somewhere(random);
    damaged[position] = static_cast<char>(damaged[position] ^ static_cast<char>(value(random)));
    return is_accepted(damaged);
  };
  std::size_t accepted = 0;
  for (int i = 0; i < 500; ++i) {
    accepted += flip(0, bytes.size()) ? 1 : 0;
    accepted += flip(0, 1024) ? 1 : 0;  // header, segments and, mostly, the hash and symbol tables
    accepted += flip(section_table, bytes.size()) ? 1 : 0;
    accepted += flip(dynamic_table, 512) ? 1 : 0;
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_LT(accepted, 2000U);
}

TEST(DamagedLibraryFile, IsReadSafelyWhateverItsNumbersSay) {
  const auto bytes = minimal_library();
  for (std::size_t offset = SELFMAG; offset + 8 <= bytes.size(); offset += 4) {
    for (const std::uint64_t number : {0x0ULL, 0x1ULL, 0x7fffffffULL, 0xffffffffULL, 0x7fffffffffffffffULL,
                                       0xfffffffffffffff8ULL, 0xffffffffffffffffULL}) {
      auto damaged = bytes;
      put(damaged, offset, number);
      is_accepted(damaged);
    }
  }
  EXPECT_TRUE(is_accepted(bytes));
}

}  // namespace
}  // namespace mcph
