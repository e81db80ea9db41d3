// What certificates say. Plain functions; any thread.
#pragma once

#include <chrono>

#include "http/peer.hpp"

struct asn1_string_st;
struct x509_st;

namespace mcph {

// Of one whose time is beyond what the clock can say, the last that it can; of a faulty one, the clock's beginning.
std::chrono::system_clock::time_point certificate_time(const asn1_string_st* time);

// Of one that has been verified.
ClientCertificate read_client_certificate(x509_st* certificate);

}  // namespace mcph
