// Expected failures are values: Result<T> is a T or an Error that says, in words a person can act on, what went wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <boost/system/result.hpp>

namespace mcph {

// By which a caller decides whether to try again.
enum class ErrorCode {
  invalid,      // the same fails again
  unavailable,  // the cause lies outside of what was asked for: the same may succeed later
  crowded,      // likewise, and nobody was asked: this host has no room for it now
  incomplete,   // of a file that somebody may still be writing
  other_kind    // it is something else than what was looked for, and no mistake
};

struct Error {
  Error() = default;  // declared, so that a text does not convert to an error
  std::string message;
  ErrorCode code = ErrorCode::invalid;

  bool may_pass() const { return code == ErrorCode::unavailable || code == ErrorCode::crowded; }
};

// With another type of error where a caller needs more of it than words, such as what a client is answered.
template <class T = void, class E = Error>
using Result = boost::system::result<T, E>;

[[nodiscard]] inline Error fail(std::string message) {
  Error error;
  error.message = std::move(message);
  return error;
}

[[nodiscard]] inline Error fail_for_now(std::string message) {
  auto error = fail(std::move(message));
  error.code = ErrorCode::unavailable;
  return error;
}

// Found by Result::value(); reaching it is a bug, because a Result is asked before it is used.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location&) {
  throw std::runtime_error(error.message);
}

}  // namespace mcph
