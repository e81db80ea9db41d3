// Options of the command line that say a setting of the configuration, and count instead of its file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"

namespace CLI {
class App;
}

namespace mcph {

struct SettingOption {
  const char* name;                   // "--max-body-bytes"
  const char* key;                    // "http.max_body_bytes"
  const char* environment = nullptr;  // says it, too
};

// What is set for any command that loads plugins, where these are, for one that serves, and over each transport.
extern const std::span<const SettingOption> host_settings;
extern const std::span<const SettingOption> folder_settings;
extern const std::span<const SettingOption> serving_settings;
extern const std::span<const SettingOption> http_settings;
extern const std::span<const SettingOption> stdio_settings;

// CLI11's check of an option that must not be given in vain: without a value it would count as not given.
std::string mistake_in_value(const std::string& text);

// The options of one command, and the configuration that they come to.
class ConfiguredCommand {
 public:
  // `defaults` are the command's own: one whose output is the answer to a question says little else.
  ConfiguredCommand(CLI::App& app, Config defaults);

  void offer(std::span<const SettingOption> settings) { offered_.push_back(settings); }
  // Defaults that the command finds by itself, in words for its help, by their tables.
  void show(OrderedJson defaults) { found_defaults_ = std::move(defaults); }
  CLI::App& app() { return app_; }

  // Before the command line is read, if it is this command's: there are many options of many commands, and a program
  // that is started often should not make them all.
  void prepare();
  // Once the command line has been read.
  ConfigSource source() const { return {defaults_, file_, overrides_}; }

 private:
  void offer(const SettingOption& setting, const OrderedJson& shown);

  CLI::App& app_;
  const Config defaults_;
  OrderedJson found_defaults_ = OrderedJson::object();
  std::vector<std::span<const SettingOption>> offered_;
  std::filesystem::path file_;
  std::vector<Override> overrides_;
};

}  // namespace mcph
