// What a file holds: its MIME type, and whether it goes to a client as text or as bytes. Pure functions.
#pragma once

#include <string_view>

namespace plugins::files {

struct ContentType {
  std::string_view mime_type;
  bool is_text;
};

// By the ending of the name; where that says nothing, or the bytes are not the text that it promises, by the bytes.
ContentType content_type(std::string_view name, std::string_view bytes);

}  // namespace plugins::files
