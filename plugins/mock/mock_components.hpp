// MockComponents: the components that the settings describe, registered with the plugin. Used by one thread at a time;
// the handlers by any.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin.hpp>
#include <mcp/plugin/executor.hpp>

#include "mock/scenarios.hpp"
#include "mock/settings.hpp"

namespace plugins::mock {

class MockComponents {
 public:
  // The plugin outlives this object. Delayed answers are given by the executor.
  MockComponents(mcp::Plugin& plugin, std::shared_ptr<mcp::Executor> executor);

  // Registers what these settings describe in place of what was registered before. Throws std::invalid_argument that
  // says what is wrong with them; then everything is as before. `name` is what the message calls the settings.
  void replace(const MockSettings& settings, const std::string& name);

 private:
  using SharedScenarios = std::shared_ptr<const Scenarios>;
  template <class Settings>
  using List = std::vector<std::pair<Settings, SharedScenarios>>;
  struct Components {
    List<ToolSettings> tools;
    List<ResourceSettings> resources;
    List<PromptSettings> prompts;
  };

  static Components checked(const MockSettings& settings, const std::string& name);
  void enlist(const Components& components);
  void withdraw(const Components& components);
  void add_tool(const ToolSettings& settings, const SharedScenarios& scenarios);
  void add_resource(const ResourceSettings& settings, const SharedScenarios& scenarios);
  void add_prompt(const PromptSettings& settings, const SharedScenarios& scenarios);

  mcp::Plugin& plugin_;
  std::shared_ptr<mcp::Executor> executor_;
  Components components_;
};

}  // namespace plugins::mock
