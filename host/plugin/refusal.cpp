#include "plugin/refusal.hpp"

#include "json_text.hpp"

namespace mcph {

void refuse(Call& call, std::string_view message) {
  constexpr int internal_error = -32603;
  std::string json = R"({"code":)" + std::to_string(internal_error) + R"(,"message":)";
  append_json_string(json, message);
  call.on_cancel({});
  call.complete(Outcome::error, json += '}');
}

std::string in_seconds(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds::rep ms_per_s = 1000;
  constexpr std::chrono::milliseconds::rep ms_per_tenth = 100;
  auto text = std::to_string(time.count() / ms_per_s);
  if (const auto tenths = time.count() % ms_per_s / ms_per_tenth; tenths != 0) text += "." + std::to_string(tenths);
  return text + " s";
}

}  // namespace mcph
