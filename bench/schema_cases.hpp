// Schemas as tools have them, with arguments as models send them.
#pragma once

#include <array>
#include <string_view>

namespace bench {

struct SchemaCase {
  std::string_view name;
  std::string_view schema;
  std::string_view instance;
  bool is_valid;
};

inline constexpr std::string_view edit_schema = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096},
    "edits": {
      "type": "array", "minItems": 1, "maxItems": 100,
      "items": {
        "type": "object",
        "properties": {
          "oldText": {"type": "string", "minLength": 1},
          "newText": {"type": "string"},
          "replaceAll": {"type": "boolean", "default": false}
        },
        "required": ["oldText", "newText"],
        "additionalProperties": false
      }
    },
    "dryRun": {"type": "boolean", "default": false}
  },
  "required": ["path", "edits"],
  "additionalProperties": false
})json";

inline constexpr std::string_view issue_schema = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "definitions": {
    "login": {"type": "string", "minLength": 1, "maxLength": 39, "pattern": "^[A-Za-z0-9-]+$"}
  },
  "properties": {
    "owner": {"$ref": "#/definitions/login"},
    "repo": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[A-Za-z0-9._-]+$"},
    "title": {"type": "string", "minLength": 1, "maxLength": 256},
    "body": {"type": "string", "maxLength": 65536},
    "labels": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 50}, "maxItems": 100},
    "assignees": {"type": "array", "items": {"$ref": "#/definitions/login"}, "maxItems": 10},
    "milestone": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
    "state": {"type": "string", "enum": ["open", "closed"]}
  },
  "required": ["owner", "repo", "title"]
})json";

inline constexpr std::string_view search_schema = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1, "maxLength": 1000},
    "sort": {"type": "string", "enum": ["relevance", "created", "updated", "comments", "reactions"]},
    "order": {"type": "string", "enum": ["asc", "desc"]},
    "since": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    "language": {"type": "string", "pattern": "^[a-z+#-]{1,20}$"},
    "page": {"type": "integer", "minimum": 1},
    "perPage": {"type": "integer", "minimum": 1, "maximum": 100},
    "minScore": {"type": "number", "minimum": 0, "maximum": 1}
  },
  "required": ["query"],
  "additionalProperties": false
})json";

inline constexpr std::string_view table_schema = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "properties": {
    "table": {"type": "string"},
    "rows": {
      "type": "array",
      "items": {
        "type": "array", "minItems": 3, "maxItems": 3,
        "items": {"oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]}
      }
    }
  },
  "required": ["table", "rows"]
})json";

inline constexpr std::string_view event_schema = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "properties": {"kind": {"enum": ["meeting", "reminder"]}, "title": {"type": "string"}},
  "required": ["kind", "title"],
  "if": {"properties": {"kind": {"const": "meeting"}}},
  "then": {
    "properties": {
      "attendees": {
        "type": "array", "uniqueItems": true, "contains": {"type": "object", "required": ["email"]},
        "items": {
          "type": "object",
          "properties": {"email": {"type": "string", "maxLength": 254}, "optional": {"type": "boolean"}}
        }
      },
      "minutes": {"type": "integer", "minimum": 5, "multipleOf": 5}
    },
    "required": ["attendees"]
  },
  "else": {"properties": {"at": {"type": "string"}}, "required": ["at"]}
})json";

inline constexpr std::array schema_cases{
    SchemaCase{
        "file_edit", edit_schema,
        R"json({"path":"/src/main.cpp","edits":[{"oldText":"int main() {","newText":"int main(int argc, char** argv) {"},
                       {"oldText":"return 0;","newText":"return run(argc, argv);","replaceAll":true}],"dryRun":false})json",
        true},
    SchemaCase{"file_edit_with_unknown_property", edit_schema,
               R"json({"path":"/src/main.cpp","edits":[{"oldText":"a","newText":"b","regex":true}]})json", false},
    SchemaCase{"github_issue", issue_schema,
               R"json({"owner":"example-org","repo":"server.core","title":"Reload drops the last request",
                       "body":"When a plugin is replaced while a call runs, the reply never arrives.\n\nSteps: ...",
                       "labels":["bug","reload","priority: high"],"assignees":["ann","bob-42"],"milestone":7,"state":"open"})json",
               true},
    SchemaCase{
        "search", search_schema,
        R"json({"query":"hot reload plugin","sort":"updated","order":"desc","since":"2026-01-31","language":"c++",
                       "page":2,"perPage":50,"minScore":0.25})json",
        true},
    SchemaCase{"search_with_wrong_enum", search_schema, R"json({"query":"x","sort":"newest","perPage":50})json", false},
    SchemaCase{"nested_arrays", table_schema,
               R"json({"table":"t","rows":[["a",1,true],["b",2.5,false],["c",-3,null],["d",4e3,true],["e",5,"x"],
                       ["f",6,"y"],["g",7,null],["h",8,false],["i",9,true],["j",10,"z"]]})json",
               true},
    SchemaCase{"calendar_event", event_schema,
               R"json({"kind":"meeting","title":"Planning","minutes":45,"attendees":[{"email":"ann@example.org"},
                       {"email":"bob@example.org","optional":true},{"email":"eve@example.org","optional":false}]})json",
               true},
};

}  // namespace bench
