#include "schema/compiler.hpp"

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "schema/keywords.hpp"
#include "schema/uri.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

bool applies(const KeywordRule& rule, const Dialect& dialect) {
  return (rule.drafts & static_cast<std::uint8_t>(dialect.draft)) != 0 && dialect.has(rule.vocabulary);
}

}  // namespace

Draft KeywordSite::draft() const {
  return compiler.resources().dialect(subschema.resource).draft;
}

bool KeywordSite::has(Vocabulary vocabulary) const {
  return compiler.resources().dialect(subschema.resource).has(vocabulary);
}

const OrderedJson* KeywordSite::sibling(std::string_view name) const {
  const auto found = subschema.place.json->find(name);
  return found == subschema.place.json->end() ? nullptr : &*found;
}

Error KeywordSite::error(std::string_view reason) const {
  return error_at(location(), reason);
}

std::string KeywordSite::location() const {
  return subschema.place.location / keyword;
}

Result<NodeIndex> KeywordSite::compile() const {
  return compiler.add_subschema({{&value, location()}, subschema.resource});
}

Result<NodeIndex> KeywordSite::compile_member(const std::string& key, const OrderedJson& schema) const {
  return compiler.add_subschema({{&schema, location() / key}, subschema.resource});
}

Result<std::vector<NodeIndex>> KeywordSite::compile_elements() const {
  if (!value.is_array() || value.empty()) return error("must be an array of at least one schema");
  std::vector<NodeIndex> nodes;
  for (std::size_t index = 0; index < value.size(); ++index) {
    auto added = compile_member(std::to_string(index), value[index]);
    if (!added) return added.error();
    nodes.push_back(*added);
  }
  return nodes;
}

Result<std::vector<std::pair<std::string, NodeIndex>>> KeywordSite::compile_members() const {
  if (!value.is_object()) return error("must be an object whose members are schemas");
  std::vector<std::pair<std::string, NodeIndex>> nodes;
  for (const auto& [key, schema] : value.items()) {
    auto added = compile_member(key, schema);
    if (!added) return added.error();
    nodes.emplace_back(key, *added);
  }
  return nodes;
}

Result<Pattern> KeywordSite::compile_pattern(std::string_view text) const {
  auto pattern = Pattern::compile(text);
  if (!pattern) return error(in_quotes(text) + " is no usable regular expression: " + pattern.error().message);
  if (!compiler.take_pattern_bytes(pattern->memory()))
    return error("takes too much memory, with the patterns before it");
  return pattern;
}

Compiler::Compiler(const OrderedJson& document, const SchemaOptions& options)
    : document_(document), resources_(options), pattern_bytes_(*options.pattern_bytes) {}

Result<Program> Compiler::compile() {
  if (nested_deeper_than(document_, Schema::max_nesting)) {
    return error_at("", "is nested deeper than " + std::to_string(Schema::max_nesting) + " levels");
  }
  auto root = resources_.add_document("", document_, Dialect{});
  if (!root) return root.error();
  if (auto added = add_subschema(*std::move(root)); !added) return added.error();
  if (auto compiled = compile_waiting(); !compiled) return compiled.error();
  if (auto resolved = resolve_references(); !resolved) return resolved.error();
  if (auto resolved = resolve_dynamically(); !resolved) return resolved.error();
  inherit_defaults();
  return std::move(program_);
}

Result<NodeIndex> Compiler::add_subschema(Subschema subschema) {
  const auto* json = subschema.place.json;
  if (!json->is_object() && !json->is_boolean()) {
    return error_at(subschema.place.location, "must be a schema: an object, true or false");
  }
  const auto [entry, is_new] = node_of_.try_emplace(json, program_.nodes.size());
  if (is_new) {
    // A long key is in the location of everything below it.
    if (auto taken = resources_.take_location_bytes(subschema.place.location.size()); !taken) return taken.error();
    program_.nodes.emplace_back();
    waiting_.emplace(entry->second, std::move(subschema));
  }
  return entry->second;
}

std::size_t Compiler::add_reference(const KeywordSite& site, bool is_dynamic) {
  const auto slot = program_.reference_targets.size();
  program_.reference_targets.emplace_back();
  unresolved_.push_back(
      {site.node, slot, site.subschema.resource, site.value.get<std::string>(), site.location(), is_dynamic});
  return slot;
}

bool Compiler::take_pattern_bytes(std::size_t bytes) {
  if (bytes > pattern_bytes_) return false;
  pattern_bytes_ -= bytes;
  return true;
}

void Compiler::set_default(NodeIndex node, const OrderedJson& value) {
  program_.nodes[node].default_value = {std::make_shared<const Json>(value), dump(value).size()};
  program_.has_defaults = true;
}

