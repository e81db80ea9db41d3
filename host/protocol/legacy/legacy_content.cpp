#include "protocol/legacy/legacy_content.hpp"

#include <string>

namespace mcph {
namespace {

constexpr std::string_view resource_links_since = "2025-06-18";

// Of the modern era's results.
constexpr const char* modern_members[] = {"resultType", "ttlMs", "cacheScope"};

bool block_fits(JsonValue block, std::string_view revision) {
  const auto type = block.find("type");
  return !(type.is("audio") && revision < audio_since) &&
         !(type.is("resource_link") && revision < resource_links_since);
}

Json text_block(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

// Any JSON value is allowed there only from 2026-07-28 on. Clients that know no structured content leave an object
// alone.
void drop_structured_value(Json& result) {
  const auto structured = result.find("structuredContent");
  if (structured != result.end() && !structured->is_object()) result.erase(structured);
}

// Empty if it is no text: only the contents that a method prescribes have been checked, and others are no less walked.
std::string text_member(const Json& block, const char* member) {
  const auto found = block.find(member);
  return found != block.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void fit_block(Json& block, std::string_view revision) {
  if (!block.is_object()) return;
  const auto type = text_member(block, "type");
  if (type == "audio" && revision < audio_since) {
    block = text_block("[audio, " + text_member(block, "mimeType") + ": this client's protocol revision has no audio]");
  } else if (type == "resource_link" && revision < resource_links_since) {
    block = text_block(text_member(block, "name") + ": " + text_member(block, "uri"));
  }
}

}  // namespace

bool fits_revision(JsonValue result, std::string_view revision) {
  for (const auto* member : modern_members) {
    if (result.contains(member)) return false;
  }
  const auto structured = result.find("structuredContent");
  if (structured && !structured.is_object()) return false;
  for (const auto block : result.find("content").elements()) {
    if (!block_fits(block, revision)) return false;
  }
  for (const auto message : result.find("messages").elements()) {
    if (!block_fits(message.find("content"), revision)) return false;
  }
  return true;
}

void fit_to_revision(Json& result, std::string_view revision) {
  for (const auto* member : modern_members)
    result.erase(member);
  drop_structured_value(result);
  if (const auto content = result.find("content"); content != result.end() && content->is_array()) {
    for (auto& block : *content)
      fit_block(block, revision);
  }
  if (const auto messages = result.find("messages"); messages != result.end() && messages->is_array()) {
    for (auto& message : *messages) {
      if (message.is_object() && message.contains("content")) fit_block(message["content"], revision);
    }
  }
}

}  // namespace mcph
