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

// Of the locations of all subschemas and references, and of all URIs.
constexpr std::size_t max_location_bytes = std::size_t{64} << 20;

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
  const auto named = name(index, std::move(uri));
  if (!named) return error_at(place.location / "$id", named.error().message);
  all_.push_back({*named, place, dialect, {}});
  by_json_.emplace(place.json, index);
  return index;
}

Result<std::string_view> Resources::name(ResourceIndex resource, std::string uri) {
  const auto [entry, is_new] = by_uri_.try_emplace(std::move(uri), resource);
  if (!is_new && entry->second != resource) return fail("another schema is " + in_quotes(entry->first));
  return std::string_view(entry->first);
}

Result<Subschema> Resources::add_document(const std::string& uri, const OrderedJson& json, const Dialect& dialect) {
  const Place place{&json, uri.empty() ? "" : uri + "#"};
  const auto index = add(uri, place, dialect);
  if (!index) return index.error();
  if (const auto id = identifier_of(json, all_[*index].dialect.draft)) {
    auto absolute = absolute_uri(*index, *id);
    if (!absolute) return absolute.error();
    // The document keeps the URI that it was found by.
    const auto named = name(*index, *std::move(absolute));
    if (!named) return error_at(place.location / "$id", named.error().message);
    all_[*index].uri = *named;
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
  auto absolute = absolute_uri(subschema.resource, *id);
  if (!absolute) return absolute.error();
  const auto added = add(*std::move(absolute), subschema.place, around.dialect);
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
  dynamic_anchors_[std::move(name)].insert(subschema.resource);
  return {};
}

Result<void> Resources::take_location_bytes(std::size_t bytes) {
  location_bytes_ += bytes;
  if (location_bytes_ <= max_location_bytes) return {};
  return error_at("", "has too many subschemas below keys or identifiers that are so long, or so deep");
}

Result<std::string> Resources::absolute_uri(ResourceIndex from, std::string_view uri) {
  auto absolute = resolve_uri(all_[from].uri, uri);
  if (auto taken = take_location_bytes(absolute.size()); !taken) return taken.error();
  return absolute;
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
  const auto found = dynamic_anchors_.find(name);
  return found != dynamic_anchors_.end() && found->second.contains(resource);
}

std::vector<Subschema> Resources::dynamic_anchors(std::string_view name) const {
  const auto found = dynamic_anchors_.find(name);
  if (found == dynamic_anchors_.end()) return {};
  std::vector<Subschema> anchors;
  for (const auto resource : found->second)
    anchors.push_back(*find_anchor(resource, name));
  return anchors;
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
