// UrlTemplate: a URL with places for values, in the way of RFC 6570: {name} in the path or the query, {/name} for
// segments of the path, {?a,b} and {&a,b} for parameters of the query; {/name*}, {?name*} and {&name*} for each item of
// an array. Everything in a value but what is unreserved (RFC 3986 section 2.3) is percent-encoded, so that a value
// never is more than one segment or one parameter, and none stands in scheme, host or port. An immutable value.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin.hpp>

namespace plugins::http {

class UrlTemplate {
 public:
  // Throws std::invalid_argument with a clause that says what is wrong.
  explicit UrlTemplate(std::string_view text);

  std::vector<std::string> names() const;

  // Null: there is no such value. Throws mcp::ToolError for a value that cannot stand where it should.
  using Values = std::function<mcp::Json(const std::string& name)>;
  std::string filled(const Values& values) const;

 private:
  enum class Kind { literal, value, segments, query, more_query };
  struct Variable {
    std::string name;
    bool is_exploded;
  };
  struct Part {
    Kind kind;
    std::string text;  // of a literal
    std::vector<Variable> variables;
    bool is_in_path;
  };

  void set_origin(std::string_view text);
  void add_literal(std::string_view text);
  void add_expression(std::string_view expression);
  static void add_value(std::string& url, const Part& part, const Values& values);
  static void add_segments(std::string& url, const Part& part, const Values& values);
  static void add_query(std::string& url, const Part& part, const Values& values);
  static void add_literal(std::string& url, const Part& part);

  std::string origin_;  // http://localhost:8080
  std::vector<Part> parts_;
  bool has_query_ = false;
};

// RFC 3986 section 2.3: everything but letters, digits and "-._~" as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace plugins::http
