#include "transport/streamable_http/request_id.hpp"

#include <string_view>
#include <utility>

#include "protocol/envelope_reader.hpp"
#include "protocol/message.hpp"

namespace mcph {

std::string id_of(const HttpRequest& request) {
  constexpr std::size_t soon = std::size_t{64} << 10;
  EnvelopeReader reader;
  reader.feed(request.body.text().substr(0, soon));
  auto envelope = reader.envelope();
  return envelope.kind == Message::Kind::request ? std::move(envelope.id) : std::string();
}

}  // namespace mcph
