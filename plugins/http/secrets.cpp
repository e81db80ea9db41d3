#include "http/secrets.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "shared/file_content.hpp"
#include "shared/file_error.hpp"

namespace plugins::http {
namespace {

constexpr std::uint64_t max_secret = 65536;

std::string read_secret(const SecretSettings& secret) {
  if (secret.file) {
    try {
      return read_file(*secret.file, max_secret);
    } catch (const FileError& error) {
      throw std::runtime_error("the file " + *secret.file + ' ' + error.what());
    }
  }
  const char* const value = std::getenv(secret.env->c_str());
  if (value != nullptr) return value;
  throw std::runtime_error("there is no variable " + *secret.env +
                           " in its environment, which in the strict sandbox has none of the host's: use a file there");
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

Secrets::Secrets(std::map<std::string, SecretSettings> settings) : settings_(std::move(settings)) {
  for (const auto& [name, secret] : settings_) {
    const auto place = "configuration.secrets." + name;
    if (secret.file.has_value() == secret.env.has_value()) refuse(place, "must have one of file and env");
    if (secret.file && !secret.file->starts_with('/')) {
      refuse(place + ".file", "must be an absolute path, not \"" + *secret.file + '"');
    }
  }
}

std::string Secrets::value(const std::string& name) const {
  try {
    auto value = read_secret(settings_.at(name));
    while (value.ends_with('\n') || value.ends_with('\r'))
      value.pop_back();
    if (value.empty()) throw std::runtime_error("it is empty");
    if (std::any_of(value.begin(), value.end(), is_control)) throw std::runtime_error("it has more than one line");
    return value;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("the secret \"" + name + "\" cannot be had: " + error.what());
  }
}

void Secrets::require_all() const {
  for (const auto& [name, secret] : settings_)
    value(name);
}

}  // namespace plugins::http
