// Store: the small values that a plugin keeps, and that outlive its instances, its process and the host; all instances
// of the plugin have the same ones. Made by Plugin::store. A value that refers to the host, so it lives no longer than
// the Plugin; any thread. Each function waits until what it has done will last, and throws StoreError where it cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin.h>
#include <mcp/store.h>

namespace mcp {

/// The key or the value is none that can be kept, there is no room, or it cannot be read or kept now; what() says
/// which.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Store {
 public:
  Store(const mcp_host& host, const mcp_store& store) : host_(&host), store_(&store) {}

  /// Nothing if there is no such key.
  std::optional<std::string> get(std::string_view key) const;
  /// Keys are UTF-8 text of 1 to 256 bytes, values any bytes, 32768 at most.
  void put(std::string_view key, std::string_view value) const;
  /// False if there was no such key.
  bool erase(std::string_view key) const;
  /// The keys that begin so, in their order.
  std::vector<std::string> list(std::string_view prefix = {}) const;

  /// Puts what `change` makes of the value, or of nothing where there is none, and returns it. Nothing that others put
  /// meanwhile is lost: `change` is called again then.
  template <class Change>
  std::string update(std::string_view key, const Change& change) const {
    for (;;) {
      const std::optional<Entry> entry = find(key);
      std::string next = change(entry ? std::optional<std::string>(entry->value) : std::nullopt);
      if (put_if(key, next, entry ? entry->revision : 0)) return next;
    }
  }

  struct Entry {
    std::string value;
    std::uint64_t revision;  ///< another one after each put
  };
  std::optional<Entry> find(std::string_view key) const;
  /// Puts the value if the key still has this revision; 0: if there is no such key. False: it has another one.
  bool put_if(std::string_view key, std::string_view value, std::uint64_t revision) const;

 private:
  const mcp_host* host_;
  const mcp_store* store_;
};

}  // namespace mcp
