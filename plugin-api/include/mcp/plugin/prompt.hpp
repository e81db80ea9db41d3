// Prompts: the messages that they are made of, and the modifiers of a prompt that Plugin::prompt has registered.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <mcp/plugin/completion.hpp>
#include <mcp/plugin/content.hpp>
#include <mcp/plugin/metadata.hpp>

namespace mcp {

struct Message {
  Role role;
  Content content;
};

using Messages = std::vector<Message>;

inline Message user(std::string_view text) {
  return {Role::User, mcp::text(text)};
}
inline Message user(Content content) {
  return {Role::User, std::move(content)};
}
inline Message assistant(std::string_view text) {
  return {Role::Assistant, mcp::text(text)};
}
inline Message assistant(Content content) {
  return {Role::Assistant, std::move(content)};
}

namespace detail {
struct PromptRecord;
}

class Prompt : public Completable<Prompt> {
 public:
  Prompt(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::PromptRecord> record);
};

}  // namespace mcp
