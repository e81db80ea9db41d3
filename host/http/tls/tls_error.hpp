// The words for what OpenSSL has found wrong. Plain functions; of the thread on which it happened.
#pragma once

#include <string>

namespace mcph {

// Of the last error, which is forgotten thereby; never empty.
std::string tls_error_words();

}  // namespace mcph
