#include "transport/streamable_http/authorization.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "protocol/envelope_reader.hpp"
#include "protocol/message.hpp"

namespace mcph {
namespace {

// The error reaches its request where its id is soon found. Nothing else of the body is looked at.
std::string id_of(const HttpRequest& request) {
  constexpr std::size_t soon = std::size_t{64} << 10;
  EnvelopeReader reader;
  reader.feed(std::string_view(request.body.text()).substr(0, soon));
  auto envelope = reader.envelope();
  return envelope.kind == Message::Kind::request ? std::move(envelope.id) : std::string();
}

HttpRefusal refuse(const HttpRequest& request, const CredentialError& error) {
  const bool invalid = error.kind == CredentialError::Kind::invalid;
  const auto message = invalid
                           ? "Unauthorized: " + error.description
                           : std::string("Unauthorized: send a token in the header \"Authorization: Bearer TOKEN\"");
  // Nothing is said of an error where there was no credential (RFC 6750 section 3.1).
  const auto challenge = invalid ? R"(Bearer error="invalid_token", error_description=")" + error.description + "\""
                                 : std::string("Bearer");
  return {.status = 401,
          .message = message,
          .fields = {{"WWW-Authenticate", challenge}},
          .body = error_response(id_of(request), {error_code::unauthorized, message})};
}

}  // namespace

HttpMiddleware authenticate_by(const Current<AccessState>& access) {
  return [&access](HttpRequest& request) -> std::optional<HttpRefusal> {
    // What a browser asks before it sends a credential (Fetch, "CORS-preflight fetch").
    if (request.method == boost::beast::http::verb::options) return std::nullopt;
    auto found = access.get()->authenticate(request.fields.authorization, std::chrono::system_clock::now());
    if (found.has_error()) return refuse(request, found.error());
    request.principal = *std::move(found);
    return std::nullopt;
  };
}

}  // namespace mcph
