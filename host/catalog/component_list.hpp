// One list as clients see it: components in the order of their keys, each rendered once, read in pages. A cursor names
// the last key of the page before, so that it stays good when the list changes meanwhile. Its texts are the catalog's
// and its components', which outlive it. Immutable after the catalog is built.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace mcph {

class ComponentList {
 public:
  ComponentList() = default;
  // `kind` makes a cursor of one list an error in another.
  explicit ComponentList(std::string kind) : kind_(std::move(kind)) {}

  // Keys come in ascending order.
  void add(std::string_view key, std::string_view json) { items_.push_back({key, json}); }

  std::size_t size() const { return items_.size(); }

  struct Page {
    std::string items;        // the inside of a JSON array
    std::string next_cursor;  // opaque, base64url
    bool has_more = false;    // an empty next_cursor would be a cursor too
  };
  // At most `size` items after `cursor`; fails if the cursor was never one of this list.
  Result<Page> page(std::optional<std::string_view> cursor, std::size_t size) const;

  // Whether a client would see a difference.
  friend bool operator==(const ComponentList& a, const ComponentList& b) { return a.items_ == b.items_; }

 private:
  struct Item {
    std::string_view key;
    std::string_view json;
    friend bool operator==(const Item&, const Item&) = default;
  };

  std::string kind_;
  std::vector<Item> items_;
};

}  // namespace mcph
