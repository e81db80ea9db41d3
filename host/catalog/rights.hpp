// What some clients may do with components, asked of each when their view of the catalog is made, and remembered there:
// what they see is what they can call. Immutable; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_document.hpp"
#include "base/principal.hpp"

namespace mcph {

struct PluginIdentity;
struct Prompt;
struct Resource;
struct ResourceTemplate;
struct Tool;

// Why a call is not permitted.
struct CallRefusal {
  std::string words;                     // that follow "is not permitted"
  std::vector<std::string> scopes = {};  // with which a credential would permit it; empty: none would
  std::string rule = {};                 // that denies it, as it is written; empty: none allows it
};

// What decides about each call of what its caller sees.
class CallRule {
 public:
  virtual ~CallRule() = default;
  // Nothing: a call with these arguments is permitted.
  virtual std::optional<CallRefusal> check(JsonValue arguments) const = 0;
};

struct Access {
  bool visible = false;                            // and callable, but for the rule
  bool partial = false;                            // of a template: some of what it stands for is hidden
  std::shared_ptr<const CallRule> rule = nullptr;  // null: all calls are permitted
};

class Rights {
 public:
  virtual ~Rights() = default;

  // Whether anything of the plugin is visible at all.
  virtual bool shows(const PluginIdentity& /*plugin*/) const { return true; }
  // `plugin` is the name of the one whose tool it is.
  virtual Access to(const Tool& tool, std::string_view plugin) const = 0;
  virtual Access to(const Prompt& prompt) const = 0;
  virtual Access to(const Resource& resource) const = 0;
  // Whether some of the resources that it stands for may be read.
  virtual Access to(const ResourceTemplate& resource_template) const = 0;
  // Of a resource that a template stands for.
  virtual bool may_read(std::string_view uri) const = 0;
  // Of a tool that is not served any more, and so without any condition.
  virtual bool may_call(std::string_view tool) const = 0;
};

// Who has which rights.
class Policy {
 public:
  virtual ~Policy() = default;

  // Null: all. Principals who may do the same mostly have the same object: one that has been forgotten meanwhile is
  // made again.
  virtual std::shared_ptr<const Rights> rights_of(const Principal& principal) const = 0;
};

// What both permit. Null: all.
std::shared_ptr<const Rights> common_rights(std::shared_ptr<const Rights> some, std::shared_ptr<const Rights> others);

}  // namespace mcph
