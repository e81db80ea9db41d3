// Pattern: a regular expression of PCRE2 that gives up a text which would take too long. Immutable; any number of
// threads may use one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct pcre2_real_code_8;

namespace plugins::mock {

class Pattern {
 public:
  // Throws std::invalid_argument that says where the expression is wrong.
  explicit Pattern(const std::string& expression);

  // Whether it is found anywhere in the text, which is UTF-8. Throws mcp::ToolError if that takes too long to tell.
  bool is_found_in(std::string_view text) const;

 private:
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };

  std::string expression_;
  std::unique_ptr<pcre2_real_code_8, Free> code_;
};

}  // namespace plugins::mock
