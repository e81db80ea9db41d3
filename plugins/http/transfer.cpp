#include "http/transfer.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include "http/secret_mask.hpp"
#include "http/url_parts.hpp"
#include "shared/text.hpp"

namespace plugins::http {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// And as many as a secret can take, which an excerpt leaves out.
constexpr std::size_t max_error_bytes = 16384;
constexpr milliseconds max_connect_time{10'000};
constexpr milliseconds first_delay{250};

std::string seconds_text(milliseconds time) {
  const auto tenths = (time.count() + 50) / 100;
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : '.' + std::to_string(tenths % 10)) + " s";
}

bool passes(CURLcode result) {
  constexpr std::array codes{CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_RECV_ERROR,
                             CURLE_SEND_ERROR,           CURLE_PARTIAL_FILE,    CURLE_HTTP2,       CURLE_HTTP2_STREAM};
  return std::find(codes.begin(), codes.end(), result) != codes.end();
}

bool passes(long status) {
  return status == 408 || status == 429 || status == 502 || status == 503 || status == 504;
}

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// "HTTP/1.1 404 Not Found\r\n" -> "Not Found"
std::string reason_in(std::string_view line) {
  const auto status = line.find(' ');
  const auto reason = status == std::string_view::npos ? status : line.find(' ', status + 1);
  if (reason == std::string_view::npos) return {};
  line.remove_prefix(reason + 1);
  return std::string(line.substr(0, line.find_first_of("\r\n")));
}

// Which the tool's configuration may have in plain text.
bool is_credential(const std::string& name) {
  const auto lower = lower_case(name);
  return lower == "authorization" || lower == "proxy-authorization" || lower == "cookie";
}

}  // namespace

Transfer::Transfer(Request request, const FetchLimits& limits, const Connections& connections, TimePoint now)
    : request_(std::move(request)),
      limits_(limits),
      connections_(connections),
      curl_(*connections.curl),
      begin_(now),
      deadline_(now + limits.time),
      max_error_bytes_(max_error_bytes + SecretMask(request_.secrets).max_size()),
      next_attempt_(now),
      handle_(curl_.easy_init(), curl_.easy_cleanup),
      headers_(nullptr, curl_.slist_free_all) {
  if (!handle_) throw std::bad_alloc();
  response_.host = parts_of(curl_, request_.url).host;
  set_constant_options();
}

void Transfer::set_constant_options() {
  CURL* const handle = handle_.get();
  curl_.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_.easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);  // each is looked at here
  // A proxy of the environment would connect where this process may not.
  curl_.easy_setopt(handle, CURLOPT_PROXY, "");
  curl_.easy_setopt(handle, CURLOPT_NOPROXY, "*");
  curl_.easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  // A name that is still being looked up is left to its thread, which would otherwise be waited for.
  curl_.easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
  curl_.easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");  // all that libcurl can undo
  if (!connections_.ca_file.empty()) {
    curl_.easy_setopt(handle, CURLOPT_CAINFO, connections_.ca_file.c_str());
    curl_.easy_setopt(handle, CURLOPT_CAPATH, nullptr);  // beside which it would count
  }
  // On a connection that was used before, libcurl sends a request again by itself where no answer comes.
  const long has_own_connection = limits_.retries == 0 ? 1 : 0;
  curl_.easy_setopt(handle, CURLOPT_FRESH_CONNECT, has_own_connection);
  curl_.easy_setopt(handle, CURLOPT_FORBID_REUSE, has_own_connection);
  curl_.easy_setopt(handle, CURLOPT_USERAGENT, "mcp-plugin-host-http/1.0");
  curl_.easy_setopt(handle, CURLOPT_HEADERFUNCTION, &take_header);
  curl_.easy_setopt(handle, CURLOPT_HEADERDATA, this);
  curl_.easy_setopt(handle, CURLOPT_WRITEFUNCTION, &take_body);
  curl_.easy_setopt(handle, CURLOPT_WRITEDATA, this);
  curl_.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  curl_.easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
}

