// What a client's certificate says. A plain function; any thread.
#pragma once

#include "http/peer.hpp"

struct x509_st;

namespace mcph {

// Of one that has been verified.
ClientCertificate read_client_certificate(x509_st* certificate);

}  // namespace mcph
