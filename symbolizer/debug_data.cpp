#include "symbolizer/debug_data.hpp"

#include <cstdlib>
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <optional>
#include <string_view>
#include <utility>

namespace mcph {
namespace {

constexpr std::size_t max_inlined = 32;

std::string text_of(const char* text) {
  return text == nullptr ? std::string() : text;
}

int number_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute{};
  Dwarf_Word number = 0;
  if (::dwarf_formudata(::dwarf_attr(&die, name, &attribute), &number) != 0) return 0;
  return static_cast<int>(number);
}

// Where the code of a unit at this address is from.
SourceFrame place_in_lines(Dwarf_Die& unit, Dwarf_Addr address) {
  SourceFrame place;
  Dwarf_Line* const line = ::dwarf_getsrc_die(&unit, address);
  if (line == nullptr) return place;
  place.file = text_of(::dwarf_linesrc(line, nullptr, nullptr));
  ::dwarf_lineno(line, &place.line);
  return place;
}

// Where a function that was inlined is called.
SourceFrame place_of_call(Dwarf_Die& unit, Dwarf_Die& inlined) {
  SourceFrame place;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto file = static_cast<std::size_t>(number_of(inlined, DW_AT_call_file));
  if (::dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count) {
    place.file = text_of(::dwarf_filesrc(files, file, nullptr, nullptr));
  }
  place.line = number_of(inlined, DW_AT_call_line);
  return place;
}

// The function itself, or what it is a copy or the body of.
Dwarf_Die first_said(Dwarf_Die function) {
  constexpr int most = 8;
  for (int step = 0; step < most; ++step) {
    Dwarf_Attribute attribute{};
    Dwarf_Die earlier{};
    const bool is_found = ::dwarf_attr(&function, DW_AT_abstract_origin, &attribute) != nullptr ||
                          ::dwarf_attr(&function, DW_AT_specification, &attribute) != nullptr;
    if (!is_found || ::dwarf_formref_die(&attribute, &earlier) == nullptr) break;
    function = earlier;
  }
  return function;
}

// With the functions and types around it, where the linker has no name for it, as of a lambda.
std::string name_with_surroundings(const Dwarf_Die& function) {
  auto said = first_said(function);
  Dwarf_Die* around = nullptr;
  const int count = ::dwarf_getscopes_die(&said, &around);
  const std::unique_ptr<Dwarf_Die, void (*)(void*)> owner(around, std::free);
  std::string name;
  for (int i = 0; i < count; ++i) {
    const int kind = ::dwarf_tag(around + i);
    const char* const part = ::dwarf_diename(around + i);
    if (kind == DW_TAG_compile_unit || part == nullptr) continue;
    name = name.empty() ? part : std::string(part) + "::" + name;
  }
  return name;
}

std::string name_of(Dwarf_Die& function) {
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute{};
    if (const char* const linked = ::dwarf_formstring(::dwarf_attr_integrate(&function, name, &attribute));
        linked != nullptr) {
      return linked;
    }
  }
  return name_with_surroundings(function);
}

bool has_code_at(Dwarf_Die& die, Dwarf_Addr address) {
  return ::dwarf_haspc(&die, address) > 0;
}

template <class Take>
void for_each_child(Dwarf_Die& die, Take&& take) {
  Dwarf_Die child{};
  if (::dwarf_child(&die, &child) != 0) return;
  do {
    take(child);
  } while (::dwarf_siblingof(&child, &child) == 0);
}

// Functions may be defined in namespaces, in types, and in other functions.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the limit
void add_functions(Dwarf_Die& around, std::vector<Dwarf_Die>& functions, int depth = 0) {
  constexpr int deepest = 64;
  for_each_child(around, [&](Dwarf_Die& each) {
    const int kind = ::dwarf_tag(&each);
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    if (kind == DW_TAG_subprogram && ::dwarf_ranges(&each, 0, &base, &begin, &end) > 0) functions.push_back(each);
    const bool may_have_some = kind == DW_TAG_namespace || kind == DW_TAG_structure_type || kind == DW_TAG_class_type ||
                               kind == DW_TAG_subprogram || kind == DW_TAG_lexical_block;
    if (may_have_some && depth < deepest) add_functions(each, functions, depth + 1);
  });
}

// What was inlined into the function at this address, outermost first.
std::vector<Dwarf_Die> inlined_into(const Dwarf_Die& function, Dwarf_Addr address) {
  constexpr int deepest = 256;
  std::vector<Dwarf_Die> inlined;
  auto block = function;
  for (int depth = 0; depth < deepest; ++depth) {
    std::optional<Dwarf_Die> next;
    for_each_child(block, [&](Dwarf_Die& each) {
      const int kind = ::dwarf_tag(&each);
      const bool is_block = kind == DW_TAG_lexical_block || kind == DW_TAG_inlined_subroutine;
      if (!next && is_block && has_code_at(each, address)) next = each;
    });
    if (!next) break;
    block = *next;
    if (::dwarf_tag(&block) == DW_TAG_inlined_subroutine) inlined.push_back(block);
  }
  return inlined;
}

