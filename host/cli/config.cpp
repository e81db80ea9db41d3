// The commands that say something of a configuration.
#include "config/config.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "app/serving_checks.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "config/toml.hpp"

namespace mcph {
namespace {

OrderedJson published_schema() {
  OrderedJson schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", "Configuration of mcp-plugin-host"}};
  schema.update(config_form().schema);
  return schema;
}

// What is wrong with its text has been told, because everything reads that.
int check(const ConfigCommand& command) {
  auto mistakes = check_reachability(command.config);
  if (command.files) std::ranges::move(check_files(command.config), std::back_inserter(mistakes));
  if (!mistakes.empty()) {
    std::cerr << command.source.words_for(mistakes) << "\n";
    return not_carried_out;
  }
  for (const auto& remark : {remark_on_clear_text(command.config), remark_on_roles(command.config)}) {
    if (!remark.empty()) std::cerr << "warning: " << remark << "\n";
  }
  const auto& file = command.source.file();
  std::cout << (file.empty() ? "the settings" : file.string()) << ": ok\n";
  return 0;
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
    case ConfigCommand::What::check:
      return check(command);
  }
  return 0;
}

}  // namespace mcph
