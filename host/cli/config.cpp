// The commands that say something of a configuration.
#include "config/config.hpp"

#include <iostream>

#include "cli/commands.hpp"
#include "config/toml.hpp"

namespace mcph {
namespace {

OrderedJson published_schema() {
  OrderedJson schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", "Configuration of mcp-plugin-host"}};
  schema.update(config_form().schema);
  return schema;
}

}  // namespace

int run(const ConfigCommand& command) {
  switch (command.what) {
    case ConfigCommand::What::schema:
      std::cout << published_schema().dump(2) << "\n";
      break;
    case ConfigCommand::What::show: {
      const auto shown = config_form().show(command.config);
      std::cout << (command.json ? shown.dump(2) + "\n" : to_toml(shown));
      break;
    }
    case ConfigCommand::What::check:  // has been done, because everything reads it
      std::cout << (command.file.empty() ? "the settings" : command.file.string()) << ": ok\n";
      break;
  }
  return 0;
}

}  // namespace mcph
