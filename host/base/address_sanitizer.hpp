// Whether AddressSanitizer checks this build. It finds what is used after its end only where that has been given back
// to malloc: then nothing is kept to be used again.
#pragma once

namespace mcph {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_address_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool is_address_sanitized = true;
#else
inline constexpr bool is_address_sanitized = false;
#endif
#else
inline constexpr bool is_address_sanitized = false;
#endif

}  // namespace mcph
