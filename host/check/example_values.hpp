// Values that a JSON Schema takes, those at its borders, and some that it does not take, for the keywords that are
// usual. Each is looked at by the validator before it is given out, so that none is what it is not said to be; a schema
// may be too hard for it, and then there are none. A value; one thread at a time. The schema outlives it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "schema/schema.hpp"

namespace mcph {

class ExampleValues {
 public:
  // `compiled` is the same schema.
  ExampleValues(const OrderedJson& schema, Schema compiled) : schema_(schema), compiled_(std::move(compiled)) {}

  struct Named {
    std::string what;  // "`text` empty"
    Json value;
  };

  // With as much as it may have, or else as little; nothing: none was found.
  std::optional<Json> usual() const;
  // Of an object, one member at a time: the smallest and the largest numbers, empty and long texts, text that is not
  // ASCII, and without what need not be there.
  std::vector<Named> border() const;
  // Each of which has one thing that the schema does not take.
  std::vector<Named> invalid() const;

 private:
  enum class Extent { all, required };

  bool takes(const Json& value) const { return !compiled_.validate(value); }
  // The whole of a value.
  Json make_new(const OrderedJson& schema, Extent extent) const;
  Json make(const OrderedJson& schema, Extent extent, std::size_t depth) const;
  Json make_object(const OrderedJson& schema, Extent extent, std::size_t depth) const;
  Json make_array(const OrderedJson& schema, Extent extent, std::size_t depth) const;
  // With its references followed, and its alternatives and parts put together.
  OrderedJson flat(const OrderedJson& schema, std::size_t depth) const;
  std::vector<Named> border_of(const std::string& name, const OrderedJson& schema) const;

  const OrderedJson& schema_;
  Schema compiled_;
  // That have been looked at for the value that is made: there are very many where a schema contains itself repeatedly.
  mutable std::size_t nodes_ = 0;
};

}  // namespace mcph
