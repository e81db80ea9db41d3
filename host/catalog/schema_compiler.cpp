#include "catalog/schema_compiler.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "catalog/schema.hpp"
#include "catalog/schema_keywords.hpp"
#include "catalog/schema_value.hpp"
#include "catalog/uri_template.hpp"
#include "json_text.hpp"

namespace mcph::schema {
namespace {

using nlohmann::ordered_json;

// One more token of a JSON Pointer (RFC 6901 section 3).
std::string operator/(std::string pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

Error error_at(std::string_view location, std::string_view reason) {
  return fail((location.empty() ? "the schema" : std::string(location)) + ": " + std::string(reason));
}

// True for a schema with an identifier of its own, so that "#" in it means itself.
bool is_resource(const ordered_json& schema, Dialect dialect) {
  if (!schema.is_object()) return false;
  const auto id = schema.find("$id");
  if (id == schema.end() || !id->is_string()) return false;
  if (dialect == Dialect::draft_07 && schema.contains("$ref")) return false;
  const auto& uri = id->get_ref<const std::string&>();
  return !uri.empty() && !uri.starts_with('#');
}

}  // namespace

Dialect KeywordSite::dialect() const {
  return compiler.dialect();
}

const ordered_json* KeywordSite::sibling(std::string_view name) const {
  const auto found = subschema.place.json->find(name);
  return found == subschema.place.json->end() ? nullptr : &*found;
}

Error KeywordSite::error(std::string_view reason) const {
  return error_at(location(), reason);
}

std::string KeywordSite::location() const {
  return subschema.place.location / keyword;
}

Result<NodeIndex> KeywordSite::add(const ordered_json& schema, std::string place) const {
  return compiler.add_subschema({{&schema, std::move(place)}, subschema.resource});
}

Result<NodeIndex> KeywordSite::apply(const ordered_json& schema, std::string place) const {
  auto added = add(schema, std::move(place));
  if (added) compiler.add_application(node, *added);
  return added;
}

Result<NodeIndex> KeywordSite::compile() const {
  return apply(value, location());
}

Result<std::vector<NodeIndex>> KeywordSite::compile_elements() const {
  if (!value.is_array() || value.empty()) return error("must be an array of at least one schema");
  std::vector<NodeIndex> nodes;
  for (std::size_t index = 0; index < value.size(); ++index) {
    auto added = apply(value[index], location() / std::to_string(index));
    if (!added) return added.error();
    nodes.push_back(*added);
  }
  return nodes;
}

Result<std::vector<std::pair<std::string, NodeIndex>>> KeywordSite::compile_members() const {
  if (!value.is_object()) return error("must be an object whose members are schemas");
  std::vector<std::pair<std::string, NodeIndex>> nodes;
  for (const auto& [key, schema] : value.items()) {
    auto added = apply(schema, location() / key);
    if (!added) return added.error();
    nodes.emplace_back(key, *added);
  }
  return nodes;
}

Result<void> KeywordSite::compile_definitions() const {
  if (!value.is_object()) return error("must be an object whose members are schemas");
  for (const auto& [key, schema] : value.items()) {
    if (auto added = add(schema, location() / key); !added) return added.error();
  }
  return {};
}

Result<Program> Compiler::compile() {
  if (nested_deeper_than(document_, Schema::max_nesting)) {
    return error_at("", "is nested deeper than " + std::to_string(Schema::max_nesting) + " levels");
  }
  if (auto read = read_dialect(); !read) return read.error();
  const Place root{&document_, ""};
  if (auto added = add_subschema({root, root}); !added) return added.error();
  if (auto compiled = compile_waiting(); !compiled) return compiled.error();
  if (auto resolved = resolve_references(); !resolved) return resolved.error();
  inherit_defaults();
  spread_unchecked();
  return std::move(program_);
}

Result<void> Compiler::read_dialect() {
  if (!document_.is_object()) return {};
  const auto found = document_.find("$schema");
  if (found == document_.end()) return {};
  if (!found->is_string()) return error_at("/$schema", "must be a string");

  auto uri = found->get_ref<const std::string&>();
  if (uri.ends_with('#')) uri.pop_back();
  if (uri == "https://json-schema.org/draft/2020-12/schema") return {};
  if (uri == "http://json-schema.org/draft-07/schema" || uri == "https://json-schema.org/draft-07/schema") {
    dialect_ = Dialect::draft_07;
    return {};
  }
  return error_at("/$schema", in_quotes(uri) +
                                  " is not a supported dialect; use https://json-schema.org/draft/2020-12/schema or "
                                  "http://json-schema.org/draft-07/schema#");
}

Result<NodeIndex> Compiler::add_subschema(Subschema subschema) {
  const auto* json = subschema.place.json;
  if (!json->is_object() && !json->is_boolean()) {
    return error_at(subschema.place.location, "must be a schema: an object, true or false");
  }
  const auto [entry, is_new] = node_of_.try_emplace(json, program_.nodes.size());
  if (is_new) {
    program_.nodes.emplace_back();
    waiting_.emplace(entry->second, std::move(subschema));
  }
  return entry->second;
}

std::size_t Compiler::add_reference(const KeywordSite& site, std::string fragment) {
  const auto slot = program_.reference_targets.size();
  program_.reference_targets.push_back(root_node);
  unresolved_.push_back({site.node, slot, std::move(fragment), site.location(), site.subschema.resource});
  return slot;
}

Result<void> Compiler::add_anchor(const KeywordSite& site, std::string name) {
  const auto error = site.error("there is another anchor " + in_quotes(name));
  const auto added = anchors_.try_emplace({site.subschema.resource.json, std::move(name)}, site.subschema);
  if (!added.second) return error;
  return {};
}

void Compiler::set_default(NodeIndex node, const ordered_json& value) {
  program_.nodes[node].default_value = {std::make_shared<const nlohmann::json>(value), dump(value).size()};
  program_.has_defaults = true;
}

void Compiler::add_unchecked(const KeywordSite& site) {
  program_.unchecked_keywords.push_back(site.location());
  program_.nodes[site.node].has_unchecked = true;
}

Result<void> Compiler::compile_waiting() {
  while (!waiting_.empty()) {
    auto [node, subschema] = std::move(waiting_.front());
    waiting_.pop();
    if (auto compiled = compile_node(node, std::move(subschema)); !compiled) return compiled.error();
  }
  return {};
}

Result<void> Compiler::compile_node(NodeIndex node, Subschema subschema) {
  const auto& schema = *subschema.place.json;
  if (schema.is_boolean()) {
    if (!schema.get<bool>()) program_.nodes[node].keywords.push_back(make_never());
    return {};
  }
  if (is_resource(schema, dialect_)) subschema.resource = subschema.place;
  // Draft-07 section 8.3: beside a $ref nothing else counts.
  const bool only_reference = dialect_ == Dialect::draft_07 && schema.contains("$ref");

  for (const auto group : all_keywords()) {
    for (const auto& rule : group) {
      if (only_reference && rule.name != "$ref") continue;
      const auto value = schema.find(rule.name);
      if (value == schema.end()) continue;
      auto keyword = rule.compile({*this, subschema, node, rule.name, *value});
      if (!keyword) return keyword.error();
      if (*keyword) program_.nodes[node].keywords.push_back(*std::move(keyword));
    }
  }
  return {};
}

Result<void> Compiler::resolve_references() {
  while (!unresolved_.empty()) {
    const auto reference = std::move(unresolved_.back());
    unresolved_.pop_back();
    auto target = resolve(reference);
    if (!target) return target.error();
    auto node = add_subschema(*std::move(target));
    if (!node) return node.error();
    program_.reference_targets[reference.slot] = *node;
    references_[reference.from] = *node;
    add_application(reference.from, *node);
    // The target may be a part of the document that no keyword led to.
    if (auto compiled = compile_waiting(); !compiled) return compiled.error();
  }
  return {};
}

Result<Subschema> Compiler::resolve(const Reference& reference) const {
  const auto fragment = percent_decode(reference.fragment);
  if (!fragment)
    return error_at(reference.location, in_quotes("#" + reference.fragment) + " has a broken percent-encoding");
  if (fragment->empty() || fragment->starts_with('/')) return follow_pointer(reference, *fragment);
  const auto anchor = anchors_.find({reference.resource.json, *fragment});
  if (anchor == anchors_.end()) {
    return error_at(reference.location, "the schema has no anchor " + in_quotes(*fragment));
  }
  return anchor->second;
}

Result<Subschema> Compiler::follow_pointer(const Reference& reference, std::string_view pointer) const {
  const auto& resource = reference.resource;
  const auto subschema_at = [&](const ordered_json::json_pointer& whole) {
    Subschema target{{&resource.json->at(whole), resource.location + whole.to_string()}, resource};
    for (auto part = whole.parent_pointer(); !part.empty(); part = part.parent_pointer()) {
      const auto& around = resource.json->at(part);
      if (!is_resource(around, dialect_)) continue;
      target.resource = {&around, resource.location + part.to_string()};
      break;
    }
    return target;
  };
  try {
    return subschema_at(ordered_json::json_pointer(std::string(pointer)));
  } catch (const ordered_json::exception&) {
    return error_at(reference.location, in_quotes("#" + std::string(pointer)) + " does not exist in the schema");
  }
}

void Compiler::inherit_defaults() {
  for (const auto& [from, to] : references_) {
    auto node = to;
    // As many steps as there are references: they may go in a circle.
    for (std::size_t step = 0; step < references_.size() && !program_.nodes[node].default_value.value; ++step) {
      const auto next = references_.find(node);
      if (next == references_.end()) break;
      node = next->second;
    }
    auto& own = program_.nodes[from].default_value;
    if (!own.value) own = program_.nodes[node].default_value;
  }
}

void Compiler::spread_unchecked() {
  std::queue<NodeIndex> reached;
  for (NodeIndex node = 0; node < program_.nodes.size(); ++node) {
    if (program_.nodes[node].has_unchecked) reached.push(node);
  }
  for (; !reached.empty(); reached.pop()) {
    const auto appliers = applied_by_.find(reached.front());
    if (appliers == applied_by_.end()) continue;
    for (const auto applier : appliers->second) {
      if (std::exchange(program_.nodes[applier].has_unchecked, true)) continue;
      reached.push(applier);
    }
  }
}

}  // namespace mcph::schema
