// The headers of an HTTP request that mirror its body (2026-07-28, basic/transports/streamable-http, "Request Metadata"
// and "Custom Headers from Tool Parameters"). Belongs to one request; any thread.
#pragma once

#include "protocol/mirrored_fields.hpp"
#include "transport/streamable_http/request_head.hpp"

namespace mcph {

class MirroredHeaders final : public MirroredFields {
 public:
  // The head outlives it.
  explicit MirroredHeaders(const HttpHead& head) : head_(head) {}

  Result<void, RpcError> check_version(std::string_view protocol_version) const override;
  Result<void, RpcError> check(const Message& request) const override;
  Result<void, RpcError> check_arguments(const std::vector<ParameterHeader>& headers,
                                         JsonValue arguments) const override;

 private:
  const HttpHead& head_;
};

}  // namespace mcph
