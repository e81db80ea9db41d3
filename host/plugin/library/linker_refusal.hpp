// Why the dynamic linker does not load a library, in words that a person can act on: glibc's are known, others are
// passed on as they are. A plain function without state, callable from any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace mcph {

// `what` is what Boost.DLL throws, or dlerror's own text. The error calls the library "it": its private copy, which is
// at `private_path`, is nobody's concern.
Error linker_refusal(std::string_view what, const std::string& private_path);

}  // namespace mcph
