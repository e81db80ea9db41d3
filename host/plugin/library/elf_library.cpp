#include "plugin/library/elf_library.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/library/elf_file.hpp"

namespace mcph {
namespace {

using namespace std::string_view_literals;

// Far beyond what any library has. A damaged or hostile file could otherwise make each of its entries name the whole
// table of strings, and copying or measuring that for each would take all memory or hours.
constexpr std::size_t max_name = 4096;
constexpr std::size_t max_needed_libraries = 1024;
constexpr std::size_t max_entry_symbols = 64;

using Dynamic = ElfW(Dyn);
using Symbol = ElfW(Sym);

// What the dynamic linker would find in the library: the tables that its dynamic table leads to.
class ElfLibrary {
 public:
  explicit ElfLibrary(ElfFile file) : file_(std::move(file)) {}

  Result<LibraryFacts> read_facts(std::string_view entry_symbol_prefix);
  Result<std::vector<ElfName>> read_names();

 private:
  using Step = Result<> (ElfLibrary::*)();

  Result<> read_dynamic_table();
  Result<> read_flags();
  Result<> read_strings();
  Result<> read_needed_libraries();
  Result<> read_symbols();
  Result<std::uint64_t> count_symbols();
  Result<std::uint64_t> count_gnu_hash_symbols(std::uint64_t offset);
  Result<std::uint64_t> count_chain(std::uint64_t offset);
  void note_other(const Symbol& symbol);
  Result<> note_symbol(const Symbol& symbol, std::string_view entry_symbol_prefix);
  // Of the string at `offset` in strings_, its beginning, one byte longer than a name may be if the name is too long.
  std::string_view name_at(std::uint64_t offset) const;
  bool string_begins(std::uint64_t offset, std::string_view beginning) const;

  std::optional<std::uint64_t> dynamic(std::int64_t tag) const;

  Result<> note_names();
  Result<> note_needed_versions();
  Result<> note_defined_versions();
  Result<> note_name(ElfName::Use use, std::uint64_t string);
  void mark_shared_names();

