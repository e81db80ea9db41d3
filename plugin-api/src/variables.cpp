#include <algorithm>
#include <stdexcept>

#include <mcp/plugin/variables.hpp>

namespace mcp {

const std::string& Uri::operator[](std::string_view variable) const {
  const auto found = variables_.find(variable);
  if (found != variables_.end()) return found->second;
  std::string message = "the URI has no variable \"" + std::string(variable) + '"';
  const char* before = ", only ";
  for (const auto& [name, value] : variables_) {
    message.append(before).append(1, '"').append(name).append(1, '"');
    before = ", ";
  }
  throw std::out_of_range(message);
}

std::string Uri::value_or(std::string_view variable, std::string_view fallback) const {
  const auto found = variables_.find(variable);
  return found == variables_.end() ? std::string(fallback) : found->second;
}

const std::string& Arguments::operator[](std::string_view name) const {
  const auto found = given_.find(name);
  if (found != given_.end()) return found->second;
  if (std::find(declared_.begin(), declared_.end(), name) != declared_.end()) return absent_;
  throw std::out_of_range("the prompt has no argument \"" + std::string(name) + '"');
}

std::string Arguments::value_or(std::string_view name, std::string_view fallback) const {
  const auto found = given_.find(name);
  return found == given_.end() ? std::string(fallback) : found->second;
}

}  // namespace mcp
