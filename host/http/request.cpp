#include "http/request.hpp"

#include <algorithm>
#include <utility>

#include <boost/beast/http/error.hpp>

#include "http/rules.hpp"

namespace mcph {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

std::string_view view(const beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

bool is_control(unsigned char byte) {
  return (byte < ' ' && byte != '\t') || byte == 0x7f;
}

// Another method is known, and refused with 405 where a resource does not have it (RFC 9110 section 9.1).
bool is_implemented(http::verb method) {
  return method != http::verb::unknown && method != http::verb::connect;
}

// Empty lines before a request are left over from the one before (RFC 9112 section 2.2).
void skip_empty_lines(beast::flat_buffer& buffer) {
  while (view(buffer).starts_with("\r\n"))
    buffer.consume(2);
}

// HTTP/1.2 and the like would be HTTP/1.1 with additions that a server may ignore (RFC 9110 section 2.5). Beast would
// refuse them.
void accept_later_version(beast::flat_buffer& buffer) {
  const auto bytes = buffer.data();
  auto* const text = static_cast<char*>(bytes.data());
  const std::string_view line(text, bytes.size());
  const auto version = line.find(' ', std::min(line.find(' '), line.size() - 1) + 1);
  constexpr std::string_view start = " HTTP/1.";
  if (version == std::string_view::npos || !line.substr(version).starts_with(start)) return;
  const auto minor = version + start.size();
  if (minor < line.size() && line[minor] > '1' && line[minor] <= '9') text[minor] = '1';
}

// What is too long of a request that begins so (RFC 9112 section 3).
unsigned status_of_too_long(std::string_view beginning) {
  if (beginning.find("\r\n") != std::string_view::npos) return 431;
  return beginning.find(' ') != std::string_view::npos ? 414 : 501;
}

}  // namespace

void HttpRequestParser::on_request_impl(http::verb method, Text /*method_text*/, Text target, int version,
                                        Error& /*error*/) {
  message_.method = method;
  message_.target.assign(target.data(), target.size());
  message_.version = static_cast<unsigned>(version);
}

void HttpRequestParser::on_field_impl(http::field name, Text name_text, Text value, Error& /*error*/) {
  if (!is_header_done()) message_.fields.add(name, view(name_text), view(value));
}

void HttpRequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& length, Error& /*error*/) {
  if (length) message_.body.announce(*length);
}

std::size_t HttpRequestParser::on_body_impl(Text bytes, Error& /*error*/) {
  message_.body.append(view(bytes));
  return bytes.size();
}

std::size_t HttpRequestParser::on_chunk_body_impl(std::uint64_t /*rest*/, Text bytes, Error& /*error*/) {
  message_.body.append(view(bytes));
  return bytes.size();
}

// Beast takes any byte in a quoted string. A line feed there ends the line for a parser that is less strict.
void HttpRequestParser::on_chunk_header_impl(std::uint64_t size, Text extensions, Error& error) {
  if (std::any_of(extensions.begin(), extensions.end(), is_control)) error = http::error::bad_chunk_extension;
  if (size == 0) return;
  extension_bytes_ += extensions.size();
  message_.body.announce_piece(size);
}

HttpRequestReader::HttpRequestReader(const HttpLimits& limits, std::pmr::memory_resource& memory,
                                     MakeBodyScanner body_scanner)
    : limits_(limits), parser_(memory) {
  parser_.header_limit(limits.header_bytes);
  parser_.body_limit(boost::none);  // the body keeps to its own
  parser_.message().body.limit_to(limits.body_bytes, body_scanner);
}

bool HttpRequestReader::has_begun(beast::flat_buffer& buffer) const {
  if (parser_.got_some()) return true;
  skip_empty_lines(buffer);
  return buffer.size() > 0 && view(buffer) != "\r";  // which may be the first half of another one
}

HttpChecked HttpRequestReader::take(beast::flat_buffer& buffer) {
  if (!has_begun(buffer)) return {};
  while (buffer.size() > 0 && !is_complete() && !is_undecided(buffer)) {
    if (header_bytes_ == 0) accept_later_version(buffer);
    const bool in_header = !parser_.is_header_done();
    beast::error_code error;
    const auto taken = parser_.put(buffer.data(), error);
    buffer.consume(taken);
    // The parser stops after the header, after each chunk's line and data, and after the trailer.
    if (in_header || (parser_.is_done() && parser_.chunked())) header_bytes_ += taken;
    if (error == http::error::need_more) break;
    if (error) return refuse(error, buffer);
  }
  announce_body();
  const bool goes_on = !is_complete() || is_whole();
  if (goes_on && is_too_large(buffer)) return refuse(http::error::header_limit, buffer);
  return refuse_coding();
}

