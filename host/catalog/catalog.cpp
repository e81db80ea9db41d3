#include "catalog/catalog.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "catalog/compared_uri.hpp"

namespace mcph {
namespace {

void add_paragraph(std::string& text, std::string_view paragraph) {
  if (paragraph.empty()) return;
  if (!text.empty()) text += "\n\n";
  text += paragraph;
}

template <class Served>
const Served* find(const std::map<std::string, Served, std::less<>>& index, std::string_view key) {
  const auto found = index.find(key);
  return found == index.end() ? nullptr : &found->second;
}

template <class Component>
const Plugin* owner(const Served<Component>* served) {
  return served == nullptr ? nullptr : served->plugin.get();
}

template <class Index, class Render>
ComponentList render(std::string kind, const Index& index, Render json) {
  ComponentList list(std::move(kind));
  for (const auto& [key, served] : index)
    list.add(key, json(*served.component));
  return list;
}

// The kinds, as logs and people call them.
constexpr std::string_view tool_kind = "tool";
constexpr std::string_view resource_kind = "resource";
constexpr std::string_view template_kind = "resource template";
constexpr std::string_view prompt_kind = "prompt";
constexpr std::string_view extension_kind = "extension";
constexpr std::string_view experimental_kind = "experimental capability";

template <class Index>
std::string members_of(const Index& capabilities) {
  std::string members;
  for (const auto& [name, served] : capabilities) {
    if (!members.empty()) members += ',';
    append_json_string(members, name);
    members.append(":").append(served.component->json);
  }
  return members;
}

template <class Component>
Access access_to(const Rights& rights, const Component& component, const PluginIdentity& /*plugin*/) {
  return rights.to(component);
}
Access access_to(const Rights& rights, const Tool& tool, const PluginIdentity& plugin) {
  return rights.to(tool, plugin.name);
}

// Where components are looked at alone, there is no plugin.
template <class Component>
bool is_of_upstream(const Served<Component>& served) {
  return served.plugin != nullptr && served.plugin->identity().is_upstream;
}

}  // namespace

std::string Conflict::reason() const {
  if (!is_upstream) return "two plugins export it, and the first by path is served";
  return "another exports it, too; plugins come before upstreams, and each kind is in the order of paths";
}

std::string Conflict::advice() const {
  if (!is_upstream) return "to have both, rename it in one of the two";
  if (kind == tool_kind || kind == prompt_kind)
    return "to have both, give the upstream a \"prefix\", or the " + kind + " another name with \"rename\"";
  return "resources of an upstream keep their URIs, so there is only one; \"exclude\" leaves out that of the upstream";
}

Catalog::Catalog(std::uint64_t generation, std::vector<ServedPlugin> plugins, std::string_view instructions,
                 std::shared_ptr<const ToolListing> listing, std::vector<WithdrawnPlugin> withdrawn)
    : generation_(generation),
      plugins_(std::move(plugins)),
      withdrawn_(std::move(withdrawn)),
      instructions_(instructions),
      operator_instructions_(instructions),
      listing_(std::move(listing)) {
  for (const auto& owner : plugins_) {
    const auto& components = *owner.components;
    add(tools_, components.tools, owner, tool_kind);
    add(resources_, components.resources, owner, resource_kind);
    add(templates_, components.resource_templates, owner, template_kind);
    add(prompts_, components.prompts, owner, prompt_kind);
    add(extensions_, components.capabilities.extensions, owner, extension_kind);
    add(experimental_, components.capabilities.experimental, owner, experimental_kind);
    add_paragraph(instructions_, components.instructions);
  }
  hide_resources_behind_templates();
  render_lists();
  extension_members_ = members_of(extensions_);
  experimental_members_ = members_of(experimental_);
}

Catalog::Catalog(const Catalog& all, std::shared_ptr<const Rights> rights,
                 const std::optional<std::string>& instructions)
    : generation_(all.generation_),
      plugins_(all.plugins_),
      withdrawn_(all.withdrawn_),
      instructions_(instructions.value_or(all.operator_instructions_)),
      operator_instructions_(instructions_),
      rights_(std::move(rights)),
      listing_(all.listing_) {
  copy_visible(all.tools_, tools_);
  copy_visible(all.resources_, resources_);
  copy_visible(all.templates_, templates_);
  copy_visible(all.prompts_, prompts_);
  render_lists();

  // What a plugin says of itself is for those who see something of it.
  std::set<const Plugin*> seen;
  const auto see = [&](const auto& index) {
    for (const auto& [key, served] : index)
      seen.insert(served.plugin.get());
  };
  see(tools_);
  see(resources_);
  see(templates_);
  see(prompts_);
  for (const auto& owner : plugins_) {
    if (seen.contains(owner.plugin.get())) add_paragraph(instructions_, owner.components->instructions);
  }
  const auto copy_seen = [&seen](const Index<Capability>& every, Index<Capability>& visible) {
    std::ranges::copy_if(every, std::inserter(visible, visible.end()),
                         [&seen](const auto& each) { return seen.contains(each.second.plugin.get()); });
  };
  copy_seen(all.extensions_, extensions_);
  copy_seen(all.experimental_, experimental_);
  extension_members_ = members_of(extensions_);
  experimental_members_ = members_of(experimental_);
}

void Catalog::render_lists() {
  for (const auto& [key, served] : templates_)
    templates_by_specificity_.push_back(&served);
  // A server elsewhere takes nothing that a plugin's template stands for.
  const auto is_before = [](const auto* a, const auto* b) {
    if (is_of_upstream(*a) != is_of_upstream(*b)) return !is_of_upstream(*a);
    return a->component->uri_template.more_specific_than(b->component->uri_template);
  };
  std::stable_sort(templates_by_specificity_.begin(), templates_by_specificity_.end(), is_before);

  const auto json = [](const auto& component) -> std::string_view { return component.json; };
  tool_list_ = ComponentList("tools");
  legacy_tool_list_ = ComponentList("tools");
  for (const auto* const served : listed_tools()) {
    const auto& tool = *served->component;
    tool_list_.add(tool.name, tool.json);
    legacy_tool_list_.add(tool.name, tool.legacy_json);
  }
  resource_list_ = render("resources", resources_, json);
  template_list_ = render("resourceTemplates", templates_, json);
  prompt_list_ = render("prompts", prompts_, json);
}

std::vector<const Served<Tool>*> Catalog::listed_tools() const {
  const auto most = listing_ == nullptr ? 0 : listing_->at_most;
  const bool all = most == 0 || tools_.size() <= most || !tools_.contains(find_tools_name);
  std::set<std::string_view> chosen{find_tools_name};
  const auto choose = [&](std::size_t up_to, const auto& matches) {
    for (auto tool = tools_.begin(); tool != tools_.end() && chosen.size() < up_to; ++tool) {
      if (matches(*tool->second.component)) chosen.insert(tool->first);
    }
  };
  if (!all) {
    for (const auto& pattern : listing_->pinned)
      choose(most, [&](const Tool& tool) { return pattern.matches(ComponentPattern::Kind::tool, tool.name); });
    // Who is not listed these cannot call them: clients take from the list what to put into headers.
    choose(tools_.size(), [](const Tool& tool) { return !tool.parameter_headers.empty(); });
    choose(most, [](const Tool&) { return true; });
  }
  std::vector<const Served<Tool>*> listed;
  for (const auto& [name, served] : tools_) {
    if (all || chosen.contains(name)) listed.push_back(&served);
  }
  return listed;
}

// Of upstreams, what a plugin's template stands for. Each resource is compared with each template: an upstream lists
// some thousand at most, and a plugin has no more templates than DescriptionRoom::template_bytes holds.
void Catalog::hide_resources_behind_templates() {
  std::vector<const Served<ResourceTemplate>*> of_plugins;
  for (const auto& [key, served] : templates_)
    if (!is_of_upstream(served)) of_plugins.push_back(&served);
  if (of_plugins.empty()) return;
  // There may be thousands: the first is told of, and how many there are besides.
  std::map<std::pair<const Plugin*, const Plugin*>, std::pair<std::string, std::size_t>> hidden;
  std::erase_if(resources_, [&](const auto& entry) {
    const auto& [key, served] = entry;
    if (!is_of_upstream(served)) return false;
    const auto uri = ComparedUri::read(key);
    if (!uri) return false;
    const auto found = std::ranges::find_if(
        of_plugins, [&uri](const auto* each) { return each->component->uri_template.match(*uri).has_value(); });
    if (found == of_plugins.end()) return false;
    auto& [first, count] = hidden[{(*found)->plugin.get(), served.plugin.get()}];
    if (count++ == 0) first = component_name(*served.component);
    return true;
  });
  for (const auto& [plugins, uris] : hidden) {
    const auto& [first, count] = uris;
    conflicts_.push_back({std::string(resource_kind),
                          count == 1 ? first : first + " and " + std::to_string(count - 1) + " others",
                          plugins.first->identity().file, plugins.second->identity().file, true});
  }
}

template <class Component>
void Catalog::add(Index<Component>& index, const std::vector<Component>& components, const ServedPlugin& owner,
                  std::string_view kind) {
  for (const auto& component : components) {
    const auto [place, added] =
        index.try_emplace(component_key(component), Served<Component>{&component, owner.plugin});
    if (!added) {
      const auto& served = place->second;
      const auto& hidden = owner.plugin->identity();
      conflicts_.push_back({std::string(kind), component_name(*served.component), served.plugin->identity().file,
                            hidden.file, hidden.is_upstream});
    }
  }
}

template <class Component>
void Catalog::copy_visible(const Index<Component>& all, Index<Component>& visible) const {
  for (const auto& [key, served] : all) {
    if (!rights_->shows(served.plugin->identity())) continue;
    auto access = access_to(*rights_, *served.component, served.plugin->identity());
    if (!access.visible) continue;
    auto copy = served;
    copy.rule = std::move(access.rule);
    copy.partial = access.partial;
    visible.emplace_hint(visible.end(), key, std::move(copy));
  }
}

const Served<Tool>* Catalog::find_tool(std::string_view name) const {
  return find(tools_, name);
}

const Served<Prompt>* Catalog::find_prompt(std::string_view name) const {
  return find(prompts_, name);
}

const Served<Resource>* Catalog::find_resource(std::string_view uri) const {
  std::string storage;
  return find(resources_, normalized_uri(uri, storage));
}

const Served<ResourceTemplate>* Catalog::find_template(std::string_view uri_template) const {
  std::string storage;
  return find(templates_, normalized_uri(uri_template, storage));
}

template <class Component>
bool Catalog::is_withdrawn(std::string_view name, std::vector<Component> Components::*list) const {
  return std::ranges::any_of(withdrawn_, [&](const WithdrawnPlugin& each) {
    const auto& components = (*each.components).*list;
    const auto found = std::ranges::find(components, name, &Component::name);
    if (found == components.end()) return false;
    return is_whole() || (rights_->shows(each.identity) && access_to(*rights_, *found, each.identity).visible);
  });
}

bool Catalog::is_withdrawn_tool(std::string_view name) const {
  return is_withdrawn(name, &Components::tools);
}

bool Catalog::is_withdrawn_prompt(std::string_view name) const {
  return is_withdrawn(name, &Components::prompts);
}

const Plugin* Catalog::find_owner(std::string_view kind, std::string_view key) const {
  if (kind == tool_kind) return owner(find_tool(key));
  if (kind == resource_kind) return owner(find_resource(key));
  if (kind == template_kind) return owner(find_template(key));
  if (kind == extension_kind) return owner(find(extensions_, key));
  if (kind == experimental_kind) return owner(find(experimental_, key));
  return kind == prompt_kind ? owner(find_prompt(key)) : nullptr;
}

std::optional<Catalog::TemplateMatch> Catalog::match_template(std::string_view uri) const {
  if (!may_read(uri)) return std::nullopt;
  const auto compared = templates_by_specificity_.empty() ? std::nullopt : ComparedUri::read(uri);
  if (!compared) return std::nullopt;
  for (const auto* served : templates_by_specificity_) {
    auto variables = served->component->uri_template.match(*compared);
    if (variables && !is_withheld(served->plugin.get(), compared->text()))
      return TemplateMatch{served, *std::move(variables)};
  }
  return std::nullopt;
}

std::size_t Catalog::template_bytes() const {
  return std::accumulate(templates_by_specificity_.begin(), templates_by_specificity_.end(), std::size_t{0},
                         [](std::size_t sum, const Served<ResourceTemplate>* served) {
                           return sum + served->component->uri_template.text().size();
                         });
}

bool Catalog::is_withheld(const Plugin* plugin, std::string_view key) const {
  const auto owner = std::ranges::find(plugins_, plugin, [](const auto& each) { return each.plugin.get(); });
  return owner != plugins_.end() && owner->components->withheld.contains(key);
}

ListKinds Catalog::differences(const Catalog& other) const {
  return {.tools = tool_list_ != other.tool_list_,
          .resources = resource_list_ != other.resource_list_ || template_list_ != other.template_list_,
          .prompts = prompt_list_ != other.prompt_list_};
}

std::vector<const Served<Tool>*> Catalog::tool_differences(const Catalog& other) const {
  std::vector<const Served<Tool>*> different;
  const auto add_what_lacks = [&](const Index<Tool>& some, const Index<Tool>& others) {
    for (const auto& [key, served] : some) {
      const auto found = others.find(key);
      if (found == others.end() || found->second.component->json != served.component->json ||
          found->second.plugin->identity().name != served.plugin->identity().name)
        different.push_back(&served);
    }
  };
  add_what_lacks(tools_, other.tools_);
  add_what_lacks(other.tools_, tools_);
  return different;
}

bool Catalog::has_same_owners(const Catalog& other) const {
  const auto are_same = [](const auto& some, const auto& others) {
    return std::ranges::equal(some, others, [](const auto& a, const auto& b) {
      return a.first == b.first && a.second.plugin->identity().name == b.second.plugin->identity().name;
    });
  };
  return are_same(resources_, other.resources_) && are_same(templates_, other.templates_) &&
         are_same(prompts_, other.prompts_);
}

}  // namespace mcph