void Transfer::prepare(TimePoint now) {
  ++attempts_;
  response_ = Response{0, {}, {}, {}, parts_of(curl_, request_.url).host};
  is_too_long_ = is_out_of_memory_ = is_address_refused_ = is_address_allowed_ = false;
  const auto left = std::max(duration_cast<milliseconds>(deadline_ - now), milliseconds(1));
  curl_.easy_setopt(handle_.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
  curl_.easy_setopt(handle_.get(), CURLOPT_CONNECTTIMEOUT_MS,
                    static_cast<long>(std::min(left, max_connect_time).count()));
  set_request();
}

void Transfer::set_request() {
  CURL* const handle = handle_.get();
  headers_.reset();
  const auto add = [this](const std::string& line) {
    curl_slist* const longer = curl_.slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    [[maybe_unused]] auto* const same = headers_.release();
    headers_.reset(longer);
  };
  const auto has = [this](std::string_view name) {
    return std::any_of(request_.headers.begin(), request_.headers.end(),
                       [name](const Header& each) { return lower_case(each.name) == name; });
  };
  // A header without a value has a semicolon: with a colon libcurl would not send it.
  for (const auto& header : request_.headers)
    add(header.value.empty() ? header.name + ';' : header.name + ": " + header.value);
  if (request_.body && !has("content-type")) add("Content-Type: application/json");
  if (request_.body) add("Expect:");
  curl_.easy_setopt(handle, CURLOPT_HTTPHEADER, headers_.get());
  curl_.easy_setopt(handle, CURLOPT_URL, request_.url.c_str());
  if (request_.body) {
    curl_.easy_setopt(handle, CURLOPT_POST, 1L);
    curl_.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body->size()));
    curl_.easy_setopt(handle, CURLOPT_POSTFIELDS, request_.body->c_str());
  } else {
    curl_.easy_setopt(handle, CURLOPT_HTTPGET, 1L);
  }
  const bool is_empty_post = !request_.body && request_.method != "GET" && request_.method != "DELETE";
  if (is_empty_post) {
    curl_.easy_setopt(handle, CURLOPT_POST, 1L);
    curl_.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t{0});
    curl_.easy_setopt(handle, CURLOPT_POSTFIELDS, "");
  }
  curl_.easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

// No exception may leave this and the next: it would go through libcurl, which is C.
std::size_t Transfer::take_header(const char* data, std::size_t size, std::size_t count, void* transfer) {
  const std::string_view line(data, size * count);
  auto& self = *static_cast<Transfer*>(transfer);
  try {
    if (line.starts_with("HTTP/")) self.response_.reason = reason_in(line);
    return line.size();
  } catch (const std::bad_alloc&) {
    self.is_out_of_memory_ = true;
    return 0;
  }
}

std::size_t Transfer::take_body(const char* data, std::size_t size, std::size_t count, void* transfer) {
  const std::string_view bytes(data, size * count);
  auto& self = *static_cast<Transfer*>(transfer);
  try {
    return self.add_to_body(bytes) ? bytes.size() : 0;
  } catch (const std::bad_alloc&) {
    self.is_out_of_memory_ = true;
    return 0;
  }
}

bool Transfer::add_to_body(std::string_view bytes) {
  auto& body = response_.body;
  // Of an error or a redirect it is the status that counts, however few bytes an answer may have.
  const bool is_error = is_error_status();
  const auto most = is_error ? max_error_bytes_ : limits_.max_bytes;
  if (body.size() + bytes.size() <= most) {
    body += bytes;
    return true;
  }
  if (is_error) {
    response_.is_cut_off = true;
    body += bytes.substr(0, most - std::min(body.size(), most));
  } else {
    is_too_long_ = true;
  }
  return false;
}

