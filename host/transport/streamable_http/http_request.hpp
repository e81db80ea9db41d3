// One HTTP request, from bytes to what it asks for: read by Beast within this server's limits, and admitted or refused
// before its body is looked at. No sockets here. A reader belongs to one connection, on whose lane it is used; the
// functions are free of state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>

#include "transport/streamable_http/http_body.hpp"
#include "transport/streamable_http/http_fields.hpp"
#include "transport/streamable_http/http_options.hpp"
#include "transport/streamable_http/http_response.hpp"

namespace mcph {

using HttpRequest = boost::beast::http::request<LimitedBody, RequestFields>;

// Beast's parser, but for what follows the header. The fields of a trailer are checked and dropped, because they are no
// fields of the header, by which a request is admitted (RFC 9110 section 6.5.1). Extensions of chunks are counted.
class HttpRequestParser final : public boost::beast::http::request_parser<LimitedBody, RequestFields::allocator_type> {
 public:
  explicit HttpRequestParser(std::pmr::memory_resource& memory);

  // Of all chunks but the last, whose line belongs to the trailer.
  std::size_t extension_bytes() const { return extension_bytes_; }

 private:
  void on_field_impl(boost::beast::http::field name, boost::beast::string_view name_text,
                     boost::beast::string_view value, boost::beast::error_code& error) override;
  void on_chunk_header_impl(std::uint64_t size, boost::beast::string_view extensions,
                            boost::beast::error_code& error) override;

  std::size_t extension_bytes_ = 0;
};

class HttpRequestReader {
 public:
  // The limits and the memory, where the fields are, outlive it.
  HttpRequestReader(const HttpLimits& limits, std::pmr::memory_resource& memory);

  // Takes from the buffer what belongs to the request. A response: it is none that could be read on.
  std::optional<HttpResponse> take(boost::beast::flat_buffer& buffer);

  bool has_header() const { return parser_.is_header_done(); }
  // Nothing more of it is needed. Of a body that is too long that is so once it is known what it is, which is to be
  // refused; a client that waits to be told to send such a one has been refused already.
  bool is_complete() const;
  // Its bytes have all been read.
  bool is_whole() const { return parser_.is_done(); }
  // That what has come of the body takes. In bytes.
  std::size_t body_memory() const { return parser_.get().body().capacity(); }
  // Of no use any more.
  void drop_body() { parser_.get().body().drop(); }
  const HttpRequest& request() const { return parser_.get(); }

 private:
  // The rest is what the parser has not taken.
  HttpResponse refuse(boost::beast::error_code error, const boost::beast::flat_buffer& rest) const;
  std::optional<HttpResponse> refuse_coding() const;
  void announce_body();
  bool is_undecided(const boost::beast::flat_buffer& buffer) const;
  bool is_too_large(const boost::beast::flat_buffer& buffer) const;

  const HttpLimits& limits_;
  HttpRequestParser parser_;
  std::size_t header_bytes_ = 0;  // that the parser has taken; those of the trailer count
};

// An error in JSON-RPC's form, where there is no request id.
HttpResponse refusal(unsigned status, std::string message);
// The same where a later attempt may succeed.
HttpResponse unavailable(std::string message);

// Where a request goes, and the query that comes with it.
struct HttpRoute {
  enum class Endpoint { mcp, sse, messages };
  Endpoint endpoint = Endpoint::mcp;
  std::string_view query = {};
};
// Whether the request may come in at all: its target, its host, its method, its origin, its path.
std::optional<HttpResponse> admit(const HttpOptions& options, const HttpRequest& request, const HttpFields& fields,
                                  HttpRoute& route);

// What a POST must say of its content and of what it accepts.
std::optional<HttpResponse> refuse_post(const HttpFields& fields);

// The answer to OPTIONS, HEAD, and whatever method the endpoint does not have.
HttpResponse answer_method(const HttpRequest& request, HttpRoute::Endpoint endpoint);

}  // namespace mcph