void Compiler::note_unevaluated(NodeIndex node) {
  program_.nodes[node].has_unevaluated = true;
  program_.needs_context = true;
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
    program_.nodes[node].resource = subschema.resource;
    if (!schema.get<bool>()) program_.nodes[node].keywords.push_back(make_never());
    return {};
  }
  auto entered = resources_.enter(std::move(subschema));
  if (!entered) return entered.error();
  program_.nodes[node].resource = entered->resource;
  const auto& dialect = resources_.dialect(entered->resource);
  // Draft-07 section 8.3: beside a $ref nothing else counts.
  const bool only_reference = dialect.draft == Draft::draft_07 && schema.contains("$ref");

  for (const auto group : all_keywords()) {
    for (const auto& rule : group) {
      if (!applies(rule, dialect) || (only_reference && rule.name != "$ref")) continue;
      const auto value = schema.find(rule.name);
      if (value == schema.end()) continue;
      auto keyword = rule.compile({*this, *entered, node, rule.name, *value});
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
    // Its place is copied for each that refers to it.
    if (auto taken = resources_.take_location_bytes(target->place.location.size()); !taken) return taken.error();
    auto node = add_subschema(*std::move(target));
    if (!node) return node.error();
    program_.reference_targets[reference.slot].node = *node;
    const auto& [known, is_new] = references_.try_emplace(reference.from, reference.slot);
    if (!is_new && !reference.is_dynamic) known->second = reference.slot;
    // The target may be a part of the document that no keyword led to.
    if (auto compiled = compile_waiting(); !compiled) return compiled.error();
  }
  return {};
}

Result<Subschema> Compiler::resolve(const Reference& reference) {
  const auto [uri, encoded] = split_fragment(reference.uri);
  const auto resource = resource_of(reference, uri);
  if (!resource) return resource.error();

  const auto fragment = percent_decode(encoded);
  if (!fragment) return error_at(reference.location, in_quotes(reference.uri) + " has a broken percent-encoding");
  if (fragment->empty() || fragment->starts_with('/')) {
    auto target = resources_.follow(*resource, *fragment);
    if (!target) return target.error();
    if (!*target) return error_at(reference.location, in_quotes(reference.uri) + " does not exist in the schema");
    return **std::move(target);
  }
  const auto* anchor = resources_.find_anchor(*resource, *fragment);
  if (anchor == nullptr) return error_at(reference.location, "the schema has no anchor " + in_quotes(*fragment));
  if (reference.is_dynamic && resources_.is_dynamic(*resource, *fragment)) {
    dynamic_.emplace_back(reference.slot, *fragment);
  }
  return *anchor;
}

Result<ResourceIndex> Compiler::resource_of(const Reference& reference, std::string_view uri) {
  if (uri.empty()) return reference.resource;
  const auto absolute = resources_.absolute_uri(reference.resource, uri);
  if (!absolute) return absolute.error();
  if (const auto known = resources_.find(*absolute)) return *known;
  const auto* document = resources_.find_document(*absolute);
  if (document == nullptr) {
    const bool is_draft_07 = resources_.dialect(reference.resource).draft == Draft::draft_07;
    const auto* const definitions = is_draft_07 ? "definitions" : "$defs";
    return error_at(reference.location, in_quotes(reference.uri) +
                                            " leads out of the schema, and nothing is ever fetched; put what it refers "
                                            "to into " +
                                            in_quotes(definitions) + ", with the \"$id\" " + in_quotes(*absolute));
  }
  auto root = resources_.add_document(*absolute, *document, resources_.dialect(reference.resource));
  if (!root) return root.error();
  const auto resource = root->resource;
  if (auto added = add_subschema(*std::move(root)); !added) return added.error();
  // Its anchors are known only then.
  if (auto compiled = compile_waiting(); !compiled) return compiled.error();
  return resource;
}

Result<void> Compiler::resolve_dynamically() {
  std::map<std::string_view, std::shared_ptr<const DynamicAnchor>> by_name;
  for (const auto& [slot, name] : dynamic_) {
    auto& anchor = by_name[name];
    if (anchor == nullptr) {
      auto answers = std::make_shared<DynamicAnchor>();
      for (auto& subschema : resources_.dynamic_anchors(name)) {
        const auto resource = subschema.resource;
        const auto node = add_subschema(std::move(subschema));
        if (!node) return node.error();
        answers->emplace(resource, *node);
      }
      anchor = std::move(answers);
    }
    if (anchor->size() < 2) continue;
    program_.reference_targets[slot].dynamic = anchor;
    program_.needs_context = true;
  }
  return {};
}

void Compiler::inherit_defaults() {
  auto& nodes = program_.nodes;
  // Each node is passed once, however many chains of references lead to it, and whether or not they go in a circle.
  std::vector<bool> is_passed(nodes.size());
  for (const auto& reference : references_) {
    std::vector<NodeIndex> chain;
    auto node = reference.first;
    while (!nodes[node].default_value.value && !is_passed[node]) {
      is_passed[node] = true;
      const auto next = references_.find(node);
      if (next == references_.end()) break;
      const auto& target = program_.reference_targets[next->second];
      // Where a dynamic one leads is known only in a check.
      if (target.dynamic != nullptr) break;
      chain.push_back(node);
      node = target.node;
    }
    const auto inherited = nodes[node].default_value;
    for (const auto heir : chain) {
      nodes[heir].default_value = inherited;
    }
  }
}

}  // namespace mcph::schema
