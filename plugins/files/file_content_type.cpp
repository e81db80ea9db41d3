#include "files/file_content_type.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "shared/text.hpp"

namespace plugins::files {
namespace {

struct Ending {
  std::string_view ending;
  ContentType type;
};

constexpr ContentType text(std::string_view mime_type) {
  return {mime_type, true};
}

constexpr ContentType binary(std::string_view mime_type) {
  return {mime_type, false};
}

constexpr std::array endings{
    Ending{"aac", binary("audio/aac")},
    Ending{"avif", binary("image/avif")},
    Ending{"bmp", binary("image/bmp")},
    Ending{"c", text("text/x-c")},
    Ending{"cc", text("text/x-c++")},
    Ending{"cpp", text("text/x-c++")},
    Ending{"css", text("text/css")},
    Ending{"csv", text("text/csv")},
    Ending{"flac", binary("audio/flac")},
    Ending{"gif", binary("image/gif")},
    Ending{"go", text("text/x-go")},
    Ending{"gz", binary("application/gzip")},
    Ending{"h", text("text/x-c")},
    Ending{"hpp", text("text/x-c++")},
    Ending{"htm", text("text/html")},
    Ending{"html", text("text/html")},
    Ending{"ico", binary("image/x-icon")},
    Ending{"ics", text("text/calendar")},
    Ending{"java", text("text/x-java")},
    Ending{"jpeg", binary("image/jpeg")},
    Ending{"jpg", binary("image/jpeg")},
    Ending{"js", text("text/javascript")},
    Ending{"json", text("application/json")},
    Ending{"markdown", text("text/markdown")},
    Ending{"md", text("text/markdown")},
    Ending{"mjs", text("text/javascript")},
    Ending{"mp3", binary("audio/mpeg")},
    Ending{"mp4", binary("video/mp4")},
    Ending{"ogg", binary("audio/ogg")},
    Ending{"pdf", binary("application/pdf")},
    Ending{"png", binary("image/png")},
    Ending{"py", text("text/x-python")},
    Ending{"rs", text("text/x-rust")},
    Ending{"sh", text("application/x-sh")},
    Ending{"sql", text("application/sql")},
    Ending{"svg", text("image/svg+xml")},
    Ending{"tar", binary("application/x-tar")},
    Ending{"tiff", binary("image/tiff")},
    Ending{"toml", text("application/toml")},
    Ending{"ts", text("text/x-typescript")},
    Ending{"txt", text("text/plain")},
    Ending{"wasm", binary("application/wasm")},
    Ending{"wav", binary("audio/wav")},
    Ending{"webm", binary("video/webm")},
    Ending{"webp", binary("image/webp")},
    Ending{"xml", text("application/xml")},
    Ending{"yaml", text("application/yaml")},
    Ending{"yml", text("application/yaml")},
    Ending{"zip", binary("application/zip")},
};

std::string ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string() : lower_case(name.substr(dot + 1));
}

}  // namespace

ContentType content_type(std::string_view name, std::string_view bytes) {
  const std::string ending = ending_of(name);
  const auto* const known =
      std::find_if(endings.begin(), endings.end(), [&](const Ending& each) { return each.ending == ending; });
  const bool is_known = known != endings.end();
  if (is_known && !known->type.is_text) return known->type;
  if (!is_text(bytes)) return binary("application/octet-stream");
  return is_known ? known->type : text("text/plain");
}

}  // namespace plugins::files
