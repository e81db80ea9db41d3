// Turns the text of a JSON Schema into a Program. Walks the subschemas with a work list instead of recursion; what a
// keyword means is none of its business, see keywords.hpp. Lives on the stack of one Schema::compile.
#pragma once

#include <cstddef>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "schema/dialect.hpp"
#include "schema/pattern.hpp"
#include "schema/program.hpp"
#include "schema/resources.hpp"
#include "schema/schema.hpp"

namespace mcph::schema {

class Compiler;

// One keyword in a document: what compiles it gets to see.
struct KeywordSite {
  Compiler& compiler;
  const Subschema& subschema;
  NodeIndex node;
  std::string_view keyword;
  const nlohmann::ordered_json& value;

  Draft draft() const;
  bool has(Vocabulary vocabulary) const;
  const nlohmann::ordered_json* sibling(std::string_view keyword) const;  // null if absent

  Error error(std::string_view reason) const;
  std::string location() const;

  // The keyword's value, or all that it contains, as subschemas.
  Result<NodeIndex> compile() const;
  Result<std::vector<NodeIndex>> compile_elements() const;                         // of an array
  Result<std::vector<std::pair<std::string, NodeIndex>>> compile_members() const;  // of an object
  Result<NodeIndex> compile_member(const std::string& key, const nlohmann::ordered_json& schema) const;

  // A regular expression that the keyword has.
  Result<Pattern> compile_pattern(std::string_view text) const;
};

class Compiler {
 public:
  // The options say how many bytes patterns may take.
  Compiler(const nlohmann::ordered_json& document, const SchemaOptions& options);

  Result<Program> compile();

  // For keywords, from here on.

  // The node of a subschema, which is compiled later if it is new.
  Result<NodeIndex> add_subschema(Subschema subschema);

  // The value of a $ref or $dynamicRef. Its target is known only when all subschemas are; until then a slot of
  // Program::reference_targets stands for it.
  std::size_t add_reference(const KeywordSite& site, bool is_dynamic);

  Resources& resources() { return resources_; }
  // False: there is no room for a pattern of so many bytes.
  bool take_pattern_bytes(std::size_t bytes);
  void set_default(NodeIndex node, const nlohmann::ordered_json& value);
  void note_unevaluated(NodeIndex node);

 private:
  struct Reference {
    NodeIndex from;
    std::size_t slot;
    ResourceIndex resource;
    std::string uri;
    std::string location;  // of the keyword
    bool is_dynamic;
  };

  Result<void> compile_waiting();
  Result<void> compile_node(NodeIndex node, Subschema subschema);
  Result<void> resolve_references();
  Result<Subschema> resolve(const Reference& reference);
  Result<ResourceIndex> resource_of(const Reference& reference, std::string_view uri);
  Result<void> resolve_dynamically();
  void inherit_defaults();

  const nlohmann::ordered_json& document_;
  Resources resources_;
  std::size_t& pattern_bytes_;  // that patterns may still take
  Program program_;
  std::unordered_map<const nlohmann::ordered_json*, NodeIndex> node_of_;
  std::queue<std::pair<NodeIndex, Subschema>> waiting_;  // first come, first served: the document's order
  std::vector<Reference> unresolved_;
  std::vector<std::pair<std::size_t, std::string>> dynamic_;  // slot and name of what is answered by several resources
  std::map<NodeIndex, std::size_t> references_;               // slots, by the nodes that refer by them
};

}  // namespace mcph::schema
