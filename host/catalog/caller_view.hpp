// A call that knows what its caller sees of the catalog, which a call in the host's own process does and one in a
// worker does not. Any thread.
#pragma once

#include <memory>

namespace mcph {

class Catalog;

class CallerView {
 public:
  // At this moment. Never null.
  virtual std::shared_ptr<const Catalog> caller_view() const = 0;

 protected:
  ~CallerView() = default;
};

}  // namespace mcph
