// A URI template of a resource (RFC 6570), matched backwards: from a URI to the values of the template's variables.
// A value type, immutable once parsed: any number of threads may match at once.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace mcph {

class ComparedUri;

// What stands between literal text (everything that stands for itself, however it is percent-encoded):
//
//   {name}    one or more bytes other than "/", "?" and "#"
//   {+name}   one or more bytes of any kind: a path, for instance
//   {name*}   the same, as many templates have it that were written for other servers
//   {/name}   "/", then as {name}; {/name*} "/", then as {name*}
//   {#name}   "#", then one or more bytes of any kind
//   *         one or more bytes of any kind; the variable's name is "*" (our extension: docs://*)
//   {?a,b}    at the end: a query with any of these parameters, in any order, and no other; what stands before it has
//             no "?"
//
// That is levels 1 and 2 of the RFC, and its forms of a path, which must be there, and of a query. Other forms are
// refused, and so are a variable that appears twice and two variables with no text between them, because no one could
// say where the first value ends.
class UriTemplate {
 public:
  // Longer templates are refused, longer URIs match nothing. The time of a match is at most proportional to the product
  // of both lengths, whatever they contain.
  static constexpr std::size_t max_template_size = 2048;
  static constexpr std::size_t max_uri_size = 16384;

  static Result<UriTemplate> parse(std::string_view text);

  // The decoded value of each variable, but of parameters that the URI has not, or nothing if it does not match. Where
  // a URI can be split in several ways, the first variable takes as much as it can, then the second, as with a greedy
  // regular expression. A value whose percent-encoding is broken, or that is not UTF-8 when decoded, makes the URI not
  // match. Decoding can bring up any character, "/" and NUL included: a value is a name to look up, not a path to
  // trust.
  std::optional<std::map<std::string, std::string>> match(std::string_view uri) const;
  // The same, for a URI that is compared with many templates.
  std::optional<std::map<std::string, std::string>> match(const ComparedUri& uri) const;

  // As clients read it: what a URI cannot have is percent-encoded in the text between the variables.
  std::string_view text() const { return text_; }
  // As its plugin wrote it.
  std::string_view original() const { return original_; }

  // In the order of the template.
  std::vector<std::string> variables() const;

  // A strict weak order for choosing among templates that match the same URI: more literal text first, then fewer
  // variables, then fewer variables that may run across "/".
  bool more_specific_than(const UriTemplate& other) const;

 private:
  friend class UriTemplateParser;

  enum class Kind { literal, segment, anything };
  struct Part {
    Kind kind;
    std::string text;  // what a literal stands for, or the variable's name
  };

  explicit UriTemplate(std::string_view text) : original_(text) {}
  using Values = std::map<std::string, std::string>;

  // False: the URI does not match.
  bool match_path(const ComparedUri& uri, std::size_t end, Values& values) const;
  bool match_query(std::string_view query, Values& values) const;
  std::size_t literal_size() const;
  std::size_t count(Kind kind) const;

  class Matches;

  std::string original_;
  std::string text_;
  std::vector<Part> parts_;
  std::vector<std::string> query_;  // the names of its parameters
};

}  // namespace mcph
