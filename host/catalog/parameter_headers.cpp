#include "catalog/parameter_headers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/http_token.hpp"
#include "base/json.hpp"

namespace mcph {
namespace {

constexpr auto annotation = "x-mcp-header";
constexpr std::size_t max_headers = 100;
// Of the keys that lead to a parameter, together. In bytes.
constexpr std::size_t max_path_bytes = 4096;

// Keywords whose value is an object of subschemas by name.
constexpr std::array<std::string_view, 6> named_schemas = {
    "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"};
// And those whose value is no schema, whatever it looks like.
constexpr std::array<std::string_view, 6> values_of_keywords = {"const",   "enum",     "default",
                                                                "example", "examples", "dependentRequired"};

bool is_one_of(const auto& keywords, std::string_view keyword) {
  return std::ranges::find(keywords, keyword) != keywords.end();
}

// Walks a schema: along `properties` an annotation may be, anywhere else there may be none.
class AnnotationReader {
 public:
  Result<std::vector<ParameterHeader>> read(const OrderedJson& schema) {
    if (auto visited = visit_reachable(schema); visited.has_error()) return visited.error();
    return std::move(headers_);
  }

 private:
  Result<> visit_reachable(const OrderedJson& schema) {
    if (!schema.is_object()) return {};
    if (auto added = add(schema); added.has_error()) return added;
    const auto properties = schema.find("properties");
    if (properties != schema.end() && properties->is_object()) {
      for (const auto& [key, property] : properties->items()) {
        path_.push_back(key);
        auto visited = visit_reachable(property);
        path_.pop_back();
        if (visited.has_error()) return visited;
      }
    }
    return refuse_below(schema);
  }

  Result<> add(const OrderedJson& schema) {
    const auto found = schema.find(annotation);
    if (found == schema.end()) return {};
    if (path_.empty()) return error("is for properties, not for the whole schema");
    if (!found->is_string() || !is_token(found->get_ref<const std::string&>())) {
      return error("must be a name as HTTP headers have it: letters, digits and !#$%&'*+-.^_`|~");
    }
    const auto type = schema.value("type", OrderedJson());
    if (type != "string" && type != "integer" && type != "boolean") {
      return error("is only for properties of \"type\": \"string\", \"integer\" or \"boolean\"");
    }
    auto name = "Mcp-Param-" + found->get_ref<const std::string&>();
    if (!names_.insert(lower_case(name)).second) return error("names " + name + " a second time; case does not count");
    if (names_.size() > max_headers) return error("is at more than " + std::to_string(max_headers) + " properties");
    std::size_t path_bytes = 0;
    for (const auto& key : path_)
      path_bytes += key.size();
    if (path_bytes > max_path_bytes)
      return error("is at a property that is reached by names of more than " + std::to_string(max_path_bytes) +
                   " bytes");
    headers_.push_back({std::move(name), path_});
    return {};
  }

  // What a client cannot find by keys alone must not be annotated, and a keyword that nobody knows may be referred to.
  Result<> refuse_below(const OrderedJson& schema) const {
    for (const auto& [keyword, below] : schema.items()) {
      if (keyword == "properties" || is_one_of(values_of_keywords, keyword)) continue;
      if (auto visited = refuse_in_value(keyword, below); visited.has_error()) return visited;
    }
    return {};
  }

  Result<> refuse_in_value(std::string_view keyword, const OrderedJson& value) const {
    if (value.is_object() && !is_one_of(named_schemas, keyword)) return refuse_in(value, keyword);
    if (!value.is_structured()) return {};
    for (const auto& each : value) {
      if (auto visited = refuse_in(each, keyword); visited.has_error()) return visited;
    }
    return {};
  }

  Result<> refuse_in(const OrderedJson& schema, std::string_view below) const {
    if (!schema.is_object()) return {};
    if (schema.contains(annotation)) {
      return error("is only for properties that are reached by \"properties\" alone; there is one below \"" +
                   std::string(below) + "\"");
    }
    if (const auto properties = schema.find("properties"); properties != schema.end()) {
      if (auto visited = refuse_in_value("properties", *properties); visited.has_error()) return visited;
    }
    return refuse_below(schema);
  }

  Error error(const std::string& reason) const {
    OrderedJson::json_pointer place;
    for (const auto& key : path_)
      place = place / "properties" / key;
    return fail(place.to_string() + "/" + annotation + ": " + reason);
  }

  std::vector<std::string> path_;
  std::vector<ParameterHeader> headers_;
  std::set<std::string> names_;  // in lower case
};

}  // namespace

Result<std::vector<ParameterHeader>> read_parameter_headers(const nlohmann::ordered_json& input_schema) {
  return AnnotationReader().read(input_schema);
}

}  // namespace mcph
