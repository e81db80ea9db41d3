#include "object_text.hpp"

#include <stdexcept>

#include <mcp/plugin/json.hpp>
#include <nlohmann/json.hpp>

namespace mcp::detail {

void require_object_text(std::string_view json, const std::string& what) {
  bool is_object = false;
  try {
    is_object = parse_json(json).is_object();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(what + " is " + error.what());
  }
  if (!is_object) throw std::invalid_argument(what + " is not a JSON object");
}

}  // namespace mcp::detail
