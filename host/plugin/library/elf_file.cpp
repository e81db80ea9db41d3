#include "plugin/library/elf_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/hexadecimal.hpp"

namespace mcph {
namespace {

using namespace std::string_view_literals;

constexpr unsigned char native_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char native_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
constexpr std::uint16_t native_machine =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__i386__)
    EM_386;
#elif defined(__aarch64__)
    EM_AARCH64;
#elif defined(__arm__)
    EM_ARM;
#elif defined(__riscv)
    EM_RISCV;
#elif defined(__powerpc64__)
    EM_PPC64;
#elif defined(__s390x__)
    EM_S390;
#elif defined(__loongarch__)
    EM_LOONGARCH;
#else
#error "name the ELF machine number of this architecture"
#endif

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "x86";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "Arm";
    case EM_AARCH64:
      return "AArch64 (arm64)";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "POWER";
    case EM_S390:
      return "IBM Z";
    case EM_LOONGARCH:
      return "LoongArch";
    case EM_MIPS:
      return "MIPS";
    default:
      return "ELF machine " + std::to_string(machine);
  }
}

std::string platform_name(std::uint16_t machine, unsigned char word_class, unsigned char order) {
  return machine_name(machine) + (word_class == ELFCLASS64 ? ", 64 bit" : ", 32 bit") +
         (order == ELFDATA2LSB ? ", little-endian" : ", big-endian");
}

bool fits(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
  return size <= limit && offset <= limit - size;
}

// The first bytes of the header, whose layout is the same in both word sizes.
struct Identity {
  unsigned char ident[EI_NIDENT];
  std::uint16_t type;
  std::uint16_t machine;
};

Result<> check_platform(const Identity& identity) {
  const auto word_class = identity.ident[EI_CLASS];
  const auto order = identity.ident[EI_DATA];
  if ((word_class != ELFCLASS32 && word_class != ELFCLASS64) || (order != ELFDATA2LSB && order != ELFDATA2MSB)) {
    return damaged("its header names no word size or byte order that exists");
  }
  const auto raw = identity.machine;
  const auto machine = order == native_order ? raw : static_cast<std::uint16_t>((raw << 8) | (raw >> 8));
  if (word_class == native_class && order == native_order && machine == native_machine) return {};
  return fail("it was built for " + platform_name(machine, word_class, order) + ", but this host runs on " +
              platform_name(native_machine, native_class, native_order) + "; build it for this machine");
}

Result<> check_kind(const ElfFile::Header& header) {
  switch (header.e_type) {
    case ET_DYN:
      break;
    case ET_REL:
      return fail("it is not a shared library but an object file (.o); link it with -shared");
    case ET_EXEC:
      return fail("it is not a shared library but an executable program; link it with -shared");
    case ET_CORE:
      return fail("it is not a shared library but the core dump of a program");
    default:
      return damaged("its header names no kind of ELF file that exists");
  }
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(ElfFile::Segment)) {
    return damaged("it has no program segments");
  }
  return {};
}

// The build id among the notes of one segment; empty if it is not there.
std::string find_build_id(const std::vector<unsigned char>& notes, std::uint64_t alignment) {
  constexpr std::string_view owner = "GNU\0"sv;
  const auto aligned = [alignment](std::uint64_t offset) { return (offset + alignment - 1) / alignment * alignment; };
  std::uint64_t at = 0;
  ElfW(Nhdr) note{};
  while (fits(at, sizeof note, notes.size())) {
    std::memcpy(&note, notes.data() + at, sizeof note);
    const auto name = at + sizeof note;
    const auto content = aligned(name + note.n_namesz);
    if (!fits(content, note.n_descsz, notes.size())) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == owner.size() &&
        std::memcmp(notes.data() + name, owner.data(), owner.size()) == 0) {
      return hexadecimal(notes.data() + content, note.n_descsz);
    }
    at = aligned(content + note.n_descsz);
  }
  return {};
}

}  // namespace

Error damaged(std::string_view what) {
  return fail("it is damaged: " + std::string(what) + "; build it or copy it again");
}

Result<ElfFile> ElfFile::open(std::istream& stream, std::uint64_t size) {
  ElfFile file(stream, size);
  if (const auto done = file.read_header(); !done) return done.error();
  if (const auto done = file.check_sections(); !done) return done.error();
  if (const auto done = file.read_segments(); !done) return done.error();
  return file;
}

Result<> ElfFile::require(std::uint64_t offset, std::uint64_t size, std::string_view part) const {
  if (fits(offset, size, size_)) return {};
  if (size > UINT64_MAX - offset) return damaged("its " + std::string(part) + " ends beyond all addresses");
  return fail("it is truncated: its " + std::string(part) + " should end at byte " + std::to_string(offset + size) +
              ", but the file has " + std::to_string(size_) + " bytes; copy it again");
}

