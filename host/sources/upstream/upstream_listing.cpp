#include "sources/upstream/upstream_listing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "base/json_members.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "base/utf8.hpp"
#include "catalog/components.hpp"
#include "plugin/description.hpp"
#include "sources/upstream/upstream_wire.hpp"

namespace mcph {
namespace {

constexpr std::array<Method, upstream_lists> list_methods{Method::tools_list, Method::resources_list,
                                                          Method::resources_templates_list, Method::prompts_list};
constexpr std::array<std::string_view, upstream_lists> list_members{"tools", "resources", "resourceTemplates",
                                                                    "prompts"};
constexpr std::array<ComponentPattern::Kind, upstream_lists> pattern_kinds{
    ComponentPattern::Kind::tool, ComponentPattern::Kind::resource, ComponentPattern::Kind::resource,
    ComponentPattern::Kind::prompt};

// Of one that is told; an upstream may have written anything there.
constexpr std::size_t max_told_name = 100;
constexpr std::size_t max_left_out_told = 20;
constexpr std::size_t max_instructions = std::size_t{64} << 10;
// What the host itself reads there would be a stranger's word in its own matters.
constexpr std::string_view own_meta = "mcp-plugin-host/";

std::size_t place_of(UpstreamList list) {
  return static_cast<std::size_t>(list);
}

const char* key_of(UpstreamList list) {
  if (list == UpstreamList::resources) return "uri";
  return list == UpstreamList::resource_templates ? "uriTemplate" : "name";
}

// Nothing: it is no string.
std::optional<std::string> string_in(std::string_view text) {
  const auto json = parse_json(text);
  return json.has_value() && json->is_string() ? std::optional(json->get<std::string>()) : std::nullopt;
}

void remove_own_meta(OrderedJson& component) {
  const auto meta = component.find("_meta");
  if (meta == component.end() || !meta->is_object()) return;
  std::vector<std::string> own;
  for (const auto& [key, value] : meta->items()) {
    if (key.starts_with(own_meta)) own.push_back(key);
  }
  for (const auto& key : own)
    meta->erase(key);
  if (meta->empty()) component.erase("_meta");
}

// The keys of all that is listed, with their kinds.
std::vector<std::pair<ComponentPattern::Kind, std::string>> keys_in(UpstreamLists& lists) {
  std::vector<std::pair<ComponentPattern::Kind, std::string>> keys;
  for (std::size_t i = 0; i < upstream_lists; ++i) {
    const auto list = static_cast<UpstreamList>(i);
    for (const auto& component : lists.of(list)) {
      const auto key = component.is_object() ? component.find(key_of(list)) : component.end();
      if (key == component.end() || !key->is_string()) continue;
      // As patterns have it.
      const bool is_uri = pattern_kinds.at(i) == ComponentPattern::Kind::resource;
      const auto name = key->get<std::string>();
      keys.emplace_back(pattern_kinds.at(i), is_uri ? normalized_uri(name) : name);
    }
  }
  for (const auto& [list, key, why] : lists.faulty)
    keys.emplace_back(pattern_kinds.at(place_of(list)), key);
  return keys;
}

// Most likely they are mistyped, or the upstream has changed.
std::vector<std::string> names_that_nothing_has(UpstreamLists& lists, const UpstreamNames& names) {
  std::vector<std::string> remarks;
  if (names.include.empty() && names.exclude.empty() && names.rename.empty()) return remarks;
  const auto keys = keys_in(lists);
  const auto look_for = [&](const char* member, const std::string& text, const auto& is_it) {
    if (std::ranges::none_of(keys, is_it))
      remarks.push_back(std::string("\"") + member + "\" has " + text + ", which nothing of the upstream is called");
  };
  const auto look_for_all = [&](const char* member, const std::vector<WrittenPattern>& patterns) {
    for (const auto& [text, pattern] : patterns) {
      // All resources are meant, however many there are.
      if (text == "*" || text.ends_with(":*")) continue;
      look_for(member, text, [&pattern = pattern](const auto& key) { return pattern.matches(key.first, key.second); });
    }
  };
  look_for_all("include", names.include);
  look_for_all("exclude", names.exclude);
  for (const auto& [name, name_here] : names.rename) {
    look_for("rename", name, [&name = name](const auto& key) {
      return key.first != ComponentPattern::Kind::resource && key.second == name;
    });
  }
  return remarks;
}

// Gathers what is fit to be served.
class Gathering {
 public:
  Gathering(const UpstreamNames& names, UpstreamDescription& description) : names_(names), description_(description) {}

