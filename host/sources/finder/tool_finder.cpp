#include "sources/finder/tool_finder.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "catalog/caller_view.hpp"
#include "sources/finder/tool_search.hpp"

namespace mcph {
namespace {

constexpr std::size_t usual_limit = 5;
constexpr std::size_t max_limit = 50;

constexpr std::string_view components_document = R"({
  "tools": [{
    "name": "find_tools",
    "title": "Find tools",
    "description": "Finds the tools of this server that fit a question best, the best first. Not all of them need be in the list of tools; each one that is found here can be called by its name, with arguments that fit its inputSchema.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "query": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000,
          "description": "What the tool is needed for, in English, such as: open an issue in a repository"
        },
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 50,
          "default": 5,
          "description": "How many tools there are in the answer at most"
        }
      },
      "required": ["query"]
    },
    "outputSchema": {
      "type": "object",
      "properties": {
        "tools": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": { "type": "string" },
              "title": { "type": "string" },
              "description": { "type": "string" },
              "inputSchema": { "type": "object" }
            },
            "required": ["name", "inputSchema"]
          }
        }
      },
      "required": ["tools"]
    },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
  }]
})";

// What a client needs to call it.
OrderedJson description_of(const Tool& tool) {
  const auto json = read_ordered_json(tool.json);
  OrderedJson description;
  for (const auto* const member : {"name", "title", "description", "inputSchema"}) {
    if (const auto found = json.find(member); found != json.end()) description[member] = *found;
  }
  return description;
}

class ToolFinder final : public Plugin, public std::enable_shared_from_this<ToolFinder> {
 public:
  explicit ToolFinder(Executor& executor) : executor_(executor) {}

  const PluginIdentity& identity() const override { return identity_; }
  Result<std::string> describe() override { return std::string(components_document); }
  Result<> start() override { return {}; }
  void invoke(std::shared_ptr<Call> call) override {
    // The first search of a large catalog takes a while.
    executor_.run([self = shared_from_this(), call = std::move(call)] {
      const auto* const caller = dynamic_cast<const CallerView*>(call.get());
      call->complete(Outcome::result, caller == nullptr ? answer({}) : answer(self->find(call->params(), *caller)));
    });
  }
  // It answers before it could heed that.
  void cancel_all(CancelReason /*reason*/) override {}
  std::size_t fail_all(std::string_view /*why*/) override { return 0; }
  std::size_t calls_in_flight() const override { return 0; }
  PluginStatus status() const override { return {.in_process = true, .state = PluginState::serving}; }
  void call_failed(std::string /*why*/) override {}
  void answered_wrongly(std::string /*why*/) override {}
  bool stop(std::chrono::milliseconds /*patience*/) override { return true; }

 private:
  // The arguments fit the tool's schema, which has a default for the limit.
  OrderedJson find(const std::string& params, const CallerView& caller) {
    const auto json = read_json(params);
    const auto& arguments = json["arguments"];
    const auto limit = std::min(arguments.value("limit", usual_limit), max_limit);
    const auto view = caller.caller_view();
    auto tools = OrderedJson::array();
    for (const auto* const tool : search_.search(view, arguments["query"].get_ref<const std::string&>(), limit))
      tools.push_back(description_of(*tool));
    return tools;
  }

  static std::string answer(OrderedJson tools) {
    if (tools.is_null()) tools = OrderedJson::array();
    const OrderedJson found = {{"tools", std::move(tools)}};
    return dump(OrderedJson{{"content", {{{"type", "text"}, {"text", dump(found)}}}}, {"structuredContent", found}});
  }

  Executor& executor_;
  const PluginIdentity identity_{
      .file = "find_tools", .name = std::string(find_tools_name), .version = host_version, .digest = {}};
  ToolSearch search_;
};

}  // namespace

ServedPlugin make_tool_finder(Executor& executor) {
  auto finder = std::make_shared<ToolFinder>(executor);
  auto components = parse_components(components_document);
  return {std::move(finder), std::make_shared<const Components>(std::move(components).value())};
}

}  // namespace mcph
