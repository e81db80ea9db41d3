// The names that a rule's schema writes out, and whether the arguments of a call have one that whoever serves it may
// take for one of them: readers of JSON take names for the same that differ by their case (Go's encoding/json). A
// value; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/json_document.hpp"

namespace mcph {

class ArgumentNames {
 public:
  // None.
  ArgumentNames() = default;
  // Of a schema that can be compiled: of members that it describes, demands or compares with. What a pattern of names
  // stands for is not among them.
  static ArgumentNames of(const nlohmann::ordered_json& schema);

  // A member that is none of the names of its level, and differs from one by the case of ASCII letters alone. The two
  // letters beyond ASCII whose other case is in it count: a long s, and the sign of kelvin.
  std::optional<std::string> misspelt_in(JsonValue arguments) const { return misspelt_in(arguments, 0); }

 private:
  std::optional<std::string> misspelt_in(JsonValue value, std::size_t level) const;

  // By how many objects and arrays there are around theirs; what is deeper has no names. Each in the order of names
  // without their case.
  std::vector<std::vector<std::string>> levels_;
  // The first is that of all: by a reference a schema may be about any level.
  bool is_of_all_ = false;
};

}  // namespace mcph