  void add(UpstreamList list, OrderedJson component) {
    const auto key = text_of(component, key_of(list));
    if (!key) return leave_out(list, "", std::string("has no \"") + key_of(list) + '"');
    if (!names_.serves(pattern_kinds.at(place_of(list)), *key)) return;
    remove_own_meta(component);
    const bool is_named = list == UpstreamList::tools || list == UpstreamList::prompts;
    if (is_named) component["name"] = names_.name_here(pattern_kinds.at(place_of(list)), *key);
    // To the host it would say how its own calls run.
    if (list == UpstreamList::tools) component.erase("execution");
    const OrderedJson alone = {{std::string(list_members.at(place_of(list))), OrderedJson::array({component})}};
    const auto text = dump(alone);
    if (bytes_ + text.size() > max_description_bytes) return leave_out(list, *key, "there is no room for more");
    auto room = room_;
    const auto read = parse_components(text, room);
    if (read.has_error()) return leave_out(list, *key, read.error().message);
    if (!keys_.at(place_of(list)).insert(key_here(list, *read)).second) {
      return leave_out(list, *key, "another one has the same name here; give it one with \"rename\"");
    }
    bytes_ += text.size();
    room_ = room;
    note(list, *key, component);
    document_[std::string(list_members.at(place_of(list)))].push_back(std::move(component));
  }

  void add(const FaultyComponent& faulty) {
    const auto& [list, key, why] = faulty;
    if (key.empty() || names_.serves(pattern_kinds.at(place_of(list)), key)) leave_out(list, key, why);
  }

  OrderedJson& document() { return document_; }