  ElfFile file_;
  std::vector<Dynamic> dynamic_;
  std::vector<char> strings_;         // ends with a zero byte
  std::vector<Symbol> symbols_;       // their names lie in strings_
  std::uint64_t strings_offset_ = 0;  // in the file
  LibraryFacts facts_;
  std::vector<ElfName> names_;
  std::vector<std::uint64_t> other_strings_;  // where those begin that are no such names
};

Result<LibraryFacts> ElfLibrary::read_facts(std::string_view entry_symbol_prefix) {
  constexpr std::array<Step, 5> steps{&ElfLibrary::read_dynamic_table, &ElfLibrary::read_flags,
                                      &ElfLibrary::read_strings, &ElfLibrary::read_needed_libraries,
                                      &ElfLibrary::read_symbols};
  for (const auto step : steps) {
    if (const auto done = (this->*step)(); !done) return done.error();
  }
  facts_.build_id = file_.read_build_id();
  facts_.size = file_.size();
  facts_.has_thread_local_storage =
      std::any_of(file_.segments().begin(), file_.segments().end(),
                  [](const ElfFile::Segment& segment) { return segment.p_type == PT_TLS && segment.p_memsz > 0; });
  for (const auto& symbol : symbols_) {
    if (const auto noted = note_symbol(symbol, entry_symbol_prefix); !noted) return noted.error();
  }
  std::sort(facts_.entry_symbols.begin(), facts_.entry_symbols.end());
  return std::move(facts_);
}

Result<> ElfLibrary::read_dynamic_table() {
  const auto segment = std::find_if(file_.segments().begin(), file_.segments().end(),
                                    [](const ElfFile::Segment& candidate) { return candidate.p_type == PT_DYNAMIC; });
  if (segment == file_.segments().end()) return damaged("it has no dynamic table");
  // Where the dynamic linker will look; a file of debug information only has the segment, but not the bytes.
  const auto offset = file_.offset_of(segment->p_vaddr, segment->p_filesz);
  if (!offset || segment->p_filesz == 0) {
    return damaged("its dynamic table is not in the file (is it a file of debug information only?)");
  }
  auto table = file_.read_table<Dynamic>(*offset, segment->p_filesz / sizeof(Dynamic), "dynamic table");
  if (!table) return table.error();
  const auto end =
      std::find_if(table->begin(), table->end(), [](const Dynamic& entry) { return entry.d_tag == DT_NULL; });
  if (end == table->end()) return damaged("its dynamic table has no end");
  table->erase(end, table->end());
  dynamic_ = std::move(*table);
  return {};
}

Result<> ElfLibrary::read_flags() {
  const auto flags = dynamic(DT_FLAGS_1).value_or(0);
  if ((flags & DF_1_PIE) != 0) {
    return fail("it is not a shared library but an executable program; link it with -shared");
  }
  facts_.never_unloads = (flags & DF_1_NODELETE) != 0;
  facts_.has_text_relocations = dynamic(DT_TEXTREL).has_value() || (dynamic(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
  return {};
}

std::optional<std::uint64_t> ElfLibrary::dynamic(std::int64_t tag) const {
  for (const auto& entry : dynamic_) {
    if (entry.d_tag == tag) return entry.d_un.d_val;
  }
  return std::nullopt;
}

Result<> ElfLibrary::read_strings() {
  const auto address = dynamic(DT_STRTAB);
  const auto size = dynamic(DT_STRSZ);
  if (!address || !size || *size == 0) return damaged("its dynamic table names no strings");
  const auto offset = file_.offset_of(*address, *size);
  if (!offset) return damaged("its dynamic strings lie outside its segments");
  auto strings = file_.read_table<char>(*offset, *size, "dynamic strings");
  if (!strings) return strings.error();
  if (strings->back() != '\0') return damaged("its dynamic strings have no end");
  strings_ = std::move(*strings);
  strings_offset_ = *offset;
  return {};
}

Result<> ElfLibrary::read_needed_libraries() {
  for (const auto& entry : dynamic_) {
    if (entry.d_tag != DT_NEEDED) continue;
    if (entry.d_un.d_val >= strings_.size()) return damaged("the name of a library that it needs is not there");
    if (facts_.needed_libraries.size() == max_needed_libraries) {
      return damaged("it needs more than " + std::to_string(max_needed_libraries) + " libraries");
    }
    const auto name = name_at(entry.d_un.d_val);
    if (name.size() > max_name) return damaged("the name of a library that it needs has no end");
    facts_.needed_libraries.emplace_back(name);
  }
  return {};
}

Result<> ElfLibrary::read_symbols() {
  const auto address = dynamic(DT_SYMTAB);
  if (!address || dynamic(DT_SYMENT) != sizeof(Symbol)) return damaged("its dynamic table names no symbols");
  const auto count = count_symbols();
  if (!count) return count.error();
  const auto offset = file_.offset_of(*address, *count * sizeof(Symbol));
  if (!offset) return damaged("its symbol table reaches beyond its segment");
  auto symbols = file_.read_table<Symbol>(*offset, *count, "symbol table");
  if (!symbols) return symbols.error();
  symbols_ = std::move(*symbols);
  const auto nameless = [this](const Symbol& symbol) { return symbol.st_name >= strings_.size(); };
  if (std::any_of(symbols_.begin(), symbols_.end(), nameless))
    return damaged("a symbol's name lies outside its strings");
  return {};
}

// The symbol table does not say how long it is; the hash table that finds symbols in it does.
Result<std::uint64_t> ElfLibrary::count_symbols() {
  if (const auto address = dynamic(DT_GNU_HASH)) {
    const auto offset = file_.offset_of(*address, 4 * sizeof(std::uint32_t));
    if (!offset) return damaged("its symbol hash table lies outside its segments");
    return count_gnu_hash_symbols(*offset);
  }
  const auto address = dynamic(DT_HASH);
  if (!address) return damaged("it has no symbol hash table");
  const auto offset = file_.offset_of(*address, 2 * sizeof(std::uint32_t));
  if (!offset) return damaged("its symbol hash table lies outside its segments");
  const auto sizes = file_.read_table<std::uint32_t>(*offset, 2, "symbol hash table");
  if (!sizes) return sizes.error();
  if (sizes->front() == 0) return damaged("its symbol hash table is empty");
  return sizes->back();
}

Result<std::uint64_t> ElfLibrary::count_gnu_hash_symbols(std::uint64_t offset) {
  struct HashHeader {
    std::uint32_t buckets;
    std::uint32_t first_symbol;  // those before it are undefined, and not in the hash table
    std::uint32_t bloom_words;
    std::uint32_t bloom_shift;
  };
  const auto header = file_.read_table<HashHeader>(offset, 1, "symbol hash table");
  if (!header) return header.error();
  const auto& hash = header->front();
  if (hash.buckets == 0 || !std::has_single_bit(hash.bloom_words)) return damaged("its symbol hash table is malformed");
  const auto buckets_at = offset + sizeof(HashHeader) + hash.bloom_words * sizeof(ElfW(Addr));
  const auto buckets = file_.read_table<std::uint32_t>(buckets_at, hash.buckets, "symbol hash table");
  if (!buckets) return buckets.error();

  const std::uint64_t last_chain = *std::max_element(buckets->begin(), buckets->end());
  if (last_chain < hash.first_symbol) return hash.first_symbol;
  const auto chains_at = buckets_at + buckets->size() * sizeof(std::uint32_t);
  const auto links = count_chain(chains_at + (last_chain - hash.first_symbol) * sizeof(std::uint32_t));
  if (!links) return links.error();
  return last_chain + *links;
}

// The links of a chain are consecutive words; the last one has its lowest bit set. The chain of the last symbols ends
// with the symbol table.
Result<std::uint64_t> ElfLibrary::count_chain(std::uint64_t offset) {
  constexpr std::uint64_t block = 256;
  std::uint64_t count = 0;
  while (offset < file_.size()) {
    const auto words = std::clamp((file_.size() - offset) / sizeof(std::uint32_t), std::uint64_t{1}, block);
    const auto links = file_.read_table<std::uint32_t>(offset, words, "symbol hash table");
    if (!links) return links.error();
    const auto end = std::find_if(links->begin(), links->end(), [](std::uint32_t link) { return (link & 1) != 0; });
    count += static_cast<std::uint64_t>(end - links->begin());
    if (end != links->end()) return count + 1;
    offset += words * sizeof(std::uint32_t);
  }
  return damaged("its symbol hash table has no end");
}

std::string_view ElfLibrary::name_at(std::uint64_t offset) const {
  const auto rest = std::string_view(strings_.data(), strings_.size()).substr(static_cast<std::size_t>(offset));
  const auto most = rest.substr(0, max_name + 1);
  return most.substr(0, most.find('\0'));
}

bool ElfLibrary::string_begins(std::uint64_t offset, std::string_view beginning) const {
  const std::string_view strings(strings_.data(), strings_.size());
  return strings.substr(static_cast<std::size_t>(offset)).starts_with(beginning);
}

void ElfLibrary::note_other(const Symbol& symbol) {
  // Those of linkers, and of sanitizers, which are in each library that they have built.
  constexpr std::array own{"_init\0"sv,       "_fini\0"sv, "_edata\0"sv,  "_end\0"sv,
                           "__bss_start\0"sv, "__asan_"sv, "__odr_asan"sv};
  if (std::ranges::any_of(own, [&](auto name) { return string_begins(symbol.st_name, name); })) return;
  constexpr std::size_t examples = 3;
  if (facts_.other_symbol_count++ < examples) facts_.other_symbol_examples.emplace_back(name_at(symbol.st_name));
}

Result<> ElfLibrary::note_symbol(const Symbol& symbol, std::string_view entry_symbol_prefix) {
  // Both fields have the same layout in both word sizes.
  const auto binding = ELF64_ST_BIND(symbol.st_info);
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF) {
    if (string_begins(symbol.st_name, "__cxa_thread_atexit\0"sv) ||
        string_begins(symbol.st_name, "__cxa_thread_atexit_impl\0"sv)) {
      facts_.has_thread_exit_destructors = true;
    }
    return {};
  }
  if (binding == STB_GNU_UNIQUE) {
    constexpr std::size_t examples = 3;
    if (facts_.unique_symbol_count++ < examples) facts_.unique_symbol_examples.emplace_back(name_at(symbol.st_name));
  }
  const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
  if (binding == STB_LOCAL) return {};
  if (!string_begins(symbol.st_name, entry_symbol_prefix)) {
    const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    // An absolute one is the name of a version of symbols.
    if (symbol.st_shndx != SHN_ABS && (visibility == STV_DEFAULT || visibility == STV_PROTECTED)) note_other(symbol);
    return {};
  }
  if (!is_function) return {};
  const auto name = name_at(symbol.st_name);
  if (name.size() > max_name) return damaged("the name of an entry function has no end");
  if (facts_.entry_symbols.size() == max_entry_symbols) {
    return damaged("it has more than " + std::to_string(max_entry_symbols) + " entry functions");
  }
  facts_.entry_symbols.emplace_back(name);
  return {};
}

Result<std::vector<ElfName>> ElfLibrary::read_names() {
  constexpr std::array<Step, 6> steps{&ElfLibrary::read_dynamic_table,   &ElfLibrary::read_strings,
                                      &ElfLibrary::read_symbols,         &ElfLibrary::note_names,
                                      &ElfLibrary::note_needed_versions, &ElfLibrary::note_defined_versions};
  for (const auto step : steps) {
    if (const auto done = (this->*step)(); !done) return done.error();
  }
  mark_shared_names();
  return std::move(names_);
}

Result<> ElfLibrary::note_names() {
  for (const auto& entry : dynamic_) {
    const auto string = entry.d_un.d_val;
    Result<> noted;
    switch (entry.d_tag) {
      case DT_SONAME:
        noted = note_name(ElfName::Use::own, string);
        break;
      case DT_NEEDED:
        noted = note_name(ElfName::Use::needed, string);
        break;
      case DT_RPATH:
      case DT_RUNPATH:
      case DT_AUXILIARY:
      case DT_FILTER:
        other_strings_.push_back(string);
        break;
      default:
        break;
    }
    if (noted.has_error()) return noted;
  }
  for (const auto& symbol : symbols_)
    other_strings_.push_back(symbol.st_name);
  return {};
}

Result<> ElfLibrary::note_needed_versions() {
  const auto address = dynamic(DT_VERNEED);
  const auto count = dynamic(DT_VERNEEDNUM).value_or(0);
  if (!address || count > max_needed_libraries) return {};
  auto at = file_.offset_of(*address, sizeof(ElfW(Verneed)));
  for (std::uint64_t i = 0; at && i < count; ++i) {
    const auto need = file_.read_table<ElfW(Verneed)>(*at, 1, "needed versions");
    if (!need) return need.error();
    if (auto noted = note_name(ElfName::Use::of_version, need->front().vn_file); noted.has_error()) return noted;
    auto version_at = *at + need->front().vn_aux;
    for (unsigned left = need->front().vn_cnt; left > 0; --left) {
      const auto version = file_.read_table<ElfW(Vernaux)>(version_at, 1, "needed versions");
      if (!version) return version.error();
      other_strings_.push_back(version->front().vna_name);
      if (version->front().vna_next == 0) break;
      version_at += version->front().vna_next;
    }
    if (need->front().vn_next == 0) break;
    *at += need->front().vn_next;
  }
  return {};
}

Result<> ElfLibrary::note_defined_versions() {
  const auto address = dynamic(DT_VERDEF);
  constexpr std::uint64_t most = 65'536;  // their numbers have 16 bits
  const auto count = dynamic(DT_VERDEFNUM).value_or(0);
  if (!address || count > most) return {};
  auto at = file_.offset_of(*address, sizeof(ElfW(Verdef)));
  for (std::uint64_t i = 0; at && i < count; ++i) {
    const auto definition = file_.read_table<ElfW(Verdef)>(*at, 1, "defined versions");
    if (!definition) return definition.error();
    const auto& defined = definition->front();
    const auto name = file_.read_table<ElfW(Verdaux)>(*at + defined.vd_aux, 1, "defined versions");
    if (!name) return name.error();
    // The first is the library's own name once more, which nobody looks up.
    if ((defined.vd_flags & VER_FLG_BASE) == 0) other_strings_.push_back(name->front().vda_name);
    if (defined.vd_next == 0) break;
    *at += defined.vd_next;
  }
  return {};
}

Result<> ElfLibrary::note_name(ElfName::Use use, std::uint64_t string) {
  if (names_.size() == 2 * max_needed_libraries) return damaged("it names too many libraries that it needs");
  if (string >= strings_.size()) return damaged("the name of a library that it needs is not there");
  const auto name = name_at(string);
  if (name.size() > max_name) return damaged("the name of a library that it needs has no end");
  names_.push_back({use, std::string(name), string, false});
  return {};
}

// Linkers let a string end another one, which is longer: both are the same bytes.
void ElfLibrary::mark_shared_names() {
  std::ranges::sort(other_strings_);
  for (auto& name : names_) {
    const auto begin = static_cast<std::size_t>(name.offset);
    const auto end = begin + name.text.size();
    auto first = begin;
    while (first > 0 && strings_[first - 1] != '\0')
      --first;
    const auto other = std::ranges::lower_bound(other_strings_, first);
    name.shares_bytes =
        (other != other_strings_.end() && *other < end) || std::ranges::any_of(names_, [&](const ElfName& each) {
          return each.offset != name.offset && each.offset >= first && each.offset < end;
        });
  }
  for (auto& name : names_)
    name.offset += strings_offset_;
}

}  // namespace

bool is_elf(std::string_view first_bytes) {
  return first_bytes.starts_with(std::string_view(ELFMAG, SELFMAG));
}

Result<LibraryFacts> read_elf_library(std::istream& stream, std::uint64_t size, std::string_view entry_symbol_prefix) {
  auto file = ElfFile::open(stream, size);
  if (!file) return file.error();
  return ElfLibrary(std::move(*file)).read_facts(entry_symbol_prefix);
}

Result<std::vector<ElfName>> read_elf_names(std::istream& stream, std::uint64_t size) {
  auto file = ElfFile::open(stream, size);
  if (!file) return file.error();
  return ElfLibrary(std::move(*file)).read_names();
}

}  // namespace mcph
