// The resources that a schema consists of: documents, and subschemas in them with an identifier of their own, each with
// its URI, its dialect and its anchors. Filled while compiling; lives on the stack of one Schema::compile.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "schema/dialect.hpp"
#include "schema/program.hpp"

namespace mcph::schema {

// A piece of a document.
struct Place {
  const nlohmann::ordered_json* json;
  std::string location;  // for messages: a JSON Pointer, after the URI of a document that is not the schema itself
};

struct Subschema {
  Place place;
  ResourceIndex resource = 0;  // the nearest one around it, or itself
};

// One more token of a JSON Pointer (RFC 6901 section 3).
std::string operator/(std::string pointer, std::string_view token);

Error error_at(std::string_view location, std::string_view reason);

class Resources {
 public:
  explicit Resources(const SchemaOptions& options) : documents_(options.documents) {}

  const Dialect& dialect(ResourceIndex resource) const { return all_[resource].dialect; }

  // A document as a resource; `dialect` is what it has without a $schema.
  Result<Subschema> add_document(const std::string& uri, const nlohmann::ordered_json& json, const Dialect& dialect);

  // The subschema with the resource that it is, if it has an identifier.
  Result<Subschema> enter(Subschema subschema);

  Result<void> add_anchor(const Subschema& subschema, std::string name, std::string_view location);
  Result<void> add_dynamic_anchor(const Subschema& subschema, std::string name, std::string_view location);

  // Accounts for a location or a URI, in which there is all that is around it. An error if all are too long together.
  Result<void> take_location_bytes(std::size_t bytes);

  // What a reference's URI without its fragment means, as seen from a resource: one that is known, or a document.
  Result<std::string> absolute_uri(ResourceIndex from, std::string_view uri);
  std::optional<ResourceIndex> find(std::string_view absolute_uri) const;
  const nlohmann::ordered_json* find_document(std::string_view absolute_uri) { return documents_.find(absolute_uri); }
  const Place& root(ResourceIndex resource) const { return all_[resource].place; }

  // Null if there is none.
  const Subschema* find_anchor(ResourceIndex resource, std::string_view name) const;
  bool is_dynamic(ResourceIndex resource, std::string_view name) const;
  // Of all resources that have it.
  std::vector<Subschema> dynamic_anchors(std::string_view name) const;

  // Nothing if the pointer leads nowhere.
  Result<std::optional<Subschema>> follow(ResourceIndex resource, std::string_view pointer);

 private:
  struct Resource {
    std::string_view uri;  // of by_uri_
    Place place;
    Dialect dialect;
    std::map<std::string, Subschema, std::less<>> anchors;
  };

  Result<ResourceIndex> add(std::string uri, const Place& place, Dialect dialect);
  // Gives the URI as it is kept.
  Result<std::string_view> name(ResourceIndex resource, std::string uri);

  Documents documents_;
  std::deque<Resource> all_;
  std::map<std::string, ResourceIndex, std::less<>> by_uri_;
  std::unordered_map<const nlohmann::ordered_json*, ResourceIndex> by_json_;
  std::map<std::string, std::set<ResourceIndex>, std::less<>> dynamic_anchors_;  // by name, who has one
  std::size_t location_bytes_ = 0;                                               // that have been taken
};

}  // namespace mcph::schema
