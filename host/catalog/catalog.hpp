// The immutable snapshot of all components being served. Whoever serves a request takes the current one and looks
// everything up in it, so that a reload is never seen by halves. Built by the publisher, published through
// PublishedCatalog, freed when the last request that took it has ended; freeing it drops its leases on the plugins. It
// has a list, an index and a look-up for each kind of component, which is why it has so many functions and members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/component_list.hpp"
#include "catalog/components.hpp"
#include "catalog/rights.hpp"
#include "catalog/tool_listing.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

// One plugin version with what it exports.
struct ServedPlugin {
  std::shared_ptr<Plugin> plugin;
  std::shared_ptr<const Components> components;
};

// One that is not served, because it crashed too often; with what it exported.
struct WithdrawnPlugin {
  PluginIdentity identity;
  std::shared_ptr<const Components> components;
};

// A component and the plugin that owns it.
template <class Component>
struct Served {
  const Component* component = nullptr;
  std::shared_ptr<Plugin> plugin;
  std::shared_ptr<const CallRule> rule = nullptr;  // by which some calls of it are not permitted; null: none is not
  bool partial = false;                            // of a template: some of what it stands for is hidden
};

// A component that is not served, because a plugin whose path sorts before has one with the same key. Upstreams come
// after what is here.
struct Conflict {
  std::string kind;  // "tool", "resource", "resource template", "prompt", "extension", "experimental capability"
  std::string key;   // as clients read that of the served one
  std::filesystem::path served;
  std::filesystem::path hidden;
  bool is_upstream = false;  // whose the hidden one is

  // Why it is the hidden one, and what to do about it.
  std::string reason() const;
  std::string advice() const;

  // NOLINTNEXTLINE(modernize-use-nullptr): it takes the zero that "<" is written with for a pointer
  friend auto operator<=>(const Conflict&, const Conflict&) = default;
};

// Which of the lists changed, or which a listener wants.
struct ListKinds {
  bool tools = false;
  bool resources = false;
  bool prompts = false;

  bool any() const { return tools || resources || prompts; }
  friend bool operator==(const ListKinds&, const ListKinds&) = default;
};

class Catalog {
 public:
  Catalog() = default;
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  // `plugins` in the order that decides conflicts: by path. `instructions` is the operator's text for the model, to
  // which the plugins' own are added. `listing` says which tools are listed, here and in each view; null: all.
  Catalog(std::uint64_t generation, std::vector<ServedPlugin> plugins, std::string_view instructions = {},
          std::shared_ptr<const ToolListing> listing = nullptr, std::vector<WithdrawnPlugin> withdrawn = {});

  // What there is of `all` for those who have these rights. `instructions` are the operator's; nothing: those of `all`.
  Catalog(const Catalog& all, std::shared_ptr<const Rights> rights,
          const std::optional<std::string>& instructions = std::nullopt);

  std::uint64_t generation() const { return generation_; }
  const std::vector<ServedPlugin>& plugins() const { return plugins_; }
  const std::vector<Conflict>& conflicts() const { return conflicts_; }
  const std::string& instructions() const { return instructions_; }

  const Served<Tool>* find_tool(std::string_view name) const;
  const Served<Prompt>* find_prompt(std::string_view name) const;
  // However the URI, or the text of the template, is percent-encoded.
  const Served<Resource>* find_resource(std::string_view uri) const;
  const Served<ResourceTemplate>* find_template(std::string_view uri_template) const;

  // Of what is not there: whether a plugin has it that was withdrawn, and those whose view this is would see it.
  bool is_withdrawn_tool(std::string_view name) const;
  bool is_withdrawn_prompt(std::string_view name) const;

  // The plugin that serves what a conflict calls so; null if nobody does.
  const Plugin* find_owner(std::string_view kind, std::string_view key) const;

  struct TemplateMatch {
    const Served<ResourceTemplate>* served;
    std::map<std::string, std::string> variables;
  };
  // The most specific template that matches, a plugin's before an upstream's; null if none does.
  std::optional<TemplateMatch> match_template(std::string_view uri) const;
  // Of all that a URI is matched with, together.
  std::size_t template_bytes() const;

  // Nobody's view: no policy has decided what is there.
  bool is_whole() const { return rights_ == nullptr; }
  // Whether those whose view this is may know of the resource, if it is there.
  bool may_read(std::string_view uri) const { return rights_ == nullptr || rights_->may_read(uri); }
  // The same of a tool that is not there any more.
  bool may_call(std::string_view tool) const { return rights_ == nullptr || rights_->may_call(tool); }

  // What plugins add to the server's capabilities, as the members of a JSON object, with commas between them.
  const std::string& extensions() const { return extension_members_; }
  const std::string& experimental() const { return experimental_members_; }

  // All that can be called, by their names; those in the lists may be fewer.
  const std::map<std::string, Served<Tool>, std::less<>>& served_tools() const { return tools_; }
  // All that can be used, listed or not.
  std::size_t size() const { return tools_.size() + resources_.size() + templates_.size() + prompts_.size(); }

  const ComponentList& tools() const { return tool_list_; }
  const ComponentList& legacy_tools() const { return legacy_tool_list_; }
  const ComponentList& resources() const { return resource_list_; }
  const ComponentList& resource_templates() const { return template_list_; }
  const ComponentList& prompts() const { return prompt_list_; }

  ListKinds differences(const Catalog& other) const;
  // The tools that only one of the two has, and those of both that differ or are another plugin's.
  std::vector<const Served<Tool>*> tool_differences(const Catalog& other) const;
  // Whether all resources, templates and prompts, where they are the same, are the same plugins'.
  bool has_same_owners(const Catalog& other) const;

 private:
  template <class Component>
  using Index = std::map<std::string, Served<Component>, std::less<>>;

  template <class Component>
  void add(Index<Component>& index, const std::vector<Component>& components, const ServedPlugin& owner,
           std::string_view kind);
  template <class Component>
  void copy_visible(const Index<Component>& all, Index<Component>& visible) const;
  template <class Component>
  bool is_withdrawn(std::string_view name, std::vector<Component> Components::*list) const;
  void hide_resources_behind_templates();
  // Its plugin has the resource, and the operator has taken it away. `key` is that of the resource.
  bool is_withheld(const Plugin* plugin, std::string_view key) const;
  void render_lists();
  // Those that are listed, by their names.
  std::vector<const Served<Tool>*> listed_tools() const;

  std::uint64_t generation_ = 0;
  std::vector<ServedPlugin> plugins_;
  std::vector<WithdrawnPlugin> withdrawn_;
  std::vector<Conflict> conflicts_;
  std::string instructions_;
  std::string operator_instructions_;     // without what plugins say
  std::shared_ptr<const Rights> rights_;  // null: all
  std::shared_ptr<const ToolListing> listing_;

  Index<Tool> tools_;
  Index<Resource> resources_;
  Index<ResourceTemplate> templates_;
  Index<Prompt> prompts_;
  std::vector<const Served<ResourceTemplate>*> templates_by_specificity_;

  Index<Capability> extensions_;
  Index<Capability> experimental_;
  std::string extension_members_;
  std::string experimental_members_;

  ComponentList tool_list_;
  ComponentList legacy_tool_list_;
  ComponentList resource_list_;
  ComponentList template_list_;
  ComponentList prompt_list_;
};

}  // namespace mcph
