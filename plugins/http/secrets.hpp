// Secrets: what the configuration names by a file or a variable of the environment. Read each time, so that a file may
// be replaced. An immutable value; any number of threads may use one.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "http/settings.hpp"

namespace plugins::http {

// {secret.NAME} in a template.
inline constexpr std::string_view secret_prefix = "secret.";

class Secrets {
 public:
  // Throws std::invalid_argument.
  explicit Secrets(std::map<std::string, SecretSettings> settings);

  bool has(const std::string& name) const { return settings_.contains(name); }

  // Throws std::runtime_error that says which cannot be had, and why; never what it is.
  std::string value(const std::string& name) const;
  // The same for each of them.
  void require_all() const;

 private:
  std::map<std::string, SecretSettings> settings_;
};

}  // namespace plugins::http