 private:
  static std::optional<std::string> text_of(const OrderedJson& component, const char* member) {
    if (!component.is_object()) return std::nullopt;
    const auto found = component.find(member);
    if (found == component.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  }

  static std::string key_here(UpstreamList list, const Components& read) {
    if (list == UpstreamList::tools) return component_key(read.tools.front());
    if (list == UpstreamList::resources) return component_key(read.resources.front());
    if (list == UpstreamList::resource_templates) return component_key(read.resource_templates.front());
    return component_key(read.prompts.front());
  }

  void note(UpstreamList list, const std::string& key, const OrderedJson& component) {
    if (list == UpstreamList::tools) {
      description_.tools.emplace(component["name"], key);
      auto headers = read_parameter_headers(component["inputSchema"]);
      if (headers.has_value() && !headers->empty()) description_.headers.emplace(key, *std::move(headers));
    } else if (list == UpstreamList::prompts) {
      description_.prompts.emplace(component["name"], key);
    } else if (list == UpstreamList::resources) {
      description_.resources.push_back(key);
    }
  }

  void leave_out(UpstreamList list, std::string_view key, std::string_view why) {
    if (description_.remarks.size() > max_left_out_told) return;
    if (description_.remarks.size() == max_left_out_told) {
      description_.remarks.emplace_back("and others");
      return;
    }
    std::string words(list_members.at(place_of(list)));
    if (!key.empty()) words.append(" \"").append(utf8_prefix(key, max_told_name)).append("\"");
    description_.remarks.push_back(words.append(" of the upstream is left out: ").append(why));
  }

  const UpstreamNames& names_;
  UpstreamDescription& description_;
  OrderedJson document_ = OrderedJson::object();
  std::array<std::set<std::string, std::less<>>, upstream_lists> keys_;
  std::size_t bytes_ = 0;
  DescriptionRoom room_;  // that is left
};

}  // namespace

Method list_method(UpstreamList list) {
  return list_methods.at(place_of(list));
}

std::string_view list_member(UpstreamList list) {
  return list_members.at(place_of(list));
}

Result<> UpstreamPages::add(std::string_view page) {
  const auto where = "its answer to " + std::string(name_of(list_method(list_)));
  bytes_ += page.size();
  if (bytes_ > max_bytes) return fail(where + " has more than " + std::to_string(max_bytes) + " bytes");
  std::optional<std::vector<std::string_view>> list;
  std::string_view next = "null";
  JsonMembers members(page);
  while (members.next()) {
    if (members.key() == list_member(list_)) list = json_elements(members.value(), max_components + 1);
    if (members.key() == "nextCursor") next = members.value();
    if (members.key() == "ttlMs") note_ttl(members.value());
    if (members.key() == "resultType" && json_string(members.value()) != "complete")
      return fail(where + " has a resultType that is not complete (basic/index, \"ResultType\")");
  }
  if (!members.is_whole() || !list) return fail(where + " has no array \"" + std::string(list_member(list_)) + '"');
  listed_ += list->size();
  if (++pages_ > max_pages) return fail(where + " has more than " + std::to_string(max_pages) + " pages");
  if (listed_ > max_components) return fail(where + " has more than " + std::to_string(max_components) + " entries");
  for (const auto component : *list)
    read(component);
  has_more_ = next != "null";
  if (!has_more_) return {};
  cursor_ = string_in(next);
  if (!cursor_) return fail(where + " has a \"nextCursor\" that is no string");
  // Some servers of the legacy era say so that there are no more.
  has_more_ = is_modern_ || !cursor_->empty();
  return {};
}

// The least of all pages; a negative one is none (server/utilities/caching, "Freshness Calculation").
void UpstreamPages::note_ttl(std::string_view number) {
  std::int64_t ms = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ms);
  if (error != std::errc() || end != number.data() + number.size()) return;
  const std::chrono::milliseconds ttl(std::max<std::int64_t>(ms, 0));
  ttl_ = std::min(ttl_.value_or(ttl), ttl);
}

void UpstreamPages::read(std::string_view component) {
  // There is one of each key for all who read this later.
  auto ordered = may_be_read(component) ? parse_in_order(component, default_json_depth)
                                        : Result<OrderedJson>(fail("more than is read of one"));
  if (ordered.has_value()) return components_.push_back(*std::move(ordered));
  const auto key = json_member(component, key_of(list_));
  faulty_.push_back({list_, key ? string_in(*key).value_or("") : "", "is " + ordered.error().message});
}

std::vector<OrderedJson>& UpstreamLists::of(UpstreamList list) {
  if (list == UpstreamList::tools) return tools;
  if (list == UpstreamList::resources) return resources;
  return list == UpstreamList::resource_templates ? resource_templates : prompts;
}

UpstreamDescription describe_upstream(UpstreamLists lists, const UpstreamNames& names) {
  UpstreamDescription description;
  const auto unused = names_that_nothing_has(lists, names);
  Gathering gathering(names, description);
  for (std::size_t i = 0; i < upstream_lists; ++i) {
    const auto list = static_cast<UpstreamList>(i);
    for (auto& component : lists.of(list))
      gathering.add(list, std::move(component));
  }
  for (const auto& faulty : lists.faulty)
    gathering.add(faulty);
  for (const auto& [list, why] : lists.failed) {
    description.failed.insert(list);
    description.remarks.push_back("a list of the upstream is left out: " + why);
  }
  auto& document = gathering.document();
  if (!lists.instructions.empty()) document["instructions"] = utf8_prefix(lists.instructions, max_instructions);
  if (lists.completions) document["completions"] = true;
  description.document = dump(document);
  description.remarks.insert(description.remarks.end(), unused.begin(), unused.end());
  return description;
}

}  // namespace mcph
