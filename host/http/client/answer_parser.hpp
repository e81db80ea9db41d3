// One answer of HTTP/1.1 as it comes, told to the request that it is for. Lives in a connection, on its strand;
// included by that alone, because it includes Beast.
#pragma once

#include <charconv>
#include <chrono>
#include <limits>
#include <string_view>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "http/client/sent_request.hpp"

namespace mcph {

class AnswerParser final : public boost::beast::http::basic_parser<false> {
 public:
  // For one answer to the request, or one of the interim ones before it.
  AnswerParser(SentRequest& request, std::uint32_t max_head) : request_(request) {
    const auto max_body = request.request().max_body;
    eager(true);
    header_limit(max_head);
    body_limit(max_body == 0 ? std::numeric_limits<std::uint64_t>::max() : max_body);
  }

  bool is_interim() const { return head_.status < 200; }
  // Of the pieces that have been told since it was asked last.
  bool takes_pause() { return std::exchange(wants_pause_, false); }
  // How long the server keeps the connection; 0: it does not say. Most servers of Node say 5 s.
  std::chrono::seconds keep_alive_time() const {
    constexpr std::string_view parameter = "timeout=";
    const auto field = head_.field("Keep-Alive");
    const auto at = field.find(parameter);
    unsigned seconds = 0;
    if (at != std::string_view::npos)
      std::from_chars(field.data() + at + parameter.size(), field.data() + field.size(), seconds);
    return std::chrono::seconds(seconds);
  }

 private:
  using Code = boost::beast::error_code;
  using Text = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb, Text, Text, int, Code&) override {}
  void on_response_impl(int code, Text, int, Code&) override { head_.begin(static_cast<unsigned>(code)); }
  void on_field_impl(boost::beast::http::field, Text name, Text value, Code&) override {
    head_.add({name.data(), name.size()}, {value.data(), value.size()});
  }
  void on_header_impl(Code&) override {
    if (!is_interim()) request_.tell_head(head_);
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(Text piece, Code&) override { return take(piece); }
  void on_chunk_header_impl(std::uint64_t, Text, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text piece, Code&) override { return take(piece); }
  void on_finish_impl(Code&) override {}

  std::size_t take(Text piece) {
    if (!request_.tell_body({piece.data(), piece.size()})) wants_pause_ = true;
    return piece.size();
  }

  SentRequest& request_;
  AnswerHead head_;
  bool wants_pause_ = false;
};

}  // namespace mcph
