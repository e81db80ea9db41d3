#include <mcp/plugin/json.hpp>
#include <mcp/plugin/store.hpp>
#include <nlohmann/json.hpp>

#include "host_text.hpp"

namespace mcp {
namespace {

/// What `use` makes of a sink for errors: its status, unless that is an error.
template <class Use>
std::int32_t status_of(std::string_view what, std::string_view key, const Use& use) {
  std::int32_t status = MCP_STORE_FAILED;
  const std::string why = detail::answer_of_host([&](const mcp_sink* error) { status = use(error); });
  if (status == MCP_STORE_DONE || status == MCP_STORE_ABSENT || status == MCP_STORE_CHANGED) return status;
  throw StoreError(std::string(what) + " \"" + std::string(key) + "\": " + (why.empty() ? "it failed" : why));
}

}  // namespace

std::optional<Store::Entry> Store::find(std::string_view key) const {
  Entry entry{};
  std::int32_t status = MCP_STORE_ABSENT;
  entry.value = detail::answer_of_host([&](const mcp_sink* value) {
    status = status_of("cannot read", key, [&](const mcp_sink* error) {
      return store_->get(host_, detail::borrowed(key), value, &entry.revision, error);
    });
  });
  if (status == MCP_STORE_ABSENT) return std::nullopt;
  return entry;
}

std::optional<std::string> Store::get(std::string_view key) const {
  auto entry = find(key);
  if (!entry) return std::nullopt;
  return std::move(entry->value);
}

void Store::put(std::string_view key, std::string_view value) const {
  put_if(key, value, MCP_STORE_ANY);
}

bool Store::put_if(std::string_view key, std::string_view value, std::uint64_t revision) const {
  return status_of("cannot keep", key, [&](const mcp_sink* error) {
           return store_->put(host_, detail::borrowed(key), detail::borrowed(value), revision, nullptr, error);
         }) == MCP_STORE_DONE;
}

bool Store::erase(std::string_view key) const {
  return status_of("cannot erase", key, [&](const mcp_sink* error) {
           return store_->erase(host_, detail::borrowed(key), MCP_STORE_ANY, error);
         }) == MCP_STORE_DONE;
}

std::vector<std::string> Store::list(std::string_view prefix) const {
  const std::string keys = detail::answer_of_host([&](const mcp_sink* sink) {
    status_of("cannot list", prefix,
              [&](const mcp_sink* error) { return store_->list(host_, detail::borrowed(prefix), sink, error); });
  });
  return parse_json(keys).get<std::vector<std::string>>();
}

}  // namespace mcp
