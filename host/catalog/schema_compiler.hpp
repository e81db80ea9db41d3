// Turns the text of a JSON Schema into a Program. Walks the subschemas with a work list instead of recursion; what a
// keyword means is none of its business, see schema_keywords.hpp. Lives on the stack of one Schema::compile.
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

#include "catalog/schema_program.hpp"
#include "result.hpp"

namespace mcph::schema {

enum class Dialect { draft_07, draft_2020_12 };

// A piece of the document.
struct Place {
  const nlohmann::ordered_json* json;
  std::string location;  // JSON Pointer from the document's root
};

struct Subschema {
  Place place;
  Place resource;  // the nearest enclosing schema with an $id, or the document: what "#" means in a $ref
};

class Compiler;

// One keyword in the document: what compiles it gets to see.
struct KeywordSite {
  Compiler& compiler;
  const Subschema& subschema;
  NodeIndex node;
  std::string_view keyword;
  const nlohmann::ordered_json& value;

  Dialect dialect() const;
  const nlohmann::ordered_json* sibling(std::string_view keyword) const;  // null if absent

  Error error(std::string_view reason) const;
  std::string location() const;

  // The keyword's value, or all that it contains, as subschemas.
  Result<NodeIndex> compile() const;
  Result<std::vector<NodeIndex>> compile_elements() const;                         // of an array
  Result<std::vector<std::pair<std::string, NodeIndex>>> compile_members() const;  // of an object
  Result<void> compile_definitions() const;  // the members of an object that apply only where something refers to them

 private:
  Result<NodeIndex> add(const nlohmann::ordered_json& schema, std::string place) const;
  Result<NodeIndex> apply(const nlohmann::ordered_json& schema, std::string place) const;
};

class Compiler {
 public:
  explicit Compiler(const nlohmann::ordered_json& document) : document_(document) {}

  Result<Program> compile();

  // For keywords, from here on.

  Dialect dialect() const { return dialect_; }

  // The node of a subschema, which is compiled later if it is new.
  Result<NodeIndex> add_subschema(Subschema subschema);

  // A $ref with the fragment of its value. Its target is known only when all subschemas are; until then a slot of
  // Program::reference_targets stands for it.
  std::size_t add_reference(const KeywordSite& site, std::string fragment);

  Result<void> add_anchor(const KeywordSite& site, std::string name);
  void set_default(NodeIndex node, const nlohmann::ordered_json& value);
  void add_unchecked(const KeywordSite& site);

  // A check of `from` checks `to` as well.
  void add_application(NodeIndex from, NodeIndex to) { applied_by_[to].push_back(from); }

 private:
  struct Reference {
    NodeIndex from;
    std::size_t slot;
    std::string fragment;
    std::string location;  // of the $ref
    Place resource;
  };

  Result<void> read_dialect();
  Result<void> compile_waiting();
  Result<void> compile_node(NodeIndex node, Subschema subschema);
  Result<void> resolve_references();
  Result<Subschema> resolve(const Reference& reference) const;
  Result<Subschema> follow_pointer(const Reference& reference, std::string_view pointer) const;
  void inherit_defaults();
  void spread_unchecked();

  const nlohmann::ordered_json& document_;
  Dialect dialect_ = Dialect::draft_2020_12;
  Program program_;
  std::unordered_map<const nlohmann::ordered_json*, NodeIndex> node_of_;
  std::map<std::pair<const nlohmann::ordered_json*, std::string>, Subschema> anchors_;  // by resource and name
  std::queue<std::pair<NodeIndex, Subschema>> waiting_;  // first come, first served: the document's order
  std::vector<Reference> unresolved_;
  std::map<NodeIndex, NodeIndex> references_;  // which node refers to which
  std::map<NodeIndex, std::vector<NodeIndex>> applied_by_;
};

}  // namespace mcph::schema
