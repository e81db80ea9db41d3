#include <mcp/plugin/prompt.hpp>

#include "registry.hpp"

namespace mcp {

Prompt::Prompt(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::PromptRecord> record)
    : Completable(std::move(registry), std::move(record)) {}

}  // namespace mcp