Result<> ElfFile::read_bytes(std::uint64_t offset, char* into, std::uint64_t size, std::string_view part) {
  stream_->clear();
  stream_->seekg(static_cast<std::streamoff>(offset));
  if (!stream_->read(into, static_cast<std::streamsize>(size))) {
    return fail("its " + std::string(part) + " could not be read");
  }
  return {};
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address, std::uint64_t size) const {
  for (const auto& segment : segments_) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        fits(address - segment.p_vaddr, size, segment.p_filesz)) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

Result<> ElfFile::read_header() {
  const auto identity = read_table<Identity>(0, 1, "ELF header");
  if (!identity) return identity.error();
  if (const auto checked = check_platform(identity->front()); !checked) return checked.error();
  const auto header = read_table<Header>(0, 1, "ELF header");
  if (!header) return header.error();
  header_ = header->front();
  return check_kind(header_);
}

// The dynamic linker needs no sections, and a library may have none. But their table is the last thing in most files,
// so it is the first to show that the end of a file is missing or was never filled.
Result<> ElfFile::check_sections() {
  if (header_.e_shoff == 0) return {};
  if (header_.e_shentsize != sizeof(Section)) return damaged("its section table has entries of another size");
  std::uint64_t count = header_.e_shnum;
  std::uint64_t names = header_.e_shstrndx;
  if (count == 0 || names == SHN_XINDEX) {  // Too many for the header: the first entry holds the numbers.
    const auto first = read_table<Section>(header_.e_shoff, 1, "section table");
    if (!first) return first.error();
    if (count == 0) count = first->front().sh_size;
    if (names == SHN_XINDEX) names = first->front().sh_link;
  }
  const auto sections = read_table<Section>(header_.e_shoff, count, "section table");
  if (!sections) return sections.error();
  if (count == 0 || sections->front().sh_type != SHT_NULL) return damaged("its section table does not begin as one");
  if (names >= count) return damaged("its section table lacks the section of names");
  const auto& name_section = (*sections)[static_cast<std::size_t>(names)];
  if (names != SHN_UNDEF && name_section.sh_type != SHT_STRTAB) {
    return damaged("its section table has no names where they should be");
  }
  for (const auto& section : *sections) {
    if (section.sh_type == SHT_NULL) continue;
    if (names != SHN_UNDEF && section.sh_name >= name_section.sh_size) return damaged("a section has no name");
    if (const auto checked = check_section(section, *sections); !checked) return checked.error();
  }
  return {};
}

Result<> ElfFile::check_section(const Section& section, const std::vector<Section>& all) const {
  if (section.sh_type == SHT_NOBITS) return {};
  if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
    if (section.sh_entsize != sizeof(ElfW(Sym))) return damaged("a symbol table has entries of another size");
    if (section.sh_link >= all.size() || all[section.sh_link].sh_type != SHT_STRTAB) {
      return damaged("a symbol table lacks its names");
    }
  }
  return require(section.sh_offset, section.sh_size, "sections");
}

Result<> ElfFile::read_segments() {
  auto segments = read_table<Segment>(header_.e_phoff, header_.e_phnum, "program header table");
  if (!segments) return segments.error();
  segments_ = std::move(*segments);
  for (const auto& segment : segments_) {
    if (segment.p_type == PT_INTERP) {
      return fail("it is not a shared library but an executable program; link it with -shared");
    }
    if (segment.p_type == PT_NULL) continue;
    if (const auto inside = require(segment.p_offset, segment.p_filesz, "program segments"); !inside)
      return inside.error();
  }
  return check_load_segments();
}

// The dynamic linker takes these for granted and maps garbage where they do not hold.
Result<> ElfFile::check_load_segments() const {
  std::uint64_t end = 0;
  std::size_t count = 0;
  for (const auto& segment : segments_) {
    if (segment.p_type != PT_LOAD) continue;
    constexpr std::uint64_t address_space = std::numeric_limits<ElfW(Addr)>::max();
    if (segment.p_filesz > segment.p_memsz || !fits(segment.p_vaddr, segment.p_memsz, address_space) ||
        segment.p_vaddr < end) {
      return damaged("its program segments overlap or are out of order");
    }
    end = segment.p_vaddr + segment.p_memsz;
    ++count;
  }
  if (count == 0) return damaged("none of its program segments is to be loaded");
  return {};
}

std::string ElfFile::read_build_id() {
  constexpr std::uint64_t most = 4096;  // bytes; a build id's segment has some 40, a note of another kind may be huge
  for (const auto& segment : segments_) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > most) continue;
    const auto notes = read_table<unsigned char>(segment.p_offset, segment.p_filesz, "notes");
    if (!notes) continue;
    if (auto found = find_build_id(*notes, segment.p_align == 8 ? 8 : 4); !found.empty()) return found;
  }
  return {};
}

}  // namespace mcph
