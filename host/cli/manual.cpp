#include "cli/manual.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/ascii.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"

namespace mcph {
namespace {

constexpr std::string_view program_name = "mcp-plugin-host";

// A text of which groff changes nothing, and takes nothing for a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (escaped.empty() && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '-' || c == '\\') escaped += '\\';
    if (c == '\\') {
      escaped += 'e';
    } else if (c == '~') {
      escaped += "\\(ti";
    } else if (c == '^') {
      escaped += "\\(ha";
    } else if (c == '`') {
      escaped += "\\(ga";
    } else {
      escaped += c == '\n' ? ' ' : c;
    }
  }
  return escaped;
}

std::string sentence(const std::string& text) {
  return roff(text.ends_with('.') ? text : text + ".");
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional) {
  return app.get_options([positional](const CLI::Option* each) { return each->get_positional() == positional; });
}

// "mcp-plugin-host token create"
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string page_name(const CLI::App& app) {
  auto name = full_name(app);
  std::ranges::replace(name, ' ', '-');
  return name;
}

void print_synopsis(std::ostream& out, const CLI::App& app) {
  const auto commands = commands_of(app);
  if (!commands.empty() && app.get_parent() != nullptr) {
    for (const auto* const command : commands)
      print_synopsis(out, *command);
    return;
  }
  out << bold(full_name(app)) << " [" << italic("OPTION") << "]...";
  if (!commands.empty()) out << " " << italic("COMMAND");
  for (const auto* const argument : options_of(app, true)) {
    const bool is_needed = argument->get_required();
    const bool are_many = argument->get_items_expected_max() > 1;
    out << (is_needed ? " " : " [") << italic(argument->get_name(true)) << (is_needed ? "" : "]")
        << (are_many ? "..." : "");
  }
  if (app.get_prefix_command())
    out << " " << italic("URL") << " | " << italic("COMMAND") << " [" << italic("ARGUMENT") << "]...";
  out << "\n.br\n";
}

std::string names_with_type(const CLI::Option& option) {
  if (option.get_positional()) return italic(option.get_name(true));
  std::string names;
  for (const auto& name : option.get_snames())
    names += (names.empty() ? "" : ", ") + bold("-" + name);
  for (const auto& name : option.get_lnames())
    names += (names.empty() ? "" : ", ") + bold("--" + name);
  if (option.get_items_expected_max() == 0) return names;
  return names + " " + italic(option.get_type_name());
}

// The same for everybody: "~/notes".
std::string default_text(const CLI::Option& option) {
  auto text = option.get_default_str();
  const auto* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/' && text.starts_with(std::string(home) + "/"))
    text.replace(0, std::string_view(home).size(), "~");
  return text;
}

void print_option(std::ostream& out, const CLI::Option& option) {
  out << ".TP\n" << names_with_type(option) << "\n" << sentence(option.get_description());
  if (option.get_positional() && option.get_type_name().find('|') != std::string::npos)
    out << "\nOne of " << roff(option.get_type_name()) << ".";
  if (!option.get_default_str().empty()) out << "\nDefault: " << roff(default_text(option)) << ".";
  if (const auto variable = option.get_envname(); !variable.empty())
    out << "\nThe environment variable " << bold(variable) << " says it, too.";
  out << "\n";
}

void print_options(std::ostream& out, const CLI::App& app, std::string_view heading) {
  for (const bool positional : {true, false}) {
    const auto options = options_of(app, positional);
    if (options.empty()) continue;
    out << heading << " " << (positional ? "ARGUMENTS" : "OPTIONS") << "\n";
    for (const auto* const option : options)
      print_option(out, *option);
  }
}

void print_commands(std::ostream& out, const CLI::App& app) {
  for (const auto* const command : commands_of(app)) {
    out << ".SH " << bold(full_name(*command)) << "\n" << sentence(command->get_description()) << "\n";
    print_options(out, *command, ".SS");
  }
}

void print_list_of_commands(std::ostream& out, const CLI::App& app) {
  out << ".SH COMMANDS\n";
  for (const auto* const command : commands_of(app))
    out << ".TP\n" << bold(page_name(*command)) << "(1)\n" << sentence(command->get_description()) << "\n";
}

std::string page_of(const CLI::App& app) {
  const bool is_of_program = app.get_parent() == nullptr;
  auto title = page_name(app);
  std::ranges::transform(title, title.begin(),
                         [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  std::ostringstream out;
  out << ".TH \"" << roff(title) << "\" 1 \"\" \"" << program_name << " " << host_version << "\" \"" << program_name
      << "\"\n"
      << ".SH NAME\n"
      << roff(page_name(app)) << " \\- " << roff(app.get_description()) << "\n"
      << ".SH SYNOPSIS\n.nh\n.ad l\n";
  print_synopsis(out, app);
  out << ".SH DESCRIPTION\n" << sentence(app.get_description()) << "\n";
  print_options(out, app, ".SH");
  is_of_program ? print_list_of_commands(out, app) : print_commands(out, app);
  out << ".SH \"EXIT STATUS\"\n"
      << ".TP\n0\nAll is well.\n"
      << ".TP\n1\nSomething is wrong with what was asked about, such as a tool that says that it failed.\n"
      << ".TP\n2\nThe command could not be carried out.\n"
      << (is_of_program ? "" : ".SH \"SEE ALSO\"\n" + bold(program_name) + "(1)\n");
  return out.str();
}

}  // namespace

std::vector<ManualPage> manual_pages(const CLI::App& app) {
  std::vector<ManualPage> pages{{page_name(app) + ".1", page_of(app)}};
  for (const auto* const command : commands_of(app))
    pages.push_back({page_name(*command) + ".1", page_of(*command)});
  return pages;
}

int run(const ManualCommand& command) {
  std::error_code error;
  std::filesystem::create_directories(command.folder, error);
  for (const auto& [name, text] : command.pages) {
    std::ofstream file(command.folder / name);
    file << text;
    if (!file.flush()) return complain((command.folder / name).string() + " cannot be written");
  }
  return 0;
}

}  // namespace mcph
