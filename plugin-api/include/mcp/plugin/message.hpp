// Messages: what prompts are made of, and what a client's model is asked with. Values.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace mcp
