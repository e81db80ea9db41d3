// What a transport repeats of a request beside it, so that those on the way need not read it: on HTTP its headers
// (2026-07-28, basic/transports/streamable-http, "Request Metadata"). Implemented by the transport; belongs to one
// request, and lives as long as that is being received.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/parameter_headers.hpp"
#include "protocol/message.hpp"

namespace mcph {

class MirroredFields {
 public:
  // An error with code -32020 if a field is missing that is required, or differs from the request.
  virtual Result<void, RpcError> check_version(std::string_view protocol_version) const = 0;
  virtual Result<void, RpcError> check(const Message& request) const = 0;
  // The same of the arguments of a tool.
  virtual Result<void, RpcError> check_arguments(const std::vector<ParameterHeader>& headers,
                                                 JsonValue arguments) const = 0;

 protected:
  ~MirroredFields() = default;
};

}  // namespace mcph
