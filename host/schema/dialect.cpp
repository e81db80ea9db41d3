#include "schema/dialect.hpp"

#include <array>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "schema/uri.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

constexpr std::string_view uri_2020_12 = "https://json-schema.org/draft/2020-12/schema";
constexpr std::string_view uri_draft_07 = "http://json-schema.org/draft-07/schema";
constexpr std::string_view uri_draft_07_secure = "https://json-schema.org/draft-07/schema";
constexpr std::string_view vocabulary_prefix = "https://json-schema.org/draft/2020-12/vocab/";

struct NamedVocabulary {
  std::string_view name;
  Vocabulary vocabulary;
};

// Those that do not restrict instances are known too, and count as the core, which is always on.
constexpr std::array vocabularies{
    NamedVocabulary{"core", Vocabulary::core},
    NamedVocabulary{"applicator", Vocabulary::applicator},
    NamedVocabulary{"unevaluated", Vocabulary::unevaluated},
    NamedVocabulary{"validation", Vocabulary::validation},
    NamedVocabulary{"meta-data", Vocabulary::core},
    NamedVocabulary{"format-annotation", Vocabulary::core},
    NamedVocabulary{"content", Vocabulary::core},
};

const NamedVocabulary* find_vocabulary(std::string_view uri) {
  if (!uri.starts_with(vocabulary_prefix)) return nullptr;
  uri.remove_prefix(vocabulary_prefix.size());
  for (const auto& entry : vocabularies) {
    if (entry.name == uri) return &entry;
  }
  return nullptr;
}

// Of a metaschema that is built on 2020-12.
Result<Dialect> read_vocabularies(const OrderedJson& listed) {
  Dialect dialect{Draft::draft_2020_12, 0};
  if (!listed.is_object()) return fail("its \"$vocabulary\" is not an object");
  for (const auto& [uri, is_required] : listed.items()) {
    const auto* entry = find_vocabulary(uri);
    if (entry != nullptr) {
      dialect.vocabularies |= static_cast<std::uint8_t>(entry->vocabulary);
    } else if (is_required != false) {
      return fail("it requires the vocabulary " + in_quotes(uri) + ", which is not known");
    }
  }
  return dialect;
}

std::string_view without_empty_fragment(std::string_view uri) {
  const auto split = split_fragment(uri);
  return split.fragment.empty() ? split.uri : uri;
}

}  // namespace

Documents::Documents(std::span<const SchemaDocument> given) {
  for (const auto& document : given) {
    given_.emplace(document.uri, &document.json);
  }
}

Documents::~Documents() = default;

const OrderedJson* Documents::find(std::string_view uri) {
  if (const auto found = given_.find(uri); found != given_.end()) return found->second;
  if (const auto found = metaschemas_.find(uri); found != metaschemas_.end()) return found->second.get();
  const auto text = metaschema_text(uri);
  if (text.empty()) return nullptr;
  auto parsed = std::make_unique<const OrderedJson>(read_ordered_json(text));
  return metaschemas_.emplace(uri, std::move(parsed)).first->second.get();
}

Result<Dialect> Documents::dialect(std::string_view schema_uri) {
  const auto uri = without_empty_fragment(schema_uri);
  if (uri == uri_2020_12) return Dialect{};
  if (uri == uri_draft_07 || uri == uri_draft_07_secure) return Dialect{Draft::draft_07};
  const auto given = given_.find(uri);
  const auto* metaschema = given == given_.end() ? nullptr : given->second;
  if (metaschema != nullptr && metaschema->is_object() && metaschema->value("$schema", OrderedJson()) == uri_2020_12) {
    const auto listed = metaschema->find("$vocabulary");
    if (listed == metaschema->end()) return Dialect{};
    auto read = read_vocabularies(*listed);
    return read ? std::move(read) : fail("cannot be used: " + read.error().message);
  }
  return fail("is not a supported dialect; use " + std::string(uri_2020_12) + " or " + std::string(uri_draft_07) + "#");
}

}  // namespace mcph::schema
