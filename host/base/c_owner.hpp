// A pointer that owns what a C library has made.
#pragma once

#include <memory>

namespace mcph {

template <auto release>
struct ReleasedBy {
  template <class T>
  void operator()(T* object) const noexcept {
    release(object);
  }
};

// Gives the object back with the library's own function: COwner<BIO, BIO_free>.
template <class T, auto release>
using COwner = std::unique_ptr<T, ReleasedBy<release>>;

}  // namespace mcph
