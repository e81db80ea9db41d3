#include "sources/folder/component_settings_reader.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "http/client/http_url.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_aliases = 1000;
constexpr std::size_t max_ways_to_pay = 16;
constexpr std::int64_t max_payment_seconds = 3600;
constexpr std::int64_t usual_payment_seconds = 60;

bool is_filled_text(const Json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty();
}

Result<ComponentSettings::Alias> read_alias(const std::string& name, const Json& value) {
  const auto where = R"(has "aliases": {)" + dump(Json(name)) + ": " + dump(value) + "}, which must be ";
  if (is_filled_text(value)) return ComponentSettings::Alias{.of = value.get<std::string>()};
  if (!value.is_object()) return fail(where + R"(a name, or {"of": NAME, "replaces": true or false})");
  ComponentSettings::Alias alias;
  for (const auto& [key, member] : value.items()) {
    if (key == "of" && is_filled_text(member)) {
      alias.of = member.get<std::string>();
    } else if (key == "replaces" && member.is_boolean()) {
      alias.replaces_it = member.get<bool>();
    } else {
      return fail(where + R"({"of": NAME, "replaces": true or false})");
    }
  }
  if (alias.of.empty()) return fail(where + R"({"of": NAME, "replaces": true or false})");
  return alias;
}

Result<> take_aliases(Json& object, ComponentSettings& settings) {
  const auto found = object.find("aliases");
  if (found == object.end()) return {};
  if (!found->is_object()) {
    return fail(R"(has "aliases": )" + dump(*found) + R"(, which must be an object such as {"get_time": "now"})");
  }
  if (found->size() > max_aliases) return fail("has more than " + std::to_string(max_aliases) + " aliases");
  for (const auto& [name, value] : found->items()) {
    auto alias = read_alias(name, value);
    if (alias.has_error()) return alias.error();
    settings.aliases.emplace(name, *std::move(alias));
  }
  object.erase(found);
  return {};
}

bool is_amount(const Json& value) {
  constexpr std::size_t max_digits = 78;  // of 2^256
  if (!is_filled_text(value)) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() <= max_digits && std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

// x402, version 2, section 5.1.2. Nothing is wrong: empty.
std::string mistake_in_way_to_pay(const Json& way) {
  if (!way.is_object()) return "must be an object";
  for (const auto* const name : {"scheme", "network", "asset", "payTo"}) {
    if (!is_filled_text(way.value(name, Json()))) return "needs the text " + dump(Json(name));
  }
  // Of others the host could not tell whether a payment is used twice.
  const auto network = way.at("network").get<std::string>();
  if (way.at("scheme") != "exact" || !(network.starts_with("eip155:") || network.starts_with("solana:")))
    return R"(must have the scheme "exact" on a network "eip155:..." or "solana:...")";
  if (!is_amount(way.value("amount", Json())))
    return R"(needs "amount", a text of digits: the price in the asset's smallest unit, such as "10000")";
  const auto seconds = way.value("maxTimeoutSeconds", Json(usual_payment_seconds));
  if (!seconds.is_number_integer() || seconds < 1 || seconds > max_payment_seconds)
    return "has \"maxTimeoutSeconds\", which must be 1 to " + std::to_string(max_payment_seconds);
  if (!way.value("extra", Json::object()).is_object()) return R"(has "extra", which must be an object)";
  constexpr std::array known{"scheme", "network", "asset", "payTo", "amount", "maxTimeoutSeconds", "extra"};
  for (const auto& [key, value] : way.items()) {
    if (std::ranges::find(known, key) == known.end())
      return "has " + dump(Json(key)) +
             ", but its members are scheme, network, amount, asset, payTo, "
             "maxTimeoutSeconds and extra";
  }
  return {};
}

Result<std::string> read_ways_to_pay(const std::string& tool, const Json& ways) {
  const auto where = R"(has "payment": {"tools": {)" + dump(Json(tool)) + ": ...}}, ";
  if (!ways.is_array() || ways.empty() || ways.size() > max_ways_to_pay) {
    return fail(
        where + "which must be an array of 1 to " + std::to_string(max_ways_to_pay) +
        R"( objects such as {"scheme": "exact", "network": "eip155:84532", "amount": "10000", "asset": "0x...", )"
        R"("payTo": "0x..."})");
  }
  auto accepts = OrderedJson::array();
  for (const auto& way : ways) {
    if (const auto mistake = mistake_in_way_to_pay(way); !mistake.empty())
      return fail(where + "of which an entry " + mistake);
    auto& accepted = accepts.emplace_back(OrderedJson::object());
    for (const auto* const name : {"scheme", "network", "amount", "asset", "payTo"})
      accepted[name] = way.at(name);
    accepted["maxTimeoutSeconds"] = way.value("maxTimeoutSeconds", usual_payment_seconds);
    if (way.contains("extra")) accepted["extra"] = way.at("extra");
  }
  return dump(accepts);
}

Result<std::string> read_facilitator(const Json& payment) {
  const auto value = payment.value("facilitator", Json());
  if (!is_filled_text(value)) {
    return fail(R"(has "payment" without "facilitator", the URL of who checks payments and takes the money)");
  }
  auto url = value.get<std::string>();
  while (url.ends_with('/'))
    url.pop_back();
  if (url.find('?') != std::string::npos)
    return fail(R"(has "payment": {"facilitator": )" + dump(value) + "}, which must have no query");
  if (const auto read = read_http_url(url); read.has_error())
    return fail(R"(has "payment": {"facilitator": )" + dump(value) + "}: " + read.error().message);
  return url;
}

Result<> take_payment(Json& object, ComponentSettings& settings) {
  const auto found = object.find("payment");
  if (found == object.end()) return {};
  if (!found->is_object()) {
    return fail(R"(has "payment": )" + dump(*found) +
                R"(, which must be {"facilitator": URL, "tools": {NAME: [...]}})");
  }
  for (const auto& [key, value] : found->items()) {
    if (key != "facilitator" && key != "tools")
      return fail(R"(has "payment": {)" + dump(Json(key)) + ": ...}, but its members are facilitator and tools");
  }
  auto facilitator = read_facilitator(*found);
  if (facilitator.has_error()) return facilitator.error();
  const auto tools = found->value("tools", Json());
  if (!tools.is_object() || tools.empty()) {
    return fail(R"(has "payment" without "tools", which says what each tool costs: {NAME: [...]})");
  }
  for (const auto& [tool, ways] : tools.items()) {
    auto accepts = read_ways_to_pay(tool, ways);
    if (accepts.has_error()) return accepts.error();
    settings.prices.emplace(tool, std::make_shared<const Price>(Price{*facilitator, *std::move(accepts)}));
  }
  object.erase(found);
  return {};
}

}  // namespace

Result<ComponentSettings> take_component_settings(Json& object) {
  ComponentSettings settings;
  if (auto taken = take_aliases(object, settings); taken.has_error()) return taken.error();
  if (auto taken = take_payment(object, settings); taken.has_error()) return taken.error();
  return settings;
}

}  // namespace mcph