std::span<char> HttpRequestReader::room_in_place() {
  // Below that it saves nothing; and at once no more than what lets other connections of the event loop have their
  // turn.
  constexpr std::uint64_t min_rest = std::uint64_t{16} << 10;
  constexpr std::size_t max_room = std::size_t{256} << 10;
  if (!has_header() || parser_.chunked() || parser_.content_length_remaining().value_or(0) <= min_rest) return {};
  return message().body.room(max_room);
}

HttpChecked HttpRequestReader::take_in_place(std::string_view bytes) {
  beast::error_code error;
  parser_.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
  if (error && error != http::error::need_more) return refuse(error, beast::flat_buffer());
  return {};
}

// What is left in the buffer is the beginning of a field, of the trailer or of a chunk's line.
bool HttpRequestReader::is_too_large(const beast::flat_buffer& buffer) const {
  const auto bytes = header_bytes_ + parser_.extension_bytes();
  return parser_.is_done() ? bytes > limits_.header_bytes : bytes + buffer.size() >= limits_.header_bytes;
}

// Where the body ends must be beyond doubt, because what follows it is the next request (RFC 9112 sections 6.1, 6.3).
HttpChecked HttpRequestReader::refuse_coding() const {
  if (!parser_.is_header_done()) return {};
  // Which most requests do not have.
  const auto is_coding = [](const RequestFields::Field& field) {
    return field.known == http::field::transfer_encoding;
  };
  const auto& fields = message().fields;
  if (std::none_of(fields.begin(), fields.end(), is_coding)) return {};
  const auto list = list_field(fields, "Transfer-Encoding");
  if (message().version < 11) return HttpRefusal{400, "HTTP/1.0 has no Transfer-Encoding"};
  const auto coding = read_transfer_encoding(*list);
  if (coding == TransferEncoding::without_end || !parser_.chunked()) {
    return HttpRefusal{400, "The last Transfer-Encoding must be chunked"};
  }
  if (coding == TransferEncoding::chunked) return {};
  return HttpRefusal{501, "The only Transfer-Encoding that this server understands is chunked"};
}

// The parser says so with the first byte of the body.
void HttpRequestReader::announce_body() {
  if (!has_header()) return;
  const auto length = parser_.content_length();
  if (length && *length > limits_.body_bytes) parser_.message().body.announce(*length);
}

bool HttpRequestReader::is_complete() const {
  if (is_whole() || !has_header()) return is_whole();
  const auto& body = parser_.message().body;
  return body.is_known() || (body.is_too_long() && awaits_continue(message().fields));
}

// Beast's parser (Boost 1.81) asserts wrongly when a body without a chunk comes byte by byte: that it sees at least
// five bytes when it looks again at the last chunk, which is the whole of "0\r\n\r\n". Four of them decide nothing.
// Nor does the first half of an empty line before the request.
bool HttpRequestReader::is_undecided(const beast::flat_buffer& buffer) const {
  const auto bytes = view(buffer);
  if (!parser_.got_some()) return bytes == "\r";
  return parser_.is_header_done() && parser_.chunked() && bytes.size() == 4 && bytes.starts_with("0\r\n");
}

HttpRefusal HttpRequestReader::refuse(beast::error_code error, const beast::flat_buffer& rest) const {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    const auto status = header_bytes_ > 0 ? 431 : status_of_too_long(view(rest).substr(0, limits_.header_bytes));
    return HttpRefusal{status, "The request line with the header and trailer fields is larger than " +
                                   std::to_string(limits_.header_bytes) + " bytes, as --max-header-bytes allows"};
  }
  return HttpRefusal{400, "This server speaks HTTP/1.1 only, and this is no valid request of it: " + error.message()};
}

HttpChecked settle_target(const HttpMessage& message, HttpRequest& request) {
  const auto& fields = request.fields;
  if (!fields.repeated.empty()) {
    return HttpRefusal{400, "The header " + std::string(fields.repeated) + " is given more than once"};
  }
  // Also where the target names the host (RFC 9112 section 3.2).
  if (!fields.host && message.version >= 11) return HttpRefusal{400, "The Host header is missing"};
  if (fields.host && !is_authority(*fields.host)) return HttpRefusal{400, "The Host header is not a host and a port"};
  if (!is_implemented(message.method)) return HttpRefusal{501, "This server does not know the method"};
  const auto target = read_target(message.target, fields.host);
  if (!target || (target->is_server && message.method != http::verb::options)) {
    return HttpRefusal{400, "The request target is neither a path nor an http URL"};
  }
  request.for_server = target->is_server;
  request.host = target->host;
  request.path = target->path;
  request.query = target->query;
  return {};
}

}  // namespace mcph
