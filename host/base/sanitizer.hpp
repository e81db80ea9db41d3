// Which sanitizers check this build.
#pragma once

namespace mcph {

#if defined(__has_feature)
#define MCPH_IS_CHECKED_BY(feature) __has_feature(feature)
#else
#define MCPH_IS_CHECKED_BY(feature) 0
#endif

// AddressSanitizer finds what is used after its end only where that has been given back to malloc: then nothing is kept
// to be used again.
#if defined(__SANITIZE_ADDRESS__) || MCPH_IS_CHECKED_BY(address_sanitizer)
inline constexpr bool is_address_sanitized = true;
#else
inline constexpr bool is_address_sanitized = false;
#endif

#if defined(__SANITIZE_THREAD__) || MCPH_IS_CHECKED_BY(thread_sanitizer)
inline constexpr bool is_thread_sanitized = true;
#else
inline constexpr bool is_thread_sanitized = false;
#endif

inline constexpr bool is_sanitized = is_address_sanitized || is_thread_sanitized;

#undef MCPH_IS_CHECKED_BY

}  // namespace mcph
