#include "symbolizer/debug_data.hpp"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <optional>
#include <span>
#include <string_view>

namespace mcph {
namespace {

constexpr std::size_t max_inlined = 32;

std::string text_of(const char* text) {
  return text == nullptr ? std::string() : text;
}

std::string name_of(Dwarf_Die& function) {
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute{};
    if (const char* const linked = ::dwarf_formstring(::dwarf_attr_integrate(&function, name, &attribute));
        linked != nullptr) {
      return linked;
    }
  }
  return text_of(::dwarf_diename(&function));
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

struct Scopes {
  Scopes() = default;
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  ~Scopes() { std::free(dies); }  // NOLINT(cppcoreguidelines-no-malloc): libdw's

  Dwarf_Die* dies = nullptr;
};

// What a concrete block of code is in, itself first: the blocks and inlined functions around it, up to its function.
std::vector<Dwarf_Die> blocks_around(Dwarf_Die& unit, Dwarf_Addr address) {
  // The innermost block; the further ones are those around where its function is defined, not around where it is
  // inlined, so they are looked for again.
  Scopes innermost;
  if (::dwarf_getscopes(&unit, address, &innermost.dies) <= 0) return {};
  Scopes around;
  const int count = ::dwarf_getscopes_die(innermost.dies, &around.dies);
  if (count <= 0) return {};
  const std::span all(around.dies, static_cast<std::size_t>(count));
  return {all.begin(), all.end()};
}

std::optional<std::uint64_t> first_mapped(Elf* elf) {
  std::size_t count = 0;
  if (elf == nullptr || ::elf_getphdrnum(elf, &count) != 0) return std::nullopt;
  constexpr std::uint64_t page = 4096;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment{};
    if (::gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_LOAD)
      return segment.p_vaddr & ~(page - 1);
  }
  return std::nullopt;
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
  first_address_ = first_mapped(elf_.get()).value_or(0);
}

bool DebugData::find_unit(Dwarf_Addr address, Dwarf_Die& unit) const {
  if (::dwarf_addrdie(dwarf_.get(), address, &unit) != nullptr) return true;
  // Not every compiler writes which addresses each unit has.
  Dwarf_CU* each = nullptr;
  Dwarf_Die skeleton{};
  while (::dwarf_get_units(dwarf_.get(), each, &each, nullptr, nullptr, &skeleton, nullptr) == 0) {
    unit = skeleton;
    if (::dwarf_haspc(&unit, address) > 0) return true;
  }
  return false;
}

std::vector<SourceFrame> DebugData::frames_at(std::uint64_t offset) const {
  const auto address = first_address_ + offset;
  std::vector<SourceFrame> frames;
  Dwarf_Die unit{};
  if (dwarf_ != nullptr && find_unit(address, unit)) {
    auto place = place_in_lines(unit, address);
    for (auto& block : blocks_around(unit, address)) {
      const int kind = ::dwarf_tag(&block);
      if (kind != DW_TAG_inlined_subroutine && kind != DW_TAG_subprogram) continue;
      frames.push_back(std::move(place));
      frames.back().function = name_of(block);
      if (kind == DW_TAG_subprogram || frames.size() == max_inlined) break;
      place = place_of_call(unit, block);
    }
    if (frames.empty() && place.line > 0) frames.push_back(std::move(place));
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
  std::string text;
  for (ssize_t i = 0; i < size; ++i) {
    const unsigned byte = static_cast<const unsigned char*>(bytes)[i];
    text += digits[byte >> 4U];
    text += digits[byte & low_bits];
  }
  return text;
}

}  // namespace mcph
