// The dialects of JSON Schema that are understood, and the documents that a schema may refer to besides itself: the
// metaschemas of these dialects, which the host carries, and what its caller gives. Nothing is ever fetched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "schema/schema.hpp"

namespace mcph::schema {

enum class Draft : std::uint8_t { draft_07 = 1, draft_2020_12 = 2 };

// Groups of keywords that a metaschema turns on with $vocabulary (2020-12 core, section 8.1.2). The core is always on.
enum class Vocabulary : std::uint8_t {
  core = 0,
  applicator = 1,
  unevaluated = 2,
  validation = 4,
};

struct Dialect {
  Draft draft = Draft::draft_2020_12;
  std::uint8_t vocabularies = 0b111;  // bits of Vocabulary

  bool has(Vocabulary vocabulary) const {
    return vocabulary == Vocabulary::core || (vocabularies & static_cast<std::uint8_t>(vocabulary)) != 0;
  }
};

class Documents {
 public:
  explicit Documents(std::span<const SchemaDocument> given);
  ~Documents();
  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;

  // Null if there is none. `uri` has no fragment.
  const nlohmann::ordered_json* find(std::string_view uri);

  // The dialect of a $schema. The error says which there are.
  Result<Dialect> dialect(std::string_view schema_uri);

 private:
  std::map<std::string, const nlohmann::ordered_json*, std::less<>> given_;
  std::map<std::string, std::unique_ptr<const nlohmann::ordered_json>, std::less<>> metaschemas_;  // parsed when needed
};

// The text of a metaschema of either dialect, or of a part of one; empty for any other URI.
std::string_view metaschema_text(std::string_view uri);

}  // namespace mcph::schema
