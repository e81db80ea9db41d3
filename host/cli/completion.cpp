#include "cli/completion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <CLI/CLI.hpp>

namespace mcph {
namespace {

// Of these arguments and options names are known elsewhere.
struct Named {
  std::string_view command;
  std::string_view argument;
  Names names;
};
constexpr std::array named_arguments{Named{"reload", "PLUGIN", Names::plugins},
                                     Named{"disable", "PLUGIN", Names::plugins},
                                     Named{"enable", "PLUGIN", Names::plugins},
                                     Named{"trace", "PLUGIN", Names::plugins},
                                     Named{"log", "PLUGIN", Names::plugins},
                                     Named{"disable", "--component", Names::components},
                                     Named{"enable", "--component", Names::components},
                                     Named{"trace", "--component", Names::components},
                                     Named{"call", "TOOL", Names::tools},
                                     Named{"read", "URI", Names::resources},
                                     Named{"prompt", "NAME", Names::prompts},
                                     Named{"complete", "COMPONENT", Names::completed},
                                     Named{"remove", "NAME", Names::upstreams}};

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

// "PLUGIN" or "--component".
std::string argument_name(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

// The command that is being completed, and what has been said for it.
class Walk {
 public:
  Walk(const CLI::App& app, const std::function<void(const CLI::App&)>& prepare) : app_(&app), prepare_(prepare) {}

  void pass(const std::string& word) {
    if (waiting_ != nullptr) {
      completion_.options[argument_name(*waiting_)] = word;
      waiting_ = nullptr;
    } else if (word == "--") {
      only_arguments_ = true;
    } else if (is_option(word) && !only_arguments_) {
      pass_option(word);
    } else if (const auto* const command = command_named(word)) {
      app_ = command;
      prepare_(*command);
    } else {
      completion_.arguments.push_back(word);
    }
  }

  Completion complete(const std::string& word) {
    completion_.typed = word;
    const auto equals = word.find('=');
    if (waiting_ != nullptr) {
      complete_value(*waiting_);
    } else if (is_option(word) && equals != std::string::npos && !only_arguments_) {
      completion_.begin = word.substr(0, equals + 1);
      completion_.typed = word.substr(equals + 1);
      if (const auto* const option = app_->get_option_no_throw(word.substr(0, equals))) complete_value(*option);
    } else if (word.starts_with('-') && !only_arguments_) {
      offer_options();
    } else {
      complete_argument();
    }
    return std::move(completion_);
  }

 private:
  const CLI::App* command_named(const std::string& word) const {
    if (!completion_.arguments.empty()) return nullptr;
    const auto commands = app_->get_subcommands([&word](const CLI::App* each) { return each->get_name() == word; });
    return commands.empty() ? nullptr : commands.front();
  }

  void pass_option(const std::string& word) {
    const auto equals = word.find('=');
    const auto* const option = app_->get_option_no_throw(word.substr(0, equals));
    if (option == nullptr || option->get_items_expected_max() == 0) return;
    if (equals == std::string::npos) {
      waiting_ = option;
    } else {
      completion_.options[argument_name(*option)] = word.substr(equals + 1);
    }
  }

  void complete_value(const CLI::Option& option) {
    const auto name = argument_name(option);
    const auto* const found = std::ranges::find_if(
        named_arguments, [&](const Named& each) { return each.command == app_->get_name() && each.argument == name; });
    if (found != named_arguments.end()) {
      completion_.names = found->names;
      return;
    }
    // "auto|always|never"
    const auto type = option.get_type_name();
    if (type.find('|') == std::string::npos) {
      const bool is_number = type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
      if (!is_number) completion_.names = Names::files;
      return;
    }
    for (std::size_t begin = 0; begin <= type.size();) {
      const auto end = std::min(type.find('|', begin), type.size());
      completion_.candidates.push_back({type.substr(begin, end - begin)});
      begin = end + 1;
    }
  }

  void offer_options() {
    for (const auto* const option : app_->get_options()) {
      for (const auto& name : option->get_lnames())
        completion_.candidates.push_back({"--" + name, option->get_description()});
    }
  }

  void complete_argument() {
    const auto positionals = positionals_of(*app_);
    const auto commands = app_->get_subcommands([](const CLI::App*) { return true; });
    for (const auto* const command : commands)
      completion_.candidates.push_back({command->get_name(), command->get_description()});
    if (!commands.empty()) return;
    if (positionals.empty()) return offer_options();
    const auto at = std::min(completion_.arguments.size(), positionals.size() - 1);
    const bool is_taken = completion_.arguments.size() > at && positionals[at]->get_items_expected_max() <= 1;
    if (app_->get_prefix_command() && completion_.arguments.size() >= positionals.size()) {
      completion_.names = Names::files;  // the words of another program
    } else if (is_taken) {
      offer_options();
    } else {
      complete_value(*positionals[at]);
    }
  }

  const CLI::App* app_;
  const std::function<void(const CLI::App&)>& prepare_;
  const CLI::Option* waiting_ = nullptr;  // for its value
  bool only_arguments_ = false;
  Completion completion_;
};

}  // namespace

Completion complete_words(const CLI::App& app, const std::vector<std::string>& words,
                          const std::function<void(const CLI::App&)>& prepare) {
  Walk walk(app, prepare);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    walk.pass(words[i]);
  return walk.complete(words.empty() ? "" : words.back());
}

}  // namespace mcph
