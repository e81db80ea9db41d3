// Why a call is cancelled, for the model that made it.
#pragma once

#include <string>

#include <mcp/plugin/context.hpp>

namespace mcp::detail {

inline std::string cancellation_text(CancelReason reason) {
  switch (reason) {
    case CancelReason::Client:
      return "The call was cancelled by the client.";
    case CancelReason::Deadline:
      return "The call was cancelled, because it took too long.";
    case CancelReason::Shutdown:
      return "The call was cancelled, because the server is stopping.";
    case CancelReason::Reload:
      return "The call was cancelled, because the plugin was replaced or removed.";
    case CancelReason::None:
      break;
  }
  return "The call was cancelled.";
}

}  // namespace mcp::detail
