#include "metrics/request_metrics.hpp"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/caller.hpp"
#include "protocol/legacy/legacy_era.hpp"
#include "protocol/message.hpp"
#include "protocol/modern/modern_era.hpp"

namespace mcph {
namespace {

constexpr std::string_view other = "_OTHER";

// The first of each list is none, the last is any that is not in it.
constexpr std::array<std::string_view, 7> versions{"",
                                                   LegacyEra::revisions[0],
                                                   LegacyEra::revisions[1],
                                                   LegacyEra::revisions[2],
                                                   LegacyEra::revisions[3],
                                                   ModernEra::revision,
                                                   other};

struct ErrorType {
  int code;
  std::string_view name;
};
constexpr std::array<ErrorType, 16> errors{{
    {0, ""},
    {error_code::parse_error, "-32700"},
    {error_code::invalid_request, "-32600"},
    {error_code::method_not_found, "-32601"},
    {error_code::invalid_params, "-32602"},
    {error_code::internal_error, "-32603"},
    {error_code::resource_not_found, "-32002"},
    {error_code::header_mismatch, "-32020"},
    {error_code::missing_client_capability, "-32021"},
    {error_code::unsupported_protocol_version, "-32022"},
    {error_code::unauthorized, "401"},
    {error_code::not_permitted, "403"},
    {error_code::limited, "429"},
    {0, "tool_error"},
    {0, "cancelled"},
    {0, other},
}};
constexpr std::uint8_t tool_error = 13;
constexpr std::uint8_t cancelled = 14;
constexpr std::uint8_t other_error = 15;

constexpr std::uint8_t other_method = method_names.size();

std::uint8_t error_of(const CallEnd& end) {
  switch (end.outcome) {
    case CallEnd::Outcome::result:
      return 0;
    case CallEnd::Outcome::tool_error:
      return tool_error;
    case CallEnd::Outcome::abandoned:
      return cancelled;
    case CallEnd::Outcome::error:
      break;
  }
  const auto* const codes_end = errors.begin() + tool_error;
  const auto* const found = std::ranges::find(errors.begin() + 1, codes_end, end.error_code, &ErrorType::code);
  return found == codes_end ? other_error : static_cast<std::uint8_t>(found - errors.begin());
}

std::uint8_t version_of(std::string_view version) {
  const auto* const found = std::ranges::find(versions, version);
  return static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(found - versions.begin(), versions.size() - 1));
}

std::string_view name_of(NetworkTransport transport) {
  return transport == NetworkTransport::pipe ? "pipe" : "tcp";
}

std::string_view method_name(std::uint8_t method) {
  return method == other_method ? other : method_names.at(method);
}

bool is_served(const Catalog& catalog, std::uint8_t method, std::string_view component) {
  return static_cast<Method>(method) == Method::prompts_get ? catalog.find_prompt(component) != nullptr
                                                            : catalog.find_tool(component) != nullptr;
}

}  // namespace

std::size_t RequestMetrics::Hash::operator()(const Key& key) const {
  constexpr std::size_t spread = 0x9E3779B97F4A7C15U;
  const auto numbers = static_cast<std::size_t>(key.method) << 24U | static_cast<std::size_t>(key.version) << 16U |
                       static_cast<std::size_t>(key.error) << 8U | static_cast<std::size_t>(key.transport);
  return std::hash<std::string_view>()(key.component) ^ numbers * spread;
}

RequestMetrics::Key RequestMetrics::key_of(const CallEnd& end) {
  const auto& call = end.call;
  Key key{.method = call.method ? static_cast<std::uint8_t>(*call.method) : other_method,
          .version = call.caller == nullptr ? std::uint8_t{0} : version_of(call.caller->protocol_version),
          .error = error_of(end),
          .transport = call.transport};
  // A URI is none of what labels are made of: there may be any number that are good.
  const bool has_name = call.method == Method::tools_call || call.method == Method::prompts_get;
  if (has_name) key.component = call.is_served ? std::string_view(call.component) : other;
  return key;
}

void RequestMetrics::count(Series& series, const Key& key, std::chrono::nanoseconds took) {
  auto found = series.find(key);
  if (found == series.end()) {
    OwnedKey owned{key, std::string(key.component)};
    owned.key.component = {};
    found = series.emplace(std::move(owned), Histogram()).first;
  }
  found->second.add(took);
}

void RequestMetrics::ended(const CallEnd& end) {
  const auto key = key_of(end);
  auto& shard = shards_.at(std::hash<std::thread::id>()(std::this_thread::get_id()) % shards_.size());
  const MutexLock lock(shard.mutex);
  count(shard.series, key, end.took);
}

void RequestMetrics::session_ended(const SessionEnd& end) {
  const MutexLock lock(sessions_.mutex);
  count(sessions_.series, {.version = version_of(end.protocol_version), .transport = end.transport}, end.took);
}

void RequestMetrics::keep_only(const Catalog& catalog) {
  const MutexLock looking(looking_);
  forget_but(catalog);
}

bool RequestMetrics::try_keep_only(const Catalog& catalog) {
  if (!looking_.try_lock()) return false;
  const MutexLock looking(looking_, std::adopt_lock);
  forget_but(catalog);
  return true;
}

void RequestMetrics::forget_but(const Catalog& catalog) {
  for (auto& shard : shards_) {
    const MutexLock lock(shard.mutex);
    std::erase_if(shard.series, [&](const auto& each) {
      const auto& [key, histogram] = each;
      return !key.component.empty() && key.component != other && !is_served(catalog, key.key.method, key.component);
    });
  }
}

MetricLabels RequestMetrics::labels_of(const Key& key) {
  MetricLabels labels;
  labels.add("mcp_method_name", method_name(key.method));
  const bool is_prompt = key.method == static_cast<std::uint8_t>(Method::prompts_get);
  labels.add(is_prompt ? "gen_ai_prompt_name" : "gen_ai_tool_name", key.component);
  labels.add("error_type", errors.at(key.error).name);
  labels.add("mcp_protocol_version", versions.at(key.version));
  labels.add("network_transport", name_of(key.transport));
  return labels;
}

void RequestMetrics::write(MetricText& text) const {
  const MutexLock looking(looking_);
  std::unordered_map<Key, Histogram, Hash, Equal> all;
  std::vector<std::pair<Key, Histogram>> copies;
  for (const auto& shard : shards_) {
    // Copies, so that nobody who counts waits for the text.
    copies.clear();
    {
      const MutexLock lock(shard.mutex);
      copies.reserve(shard.series.size());
      for (const auto& [key, histogram] : shard.series)
        copies.emplace_back(key.view(), histogram);
    }
    for (const auto& [key, histogram] : copies)
      all[key].add(histogram);
  }
  text.begin("mcp_server_operation_duration_seconds", "histogram",
             "Time from a client's request to its answer, or to its end without one.");
  for (const auto& [key, histogram] : all)
    text.sample(labels_of(key), histogram);
  text.begin("mcp_server_session_duration_seconds", "histogram",
             "Time from initialize to the end of a session, of revisions up to 2025-11-25 over streamable HTTP.");
  const auto sessions = [this] {
    const MutexLock lock(sessions_.mutex);
    return sessions_.series;
  }();
  for (const auto& [key, histogram] : sessions)
    text.sample(
        {{"mcp_protocol_version", versions.at(key.key.version)}, {"network_transport", name_of(key.key.transport)}},
        histogram);
}

}  // namespace mcph
