// JsonTemplate: JSON whose texts have places for values: a text that is {name} and nothing else becomes the value
// itself, whatever its type; in others {name} becomes the value as a text. A value never is read as JSON, so it cannot
// add a member or end a text. An immutable value.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <mcp/plugin.hpp>

namespace plugins::http {

class JsonTemplate {
 public:
  // Throws std::invalid_argument that says what is wrong; its words begin with the place, below `place`.
  JsonTemplate(mcp::Json json, const std::string& place);

  const std::vector<std::string>& names() const { return names_; }

  // Null: there is no such value. A member or an item that is {name} and has none is left out; in a text it is empty.
  using Values = std::function<mcp::Json(const std::string& name)>;
  mcp::Json filled(const Values& values) const;

 private:
  mcp::Json json_;
  std::vector<std::string> names_;
};

}  // namespace plugins::http
