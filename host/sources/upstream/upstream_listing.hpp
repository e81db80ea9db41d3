// What an upstream lists, made into what a plugin describes: its components under the names that they have here,
// without what the host could not serve. An upstream is a stranger, so one faulty component costs only itself, and all
// of it has bounds. Free functions and values; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "catalog/parameter_headers.hpp"
#include "plugin/method.hpp"
#include "sources/upstream/upstream_names.hpp"

namespace mcph {

// The four lists, in the order in which they are asked for.
enum class UpstreamList { tools, resources, resource_templates, prompts };
inline constexpr std::size_t upstream_lists = 4;
Method list_method(UpstreamList list);
std::string_view list_member(UpstreamList list);  // "tools"

// One that could not even be read.
struct FaultyComponent {
  UpstreamList list;
  std::string key;  // its name or URI; empty: it has none that can be told
  std::string why;
};

// The pages of one list, as they come. Refuses more than there can be.
class UpstreamPages {
 public:
  static constexpr std::size_t max_pages = 200;
  static constexpr std::size_t max_components = 10'000;
  static constexpr std::size_t max_bytes = std::size_t{16} << 20;

  UpstreamPages(UpstreamList list, bool is_modern) : list_(list), is_modern_(is_modern) {}

  // A result as it came, of which each component is read by itself. An error says what is wrong with the list.
  Result<> add(std::string_view page);
  bool has_more() const { return has_more_; }
  // For the next page; nothing for the first.
  const std::optional<std::string>& cursor() const { return cursor_; }
  std::vector<OrderedJson> take() { return std::move(components_); }
  std::vector<FaultyComponent> take_faulty() { return std::move(faulty_); }
  // For how long the upstream calls them fresh (server/utilities/caching); nothing: it does not say.
  const std::optional<std::chrono::milliseconds>& ttl() const { return ttl_; }

 private:
  void read(std::string_view component);
  void note_ttl(std::string_view number);

  const UpstreamList list_;
  const bool is_modern_;
  std::vector<OrderedJson> components_;
  std::vector<FaultyComponent> faulty_;
  std::size_t listed_ = 0;
  std::optional<std::string> cursor_;
  std::optional<std::chrono::milliseconds> ttl_;
  bool has_more_ = true;
  std::size_t pages_ = 0;
  std::size_t bytes_ = 0;
};

struct UpstreamLists {
  std::vector<OrderedJson> tools = {};
  std::vector<OrderedJson> resources = {};
  std::vector<OrderedJson> resource_templates = {};
  std::vector<OrderedJson> prompts = {};
  std::vector<FaultyComponent> faulty = {};
  std::map<UpstreamList, std::string> failed = {};  // those that are not there, and why
  std::string instructions = {};
  bool completions = false;
  std::optional<std::chrono::milliseconds> ttl = {};  // of those whose changes nobody is told of; nothing: as above

  std::vector<OrderedJson>& of(UpstreamList list);
};

struct UpstreamDescription {
  std::string document = "{}";  // as Plugin::describe has it
  // From the names here to the upstream's.
  std::map<std::string, std::string, std::less<>> tools = {};
  std::map<std::string, std::string, std::less<>> prompts = {};
  std::map<std::string, std::vector<ParameterHeader>, std::less<>> headers = {};  // by the upstream's names of tools
  std::vector<std::string> resources = {};                                        // URIs as the upstream wrote them
  std::set<UpstreamList> failed = {};                                             // lists that are not there
  std::vector<std::string> remarks = {};  // what was left out and why, and names of the operator's that nothing has
};

UpstreamDescription describe_upstream(UpstreamLists lists, const UpstreamNames& names);

}  // namespace mcph
