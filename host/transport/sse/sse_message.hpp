// What a client of the deprecated HTTP+SSE transport says, by POST. A free function; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transport/stream_clients.hpp"

namespace mcph {

// The body of a POST that the client's principal has sent. The HTTP answer to it: an error, or that it was accepted;
// the answer itself goes to the stream. `places` are kept until what the body asks for has been answered. `source` is
// the address that it comes from.
Reply post_sse_message(StreamClient& client, std::string_view body, const RequestContext& context, Server& server,
                       std::vector<std::shared_ptr<const void>> places = {}, std::string source = {});

}  // namespace mcph
