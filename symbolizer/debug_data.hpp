// What a library's file says of the addresses in it: functions, files and lines from its DWARF data, inlined functions
// too, or a function from its symbol table where there is none. What the file says may be wrong in any way. Owned by
// main, which has one thread.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mcph {

// One function that ran there. An empty text or 0 is unknown.
struct SourceFrame {
  std::string function;  // as the linker has it
  std::string file;
  int line = 0;
};

class DebugData {
 public:
  // Of the file that the descriptor refers to.
  explicit DebugData(int file);

  // Innermost first: what was inlined, and then the function that it was inlined into. `offset` is counted from where
  // the library is mapped. Empty: nothing is known.
  std::vector<SourceFrame> frames_at(std::uint64_t offset);

  // In hex, of at most 128 digits; empty where the file has none, or a longer one.
  std::string build_id() const;

 private:
  struct Function {
    Dwarf_Die unit;
    Dwarf_Die function;
  };

  bool is_code(Dwarf_Addr address) const;
  std::optional<Function> find_function(Dwarf_Addr address);
  std::optional<Function> find_function_in(Dwarf_Die& unit, Dwarf_Addr address);
  std::string symbol_at(std::uint64_t address) const;

  struct EndElf {
    void operator()(Elf* elf) const { ::elf_end(elf); }
  };
  struct EndDwarf {
    void operator()(Dwarf* dwarf) const { ::dwarf_end(dwarf); }
  };

  std::unique_ptr<Elf, EndElf> elf_;
  std::unique_ptr<Dwarf, EndDwarf> dwarf_;  // null: it has none
  std::uint64_t first_address_ = 0;         // that is mapped
  // That have code, by the place of their unit.
  std::map<Dwarf_Off, std::vector<Dwarf_Die>> functions_ = {};
};

}  // namespace mcph
