#include "schema/resources.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json.hpp"
#include "base/json_pointer.hpp"
#include "schema/uri.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

const std::string* string_member(const OrderedJson& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

// Its identifier, if it has one that makes it a resource of its own; without a fragment.
std::optional<std::string_view> identifier_of(const OrderedJson& schema, Draft draft) {
  if (!schema.is_object()) return std::nullopt;
  // Draft-07 section 8.3: beside a $ref nothing else counts.
  if (draft == Draft::draft_07 && schema.contains("$ref")) return std::nullopt;
  const auto* id = string_member(schema, "$id");
  if (id == nullptr) return std::nullopt;
  const auto uri = split_fragment(*id).uri;
  return uri.empty() ? std::nullopt : std::optional(uri);
}

std::optional<std::string> unescaped_token(std::string_view token) {
  std::string text;
  for (std::size_t at = 0; at < token.size(); ++at) {
    if (token[at] != '~') {
      text += token[at];
      continue;
    }
    if (++at == token.size() || (token[at] != '0' && token[at] != '1')) return std::nullopt;
    text += token[at] == '0' ? '~' : '/';
  }
  return text;
}

const OrderedJson* element_at(const OrderedJson& array, std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return nullptr;
  std::size_t index = 0;
  const auto* const last = token.data() + token.size();
  const auto [end, failure] = std::from_chars(token.data(), last, index);
  return failure == std::errc() && end == last && index < array.size() ? &array[index] : nullptr;
}

const OrderedJson* child_at(const OrderedJson& json, std::string_view token) {
  if (json.is_array()) return element_at(json, token);
  if (!json.is_object()) return nullptr;
  const auto member = json.find(token);
  return member == json.end() ? nullptr : &*member;
}

}  // namespace

std::string operator/(std::string pointer, std::string_view token) {
  return append_to_pointer(std::move(pointer), token);
}

Error error_at(std::string_view location, std::string_view reason) {
  return fail((location.empty() ? "the schema" : std::string(location)) + ": " + std::string(reason));
}

Result<ResourceIndex> Resources::add(std::string uri, const Place& place, Dialect dialect) {
  if (place.json->is_object()) {
    if (const auto named = place.json->find("$schema"); named != place.json->end()) {
      if (!named->is_string()) return error_at(place.location / "$schema", "must be a string");
      const auto& dialect_uri = named->get_ref<const std::string&>();
      const auto read = documents_.dialect(dialect_uri);
      if (!read) return error_at(place.location / "$schema", in_quotes(dialect_uri) + " " + read.error().message);
      dialect = *read;
    }
  }
  const auto index = all_.size();
  if (auto added = name(index, uri); !added) return error_at(place.location / "$id", added.error().message);
  all_.push_back({std::move(uri), place, dialect, {}, {}});
  by_json_.emplace(place.json, index);
  return index;
}

Result<void> Resources::name(ResourceIndex resource, const std::string& uri) {
  const auto [entry, is_new] = by_uri_.try_emplace(uri, resource);
  if (!is_new && entry->second != resource) return fail("another schema is " + in_quotes(uri));
  return {};
}

Result<Subschema> Resources::add_document(const std::string& uri, const OrderedJson& json, const Dialect& dialect) {
  const Place place{&json, uri.empty() ? "" : uri + "#"};
  const auto index = add(uri, place, dialect);
  if (!index) return index.error();
  if (const auto id = identifier_of(json, all_[*index].dialect.draft)) {
    // The document keeps the URI that it was found by.
    all_[*index].uri = resolve_uri(uri, *id);
    if (auto named = name(*index, all_[*index].uri); !named)
      return error_at(place.location / "$id", named.error().message);
  }
  return Subschema{place, *index};
}

Result<Subschema> Resources::enter(Subschema subschema) {
  const auto* json = subschema.place.json;
  if (const auto known = by_json_.find(json); known != by_json_.end()) {
    subschema.resource = known->second;
    return subschema;
  }
  const auto& around = all_[subschema.resource];
  const auto id = identifier_of(*json, around.dialect.draft);
  if (!id) return subschema;
  const auto added = add(resolve_uri(around.uri, *id), subschema.place, around.dialect);
  if (!added) return added.error();
  subschema.resource = *added;
  return subschema;
}

Result<void> Resources::add_anchor(const Subschema& subschema, std::string name, std::string_view location) {
  const auto message = "there is another anchor " + in_quotes(name);
  const auto [entry, is_new] = all_[subschema.resource].anchors.try_emplace(std::move(name), subschema);
  // One subschema may have a name twice, as $anchor and as $dynamicAnchor.
  if (!is_new && entry->second.place.json != subschema.place.json) return error_at(location, message);
  return {};
}

Result<void> Resources::add_dynamic_anchor(const Subschema& subschema, std::string name, std::string_view location) {
  if (auto added = add_anchor(subschema, name, location); !added) return added;
  all_[subschema.resource].dynamic_anchors.insert(std::move(name));
  return {};
}

std::string Resources::absolute_uri(ResourceIndex from, std::string_view uri) const {
  return resolve_uri(all_[from].uri, uri);
}

std::optional<ResourceIndex> Resources::find(std::string_view absolute_uri) const {
  const auto found = by_uri_.find(absolute_uri);
  return found == by_uri_.end() ? std::nullopt : std::optional(found->second);
}

const Subschema* Resources::find_anchor(ResourceIndex resource, std::string_view name) const {
  const auto& anchors = all_[resource].anchors;
  const auto found = anchors.find(name);
  return found == anchors.end() ? nullptr : &found->second;
}

bool Resources::is_dynamic(ResourceIndex resource, std::string_view name) const {
  return all_[resource].dynamic_anchors.contains(name);
}

std::vector<Subschema> Resources::dynamic_anchors(std::string_view name) const {
  std::vector<Subschema> found;
  for (ResourceIndex resource = 0; resource < all_.size(); ++resource) {
    if (is_dynamic(resource, name)) found.push_back(*find_anchor(resource, name));
  }
  return found;
}

Result<std::optional<Subschema>> Resources::follow(ResourceIndex resource, std::string_view pointer) {
  Subschema at{all_[resource].place, resource};
  while (!pointer.empty()) {
    pointer.remove_prefix(1);  // the "/" that each token begins with
    const auto end = std::min(pointer.find('/'), pointer.size());
    const auto token = unescaped_token(pointer.substr(0, end));
    pointer.remove_prefix(end);
    const auto* child = token ? child_at(*at.place.json, *token) : nullptr;
    if (child == nullptr) return std::optional<Subschema>();
    at.place = {child, at.place.location / *token};
    auto entered = enter(std::move(at));
    if (!entered) return entered.error();
    at = *std::move(entered);
  }
  return std::optional(std::move(at));
}

}  // namespace mcph::schema
