// Transfer: one request with all its attempts and redirects, on a handle of libcurl. Made and used by the thread of the
// Fetcher that owns it.
//
// An attempt ends in one of three ways: with the outcome; with a redirect, which is the next attempt at once; or with
// a failure that passes, after which the next attempt follows in a while. All of them share one time limit.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "http/address_rules.hpp"
#include "http/curl_library.hpp"
#include "http/exchange.hpp"

namespace plugins::http {

// What all transfers of a plugin have in common.
struct Connections {
  std::shared_ptr<const CurlLibrary> curl;
  AddressRules rules;
  std::string ca_file;  // of the authorities that vouch for servers; empty: those of the system
};

class Transfer {
 public:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;

  // The connections outlive this object. `now` is when the time limit begins.
  Transfer(Request request, const FetchLimits& limits, const Connections& connections, TimePoint now);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() = default;

  CURL* handle() const { return handle_.get(); }
  TimePoint deadline() const { return deadline_; }
  FetchProgress progress(TimePoint now) const;

  // Makes the handle ready for the next attempt.
  void prepare(TimePoint now);

  // The attempt has ended with this result. The outcome, or nothing: the next attempt is at next_attempt().
  std::optional<FetchOutcome> end_attempt(CURLcode result, TimePoint now);
  TimePoint next_attempt() const { return next_attempt_; }

  // The time limit is over.
  FetchOutcome timed_out() const;
  // What a request ends with where std::bad_alloc is thrown.
  static FetchOutcome out_of_memory();

 private:
  static std::size_t take_header(const char* data, std::size_t size, std::size_t count, void* transfer);
  static std::size_t take_body(const char* data, std::size_t size, std::size_t count, void* transfer);
  static curl_socket_t open_socket(void* transfer, curlsocktype purpose, curl_sockaddr* address);

  // False: no more of it is wanted.
  bool add_to_body(std::string_view bytes);
  void set_constant_options();
  void set_request();
  bool is_error_status();
  // Where the response redirects to, whether or not its body has been read; empty: nowhere.
  std::string location() const;
  // Nothing: it is followed.
  std::optional<FetchOutcome> follow(const std::string& location, TimePoint now);
  std::optional<FetchOutcome> refusal(const std::string& why) const;
  // The time limit is over, and not just that for a connection.
  bool is_over(TimePoint now) const;
  FetchOutcome failure(CURLcode result, TimePoint now) const;
  // False: it is not worth it, or there is no time.
  bool retry(bool passes, TimePoint now);

  Request request_;
  const FetchLimits limits_;
  const Connections& connections_;
  const CurlLibrary& curl_;
  const TimePoint begin_;
  const TimePoint deadline_;
  const std::size_t max_error_bytes_;
  TimePoint next_attempt_;
  std::unique_ptr<CURL, decltype(CurlLibrary::easy_cleanup)> handle_;
  std::unique_ptr<curl_slist, decltype(CurlLibrary::slist_free_all)> headers_;
  Response response_;
  std::minstd_rand random_{std::random_device()()};
  int attempts_ = 0;
  int redirects_ = 0;
  bool is_too_long_ = false;
  bool is_out_of_memory_ = false;
  bool is_address_refused_ = false;
  bool is_address_allowed_ = false;  // another one of the same server
};

}  // namespace plugins::http
