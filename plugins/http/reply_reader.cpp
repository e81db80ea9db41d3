#include "http/reply_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "http/secret_mask.hpp"
#include "shared/json_depth.hpp"
#include "shared/text.hpp"

namespace plugins::http {
namespace {

using mcp::Json;

constexpr std::size_t max_reason = 80;    // bytes
constexpr std::size_t max_excerpt = 200;  // characters
constexpr int max_depth = 100;

// What the server calls its status, as far as it is told.
std::string reason_of(const Response& response, const SecretMask& mask) {
  // Before it is cut off, or a part of a secret could be left.
  auto reason = mask.hide(response.reason);
  if (reason.size() <= max_reason) return reason;
  reason.resize(max_reason);
  drop_half_character(reason);
  return reason;
}

// The beginning of a text as one line, or nothing of what is none.
std::string excerpt(const Response& response, const SecretMask& mask) {
  std::string line;
  std::size_t characters = 0;
  // Before it is cut off, or a part of a secret could be left.
  auto text = mask.hide(response.body);
  if (response.is_cut_off) {
    // It may end with the beginning of a secret, and with a part of a character, with which the rest would be no text.
    text.resize(text.size() - std::min(text.size(), mask.max_size()));
    drop_half_character(text);
  }
  if (!is_text(text)) return {};
  for (const char c : text) {
    const bool is_blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (is_blank && (line.empty() || line.back() == ' ')) continue;
    const bool begins_one = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins_one && ++characters > max_excerpt) return line + "...";
    line += is_blank ? ' ' : c;
  }
  while (line.ends_with(' '))
    line.pop_back();
  return line;
}

std::string with_excerpt(const std::string& what, const Response& response, const SecretMask& mask) {
  const auto begin = excerpt(response, mask);
  return what + (begin.empty() ? "." : ": " + begin);
}

Json without_secrets(const Json& json, const SecretMask& mask) {
  if (mask.is_empty()) return json;
  if (json.is_string()) return mask.hide(json.get<std::string>());
  // All of a number, because others may have the digits of a short secret in them.
  if (json.is_number()) return mask.is_secret(json.dump()) ? Json(SecretMask::instead) : json;
  if (json.is_array()) {
    Json array = Json::array();
    for (const auto& item : json)
      array.push_back(without_secrets(item, mask));
    return array;
  }
  if (!json.is_object()) return json;
  Json object = Json::object();
  for (const auto& [name, member] : json.items())
    object[mask.hide(name)] = without_secrets(member, mask);
  return object;
}

// "text/html; charset=utf-8" -> text/html
std::string media_type(const std::string& content_type) {
  const auto end = std::min(content_type.find_first_of("; \t"), content_type.size());
  return lower_case(std::string_view(content_type).substr(0, end));
}

struct Data {
  std::string mime_type;  // or empty
  std::string base64;
  std::vector<std::byte> bytes;

  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

// Base64, or a data: URL of it.
std::optional<Data> data_of(std::string_view text) {
  Data data;
  constexpr std::string_view mark = ";base64,";
  if (text.starts_with("data:")) {
    const auto end = text.find(mark);
    if (end == std::string_view::npos) return std::nullopt;
    data.mime_type = media_type(std::string(text.substr(5, end - 5)));
    text.remove_prefix(end + mark.size());
  }
  data.base64 = text;
  std::erase_if(data.base64, [](char c) { return c == '\n' || c == '\r'; });
  try {
    data.bytes = mcp::JsonForm<std::vector<std::byte>>::from(data.base64);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  if (data.bytes.empty()) return std::nullopt;
  return data;
}

// A picture with a part of it replaced would be none.
void require_no_secret(std::string_view bytes, const SecretMask& mask) {
  if (mask.finds_in(bytes)) throw mcp::ToolError("The server's answer has a secret in it.");
}

std::string word_of(ResultType type) {
  if (type == ResultType::image) return "image";
  return type == ResultType::audio ? "audio" : "blob";
}

// Where the resource of a blob lies: without the query, which may be long and say too much.
std::string blob_uri(const Request& request, const SecretMask& mask) {
  return mask.hide(request.url.substr(0, request.url.find('?')));
}

mcp::Content base64_content(ResultType type, const Data& data, const std::string& uri) {
  const auto mime_type = mcp::dump_json(data.mime_type);
  if (type != ResultType::blob) {
    return mcp::Content("\"type\":\"" + word_of(type) + "\",\"data\":\"" + data.base64 +
                        "\",\"mimeType\":" + mime_type);
  }
  return mcp::Content("\"type\":\"resource\",\"resource\":{\"uri\":" + mcp::dump_json(uri) +
                      ",\"mimeType\":" + mime_type + ",\"blob\":\"" + data.base64 + "\"}");
}

bool is_data(ResultType type) {
  return type == ResultType::image || type == ResultType::audio || type == ResultType::blob;
}

}  // namespace

std::string error_text(const Response& response, const Request& request) {
  auto what = "The server answered " + std::to_string(response.status);
  const SecretMask mask(request.secrets);
  if (!response.reason.empty()) what += ' ' + reason_of(response, mask);
  return with_excerpt(what, response, mask);
}

ReplyReader::ReplyReader(const ResultSettings& settings, const std::string& place) : settings_(settings) {
  if (settings.pointer) {
    try {
      pointer_.emplace(*settings.pointer);
    } catch (const Json::parse_error&) {
      refuse(place + ".pointer",
             "must be a JSON Pointer (RFC 6901), such as /data/0/url, not \"" + *settings.pointer + '"');
    }
  }
  if (settings.type == ResultType::link && !pointer_)
    refuse(place + ".pointer", "is missing: it says where the link is");
  const bool has_slash = !settings.mime_type || settings.mime_type->find('/') != std::string::npos;
  if (!has_slash) refuse(place + ".mimeType", "must be such as image/png, not \"" + *settings.mime_type + '"');
}

mcp::ToolResult ReplyReader::result(const Response& response, const Request& request) const {
  if (response.status < 200 || response.status > 299) throw mcp::ToolError(error_text(response, request));
  const SecretMask mask(request.secrets);
  if (response.body.empty() && (response.status == 204 || response.status == 205)) {
    return mcp::ToolResult().text("The server answered " + std::to_string(response.status) + " without content.");
  }
  if (is_data(settings_.type) && !pointer_) return of_bytes(response, request, mask);
  if (settings_.type == ResultType::text && !pointer_) {
    const auto text = mask.hide(response.body);
    if (!is_text(text)) throw mcp::ToolError("The server's answer is not UTF-8 text.");
    return of_text(text);
  }
  if (is_nested_deeper_than(max_depth, response.body)) {
    throw mcp::ToolError("The server's answer is nested deeper than " + std::to_string(max_depth) +
                         " arrays and objects.");
  }
  const auto json = Json::parse(response.body, nullptr, false);
  if (json.is_discarded()) throw mcp::ToolError(with_excerpt("The server's answer is not JSON", response, mask));
  if (!pointer_) return of_pointer(json, response, request, mask);
  // An index that is none is an exception, whatever is asked.
  const auto found = [&] {
    try {
      return json.contains(*pointer_) ? &json.at(*pointer_) : nullptr;
    } catch (const Json::exception&) {
      return static_cast<const Json*>(nullptr);
    }
  }();
  if (found == nullptr || found->is_null()) {
    throw mcp::ToolError(with_excerpt("The server's answer has nothing at " + *settings_.pointer, response, mask));
  }
  return of_pointer(*found, response, request, mask);
}

mcp::ToolResult ReplyReader::of_pointer(const Json& value, const Response& response, const Request& request,
                                        const SecretMask& mask) const {
  if (settings_.type == ResultType::json) {
    const auto clean = without_secrets(value, mask);
    mcp::ToolResult result;
    if (clean.is_object()) result.structured(clean);
    return result.text(clean.is_string() ? clean.get<std::string>() : mcp::dump_json(clean));
  }
  if (settings_.type == ResultType::text) {
    const auto clean = without_secrets(value, mask);
    return of_text(clean.is_string() ? clean.get<std::string>() : mcp::dump_json(clean));
  }
  const auto text = value.is_string() ? value.get<std::string>() : std::string();
  const auto place = settings_.pointer.value_or("");
  if (settings_.type == ResultType::link) {
    if (!text.starts_with("https://") && !text.starts_with("http://")) {
      throw mcp::ToolError(with_excerpt("The server's answer has no link at " + place, response, mask));
    }
    const auto link = mask.hide(text);
    return mcp::ToolResult().text(link).content(
        mcp::resource_link(link, link.substr(0, link.find('?')), {}, settings_.mime_type.value_or("")));
  }
  auto data = data_of(text);
  if (!data) throw mcp::ToolError(with_excerpt("The server's answer has no base64 at " + place, response, mask));
  require_no_secret(text, mask);          // which may be base64 itself
  require_no_secret(data->base64, mask);  // without the line breaks of the text
  require_no_secret(data->view(), mask);
  if (settings_.mime_type) data->mime_type = *settings_.mime_type;
  if (data->mime_type.empty()) data->mime_type = "application/octet-stream";
  return mcp::ToolResult().content(base64_content(settings_.type, *data, blob_uri(request, mask)));
}

mcp::ToolResult ReplyReader::of_bytes(const Response& response, const Request& request, const SecretMask& mask) const {
  const auto sent = media_type(mask.hide(response.content_type));
  const auto type = settings_.mime_type.value_or(sent.empty() ? "application/octet-stream" : sent);
  const auto word = word_of(settings_.type);
  // Errors that come with status 200, too.
  const bool is_words = sent.starts_with("text/") || sent == "application/json";
  const bool is_wanted = settings_.type == ResultType::blob || (!is_words && type.starts_with(word + '/'));
  if (!is_wanted) {
    throw mcp::ToolError(with_excerpt("The server answered with " + (sent.empty() ? "nothing that it names" : sent) +
                                          " instead of " + (word == "image" ? "an image" : word),
                                      response, mask));
  }
  if (response.body.empty()) throw mcp::ToolError("The server's answer is empty.");
  require_no_secret(response.body, mask);
  if (settings_.type == ResultType::image) return mcp::ToolResult().content(mcp::image(response.body, type));
  if (settings_.type == ResultType::audio) return mcp::ToolResult().content(mcp::audio(response.body, type));
  return mcp::ToolResult().content(mcp::embedded_blob(blob_uri(request, mask), type, response.body));
}

mcp::ToolResult ReplyReader::of_text(const std::string& text) const {
  const bool is_empty = text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (is_empty && !settings_.allow_empty) throw mcp::ToolError("The server's answer is empty.");
  return mcp::ToolResult().text(text);
}

}  // namespace plugins::http
