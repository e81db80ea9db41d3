#include "protocol/calls/payments.hpp"

#include "base/json_text.hpp"

namespace mcph {
namespace {

constexpr int payment_required_code = 402;

Json error_result(std::string text) {
  return {{"content", {{{"type", "text"}, {"text", std::move(text)}}}}, {"isError", true}};
}

}  // namespace

Json payment_required(const Price& price, std::string_view tool, std::string_view why, const Json& settlement) {
  Json required = {{"x402Version", 2},
                   {"error", why},
                   {"resource", {{"url", "mcp://tool/" + std::string(tool)}, {"mimeType", "application/json"}}},
                   {"accepts", read_json(price.accepts)}};
  if (!settlement.is_null()) required[payment_response_key] = settlement;
  auto result =
      error_result(dump(Json{{"x402/error", {{"code", payment_required_code}, {"message", why}, {"data", required}}}}));
  result["structuredContent"] = std::move(required);
  return result;
}

Json payment_impossible(std::string_view why) {
  return error_result(std::string(why));
}

}  // namespace mcph