curl_socket_t Transfer::open_socket(void* transfer, curlsocktype purpose, curl_sockaddr* address) {
  auto& self = *static_cast<Transfer*>(transfer);
  if (purpose != CURLSOCKTYPE_IPCXN || !self.connections_.rules.allow(address->addr)) {
    self.is_address_refused_ = true;
    return CURL_SOCKET_BAD;
  }
  self.is_address_allowed_ = true;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool Transfer::is_error_status() {
  long status = 0;
  curl_.easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  return status < 200 || status > 299;
}

FetchProgress Transfer::progress(TimePoint now) const {
  curl_off_t expected = 0;
  if (curl_.easy_getinfo(handle_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &expected) != CURLE_OK || expected < 0)
    expected = 0;
  return {response_.host, duration_cast<milliseconds>(now - begin_), limits_.time, response_.body.size(),
          static_cast<std::uint64_t>(expected)};
}

std::optional<FetchOutcome> Transfer::end_attempt(CURLcode result, TimePoint now) {
  curl_.easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &response_.status);
  if (is_out_of_memory_) return out_of_memory();
  if (is_too_long_) {
    return refusal(response_.host + " answers with more than the " + std::to_string(limits_.max_bytes) +
                   " bytes that maxBytes allows.");
  }
  const bool has_response = result == CURLE_OK || (response_.is_cut_off && result == CURLE_WRITE_ERROR);
  if (!has_response) {
    // If one of its addresses may be reached, it is that one's failure which is to be told.
    if (is_address_refused_ && !is_address_allowed_ && result == CURLE_COULDNT_CONNECT) {
      return refusal(response_.host +
                     " is not at an address that this tool may reach: it reaches public ones, and "
                     "those that allowAddresses names.");
    }
    if (retry(passes(result) || (result == CURLE_OPERATION_TIMEDOUT && !is_over(now)), now)) return std::nullopt;
    return failure(result, now);
  }
  const char* type = nullptr;
  curl_.easy_getinfo(handle_.get(), CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) response_.content_type = type;
  const auto to = location();
  if (!to.empty()) return follow(to, now);
  if (retry(passes(response_.status), now)) return std::nullopt;
  return std::move(response_);
}

std::string Transfer::location() const {
  curl_header* header = nullptr;
  if (!is_redirect(response_.status) ||
      curl_.easy_header(handle_.get(), "Location", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) {
    return {};
  }
  return resolved(curl_, request_.url, header->value);
}

std::optional<FetchOutcome> Transfer::follow(const std::string& location, TimePoint now) {
  const auto from = parts_of(curl_, request_.url);
  const auto to = parts_of(curl_, location);
  const auto where = to.is_http() ? to.host : "a URL of another kind";
  const auto told = "The server answered " + std::to_string(response_.status) + " and redirects to " + where;
  if (redirects_ >= limits_.redirects) {
    return refusal(told + (limits_.redirects == 0 ? ", and redirects of this tool are not followed."
                                                  : ", after as many redirects as are followed."));
  }
  const bool loses_encryption = from.scheme == "https" && to.scheme != "https";
  if (!to.is_http() || to.has_user || loses_encryption) return refusal(told + ", which is not followed.");
  ++redirects_;
  // As browsers do (the Fetch standard, HTTP-redirect fetch).
  const bool becomes_get = response_.status == 303 || (response_.status <= 302 && request_.method == "POST");
  if (becomes_get) {
    request_.method = "GET";
    request_.body.reset();
  }
  if (!to.has_same_origin(from)) {
    if (request_.body) return refusal(told + ", to which this tool's data is not sent.");
    std::erase_if(request_.headers,
                  [](const Header& header) { return header.is_secret || is_credential(header.name); });
  }
  request_.url = location;
  --attempts_;
  next_attempt_ = now;
  return std::nullopt;
}

bool Transfer::retry(bool passes, TimePoint now) {
  if (!passes || attempts_ > limits_.retries) return false;
  // From half of it to all of it, so that many clients do not come back at once.
  auto delay = first_delay * (1 << std::min(attempts_ - 1, 10));
  delay -= milliseconds(std::uniform_int_distribution<long>(0, delay.count() / 2)(random_));
  curl_off_t wanted = 0;
  curl_.easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &wanted);
  if (wanted > 0) delay = std::max<milliseconds>(delay, std::chrono::seconds(std::min<curl_off_t>(wanted, 86'400)));
  if (now + delay >= deadline_) return false;
  next_attempt_ = now + delay;
  return true;
}

std::optional<FetchOutcome> Transfer::refusal(const std::string& why) const {
  return FetchOutcome(FetchError{why});
}

bool Transfer::is_over(TimePoint now) const {
  return now + milliseconds(50) >= deadline_;
}

FetchOutcome Transfer::failure(CURLcode result, TimePoint now) const {
  const auto host = response_.host;
  if (result == CURLE_OPERATION_TIMEDOUT) {
    return is_over(now) ? timed_out()
                        : FetchError{host + " could not be reached within " + seconds_text(max_connect_time) + '.'};
  }
  // Not the text in which libcurl has put the URL.
  return FetchError{host + " could not be asked: " + curl_.easy_strerror(result) + '.'};
}

FetchOutcome Transfer::timed_out() const {
  return FetchError{response_.host + " did not answer within " + seconds_text(limits_.time) + '.'};
}

FetchOutcome Transfer::out_of_memory() {
  return FetchError{"There is no memory left for a request."};
}

}  // namespace plugins::http
