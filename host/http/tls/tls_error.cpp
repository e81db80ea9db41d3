#include "http/tls/tls_error.hpp"

#include <openssl/err.h>

namespace mcph {

std::string tls_error_words() {
  const auto error = ERR_peek_last_error();
  ERR_clear_error();
  const char* const words = error == 0 ? nullptr : ERR_reason_error_string(error);
  return words == nullptr ? "unknown error" : words;
}

}  // namespace mcph
