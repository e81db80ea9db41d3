// One HTTP request, from bytes to what it asks for: read by Beast within this server's limits. No sockets here. Both
// belong to one connection, on whose event loop they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/verb.hpp>

#include "base/ip_address.hpp"
#include "base/principal.hpp"
#include "http/body.hpp"
#include "http/fields.hpp"
#include "http/options.hpp"
#include "http/peer.hpp"
#include "http/response.hpp"

namespace mcph {

// As it has been read.
struct HttpMessage {
  explicit HttpMessage(std::pmr::memory_resource& memory = *std::pmr::get_default_resource())
      : target(&memory), fields(memory) {}

  boost::beast::http::verb method = boost::beast::http::verb::unknown;
  unsigned version = 11;  // of HTTP: 10, 11
  std::pmr::string target;
  RequestFields fields;
  HttpBody body;
};

// What Beast's parser finds becomes a message. The fields of a trailer are checked and dropped, because they are no
// fields of the header, by which a request is admitted (RFC 9110 section 6.5.1). Extensions of chunks are counted.
class HttpRequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  explicit HttpRequestParser(std::pmr::memory_resource& memory) : message_(memory) {}

  HttpMessage& message() { return message_; }
  const HttpMessage& message() const { return message_; }
  // Of all chunks but the last, whose line belongs to the trailer.
  std::size_t extension_bytes() const { return extension_bytes_; }

 private:
  using Text = boost::beast::string_view;
  using Error = boost::beast::error_code;

  void on_request_impl(boost::beast::http::verb method, Text method_text, Text target, int version,
                       Error& error) override;
  void on_field_impl(boost::beast::http::field name, Text name_text, Text value, Error& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, Error& error) override;
  std::size_t on_body_impl(Text bytes, Error& error) override;
  void on_chunk_header_impl(std::uint64_t size, Text extensions, Error& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t rest, Text bytes, Error& error) override;
  void on_response_impl(int /*status*/, Text /*reason*/, int /*version*/, Error& /*error*/) override {}
  void on_header_impl(Error& /*error*/) override {}
  void on_finish_impl(Error& /*error*/) override {}

  HttpMessage message_;
  std::size_t extension_bytes_ = 0;
};

class HttpRequestReader {
 public:
  // The limits and the memory, where the fields are, outlive it. Null: nobody reads a body that is too long.
  HttpRequestReader(const HttpLimits& limits, std::pmr::memory_resource& memory, MakeBodyScanner body_scanner);

  // Whether anything has come of the request. Empty lines before it are nothing, and taken from the buffer (RFC 9112
  // section 2.2).
  bool has_begun(boost::beast::flat_buffer& buffer) const;
  // Takes from the buffer what belongs to the request. A refusal: it is none that could be read on.
  HttpChecked take(boost::beast::flat_buffer& buffer);

  // Where the rest of a large body is to be read to, which is its place, while nothing of the request waits in a
  // buffer; empty: into that buffer. And what has come there.
  std::span<char> room_in_place();
  HttpChecked take_in_place(std::string_view bytes);

  bool has_header() const { return parser_.is_header_done(); }
  // Nothing more of it is needed. Of a body that is too long that is so once it is known what it is, which is to be
  // refused; a client that waits to be told to send such a one has been refused already.
  bool is_complete() const;
  // Its bytes have all been read.
  bool is_whole() const { return parser_.is_done(); }
  // That what has come of the body takes. In bytes.
  std::size_t body_memory() const { return parser_.message().body.capacity(); }
  const HttpMessage& message() const { return parser_.message(); }
  HttpMessage& message() { return parser_.message(); }

 private:
  // The rest is what the parser has not taken.
  HttpRefusal refuse(boost::beast::error_code error, const boost::beast::flat_buffer& rest) const;
  HttpChecked refuse_coding() const;
  void announce_body();
  bool is_undecided(const boost::beast::flat_buffer& buffer) const;
  bool is_too_large(const boost::beast::flat_buffer& buffer) const;

  const HttpLimits& limits_;
  HttpRequestParser parser_;
  std::size_t header_bytes_ = 0;  // that the parser has taken; those of the trailer count
};

// A request that has been read, for those who answer it. Views into the message, which outlives it.
struct HttpRequest {
  // The peer of its connection outlives it, too.
  explicit HttpRequest(HttpMessage& message, const HttpPeer& sent_by = unknown_peer)
      : method(message.method),
        fields(read_fields(message.fields)),
        all_fields(message.fields),
        body(message.body),
        peer(sent_by) {
    if (peer.address) source = *peer.address;
  }

  boost::beast::http::verb method;
  bool for_server = false;  // and no path of it: OPTIONS *
  std::optional<std::string_view> host = {};
  std::string_view path = {};
  std::string_view query = {};
  HttpFields fields;
  const RequestFields& all_fields;
  HttpBody& body;
  const HttpPeer& peer;  // of its connection
  // Where it comes from, as far as a middleware knows; unspecified, 0.0.0.0, where that is no place of a network.
  IpAddress source = IpAddress::v4({});
  Principal principal = anonymous;  // who has sent it, as far as a middleware knows
  // What middleware adds: fields of the answer, unless that has others of their names; and what is let go of when the
  // request has been answered.
  ResponseFields answer_fields = {};
  std::vector<std::shared_ptr<const void>> held = {};
  bool has_waited = false;  // and so middleware that did not ask to wait has seen it before
};

// Finds out where the request goes. A refusal: it is not what HTTP allows.
HttpChecked settle_target(const HttpMessage& message, HttpRequest& request);

}  // namespace mcph
