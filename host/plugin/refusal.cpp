#include "plugin/refusal.hpp"

#include <string>

#include "json_text.hpp"

namespace mcph {

void refuse(Call& call, std::string_view message) {
  constexpr int internal_error = -32603;
  std::string json = R"({"code":)" + std::to_string(internal_error) + R"(,"message":)";
  append_json_string(json, message);
  call.on_cancel({});
  call.complete(Outcome::error, json += '}');
}

}  // namespace mcph
