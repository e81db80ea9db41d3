// A view of binary data, from anything that holds bytes side by side: std::string, std::vector<std::uint8_t>,
// std::vector<std::byte>, std::array, std::span. Owns nothing; used for parameters only.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace mcp {

class Bytes {
 public:
  constexpr Bytes() = default;

  template <class Range>
  requires requires(const Range& range) {
    range.data();
    requires sizeof(*range.data()) == 1;
    requires std::is_trivially_copyable_v<std::remove_cvref_t<decltype(*range.data())>>;
    range.size();
  }
  Bytes(const Range& range)  // NOLINT(google-explicit-constructor): a parameter type
      : view_(reinterpret_cast<const char*>(range.data()), range.size()) {}

  std::string_view view() const { return view_; }

 private:
  std::string_view view_;
};

}  // namespace mcp