// What of the file is mapped.
template <class Take>
void for_each_mapped(Elf* elf, Take&& take) {
  std::size_t count = 0;
  if (elf == nullptr || ::elf_getphdrnum(elf, &count) != 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment{};
    if (::gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_LOAD) take(segment);
  }
}

std::uint64_t first_mapped(Elf* elf) {
  constexpr std::uint64_t page = 4096;
  std::optional<std::uint64_t> first;
  for_each_mapped(elf, [&](const GElf_Phdr& segment) {
    if (!first) first = segment.p_vaddr & ~(page - 1);
  });
  return first.value_or(0);
}

// The function whose symbol in this table covers the address; null: none.
const char* symbol_in(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::uint64_t address) {
  Elf_Data* const data = ::elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return nullptr;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol{};
    if (::gelf_getsym(data, i, &symbol) == nullptr) return nullptr;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    if (address - symbol.st_value < symbol.st_size) return ::elf_strptr(elf, header.sh_link, symbol.st_name);
  }
  return nullptr;
}

}  // namespace

DebugData::DebugData(int file) {
  ::elf_version(EV_CURRENT);
  elf_.reset(::elf_begin(file, ELF_C_READ_MMAP, nullptr));
  if (elf_ == nullptr) return;
  dwarf_.reset(::dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr));
  first_address_ = first_mapped(elf_.get());
}

bool DebugData::is_code(Dwarf_Addr address) const {
  bool is_in_one = false;
  for_each_mapped(elf_.get(), [&](const GElf_Phdr& segment) {
    const bool runs = (segment.p_flags & PF_X) != 0;
    is_in_one = is_in_one || (runs && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_memsz);
  });
  return is_in_one;
}

std::optional<DebugData::Function> DebugData::find_function(Dwarf_Addr address) {
  Dwarf_Die unit{};
  if (::dwarf_addrdie(dwarf_.get(), address, &unit) != nullptr) {
    if (auto found = find_function_in(unit, address)) return found;
  }
  // Not every compiler writes which addresses each unit has.
  Dwarf_CU* each = nullptr;
  while (::dwarf_get_units(dwarf_.get(), each, &each, nullptr, nullptr, &unit, nullptr) == 0) {
    if (!has_code_at(unit, address)) continue;
    if (auto found = find_function_in(unit, address)) return found;
  }
  return std::nullopt;
}

std::optional<DebugData::Function> DebugData::find_function_in(Dwarf_Die& unit, Dwarf_Addr address) {
  // To look through a unit takes milliseconds, so it is done once.
  auto [found, is_new] = functions_.try_emplace(::dwarf_dieoffset(&unit));
  if (is_new) add_functions(unit, found->second);
  for (auto& function : found->second) {
    Dwarf_Addr entry = 0;
    // What the linker has left out is still described, as if it began at 0.
    const bool is_there = ::dwarf_entrypc(&function, &entry) != 0 || is_code(entry);
    if (is_there && has_code_at(function, address)) return Function{unit, function};
  }
  return std::nullopt;
}

std::vector<SourceFrame> DebugData::frames_at(std::uint64_t offset) {
  const auto address = first_address_ + offset;
  std::vector<SourceFrame> frames;
  if (!is_code(address)) return frames;
  if (auto found = dwarf_ == nullptr ? std::nullopt : find_function(address)) {
    auto& [unit, function] = *found;
    auto place = place_in_lines(unit, address);
    auto inlined = inlined_into(function, address);
    for (auto each = inlined.rbegin(); each != inlined.rend() && frames.size() < max_inlined; ++each) {
      place.function = name_of(*each);
      frames.push_back(std::exchange(place, place_of_call(unit, *each)));
    }
    place.function = name_of(function);
    frames.push_back(std::move(place));
  }
  if (frames.empty()) frames.emplace_back();
  if (auto& function = frames.back().function; function.empty()) function = symbol_at(address);
  if (frames.back().function.empty() && frames.back().line == 0) frames.pop_back();
  return frames;
}

std::string DebugData::symbol_at(std::uint64_t address) const {
  if (elf_ == nullptr) return {};
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header{};
    if (::gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
    if (const char* const name = symbol_in(elf_.get(), section, header, address); name != nullptr) return name;
  }
  return {};
}

std::string DebugData::build_id() const {
  const void* bytes = nullptr;
  const auto size = elf_ == nullptr ? 0 : ::dwelf_elf_gnu_build_id(elf_.get(), &bytes);
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr unsigned low_bits = 15;
  constexpr ssize_t max_bytes = 64;  // linkers make 8 to 20, and who wants more says them himself
  std::string text;
  if (size > max_bytes) return text;
  for (ssize_t i = 0; i < size; ++i) {
    const unsigned byte = static_cast<const unsigned char*>(bytes)[i];
    text += digits[byte >> 4U];
    text += digits[byte & low_bits];
  }
  return text;
}

}  // namespace mcph
