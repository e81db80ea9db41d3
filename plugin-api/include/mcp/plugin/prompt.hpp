// Prompts: the modifiers of a prompt that Plugin::prompt has registered.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <mcp/plugin/completion.hpp>
#include <mcp/plugin/message.hpp>
#include <mcp/plugin/metadata.hpp>

namespace mcp {

namespace detail {
struct PromptRecord;
}

class Prompt : public Completable<Prompt> {
 public:
  Prompt(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::PromptRecord> record);
};

}  // namespace mcp
