#include "protocol/legacy/legacy_content.hpp"

#include <string>

namespace mcph {
namespace {

constexpr std::string_view resource_links_since = "2025-06-18";
constexpr std::string_view structured_content_since = "2025-06-18";

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

// Whether clients read it. Any JSON value is allowed there only from 2026-07-28 on.
bool is_read_as_structured_content(bool is_object, std::string_view revision) {
  return is_object && revision >= structured_content_since;
}

// What nothing else in the result says becomes its text. An object is a member that older clients leave alone.
bool fit_structured_content(Json& result, std::string_view revision) {
  const auto structured = result.find("structuredContent");
  if (structured == result.end()) return false;
  const bool is_object = structured->is_object();
  if (is_read_as_structured_content(is_object, revision)) return false;
  const auto content = result.find("content");
  const bool is_alone = content != result.end() && content->is_array() && content->empty();
  if (is_alone) content->push_back(text_block(structured->dump()));
  if (!is_object) result.erase("structuredContent");
  return is_alone || !is_object;
}

// Empty if it is no text: only the contents that a method prescribes have been checked, and others are no less walked.
std::string text_member(const Json& block, const char* member) {
  const auto found = block.find(member);
  return found != block.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool fit_block(Json& block, std::string_view revision) {
  if (!block.is_object()) return false;
  const auto found = block.find("type");
  if (found == block.end() || !found->is_string()) return false;
  const auto& type = found->get_ref<const std::string&>();
  if (type == "audio" && revision < audio_since) {
    block = text_block("[audio, " + text_member(block, "mimeType") + ": this client's protocol revision has no audio]");
    return true;
  }
  if (type == "resource_link" && revision < resource_links_since) {
    block = text_block(text_member(block, "name") + ": " + text_member(block, "uri"));
    return true;
  }
  return false;
}

}  // namespace

bool fits_revision(JsonValue result, std::string_view revision) {
  for (const auto* member : modern_members) {
    if (result.contains(member)) return false;
  }
  const auto content = result.find("content");
  const auto structured = result.find("structuredContent");
  const bool is_alone = structured && content.is_array() && content.size() == 0;
  if (is_alone && !is_read_as_structured_content(structured.is_object(), revision)) return false;
  if (structured && !structured.is_object()) return false;
  for (const auto block : content.elements()) {
    if (!block_fits(block, revision)) return false;
  }
  for (const auto message : result.find("messages").elements()) {
    if (!block_fits(message.find("content"), revision)) return false;
  }
  return true;
}

bool fit_to_revision(Json& result, std::string_view revision) {
  bool changed = false;
  for (const auto* member : modern_members)
    changed |= result.erase(member) > 0;
  changed |= fit_structured_content(result, revision);
  if (const auto content = result.find("content"); content != result.end() && content->is_array()) {
    for (auto& block : *content)
      changed |= fit_block(block, revision);
  }
  if (const auto messages = result.find("messages"); messages != result.end() && messages->is_array()) {
    for (auto& message : *messages) {
      if (message.is_object() && message.contains("content")) changed |= fit_block(message["content"], revision);
    }
  }
  return changed;
}

}  // namespace mcph
