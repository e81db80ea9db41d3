// What a plugin can ask of the host besides serving calls: which of its resources clients are subscribed to, values
// that last, metrics, and capabilities. Its configuration: {"extension": {"NAME": SETTINGS}} is what it adds.
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include <mcp/plugin.hpp>

namespace {

// What the plugin has been told of subscriptions, in its order.
class Heard {
 public:
  void add(const std::string& what) {
    const std::lock_guard lock(mutex_);
    text_ += (text_.empty() ? "" : " ") + what;
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

void follow_subscriptions(mcp::Plugin& plugin) {
  const auto heard = std::make_shared<Heard>();
  plugin.on_subscribed([heard](const std::string& uri) { heard->add("+" + uri); });
  plugin.on_unsubscribed([heard](const std::string& uri) { heard->add("-" + uri); });
  plugin.resource("interfaces://one", "one", "A resource.", [] { return "one"; });
  plugin.resource_template("interfaces://items/{name}", "item", "Any number of them.",
                           [](const mcp::Uri& uri) { return uri["name"]; });
  plugin.tool("subscriptions", "What clients are subscribed to.", [&plugin] {
    std::string all;
    for (const auto& uri : plugin.subscriptions())
      all += (all.empty() ? "" : " ") + uri;
    return all;
  });
  plugin.tool("heard", "What it has been told of that.", [heard] { return heard->text(); });
}

void keep_values(mcp::Plugin& plugin) {
  const auto store = plugin.store();
  plugin.tool(
      "visit", "Counts.",
      [store](const std::string& who) {
        return store.update(who,
                            [](const auto& before) { return std::to_string(before ? std::stoi(*before) + 1 : 1); });
      },
      mcp::arg("who", "Who"));
  plugin.tool("flood_store", "Puts more than it may.", [store] {
    int kept = 0;
    try {
      for (;; ++kept)
        store.put("flood/" + std::to_string(kept), std::string(10'000, 'x'));
    } catch (const mcp::StoreError& error) {
      return std::to_string(kept) + " kept; " + error.what();
    }
  });
}

void record(mcp::Plugin& plugin) {
  const auto served = plugin.counter("served", "Calls, by kind.");
  const auto took = plugin.histogram("took_seconds", "Time of a call.", {0.1, 1});
  const auto mood = plugin.gauge("mood", "How it is.");
  plugin.tool(
      "count", "Counts and measures.",
      [=](const std::string& kind) {
        served.add(1, {{"kind", kind}});
        took.observe(0.5);
        mood.set(-1.5);
      },
      mcp::arg("kind", "Which"));
  plugin.tool("flood_metrics", "Records more series than it may.", [served] {
    for (int i = 0; i < 100'000; ++i)
      served.add(1, {{"kind", std::to_string(i)}});
  });
}

// What `action` throws.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing is wrong";
}

void ask_for_what_is_refused(mcp::Plugin& plugin) {
  plugin.tool("invalid", "Asks for what the host refuses.", [&plugin] {
    return refusal([&] { plugin.store().put("", "v"); }) + "\n" + refusal([&] { plugin.counter("Not a name", ""); });
  });
}

void add_capabilities(mcp::Plugin& plugin) {
  const auto extensions = plugin.config().value("extension", mcp::Json::object());
  for (const auto& [name, settings] : extensions.items())
    plugin.extension(name, settings);
  plugin.experimental("drafts", {{"version", 1}});
  plugin.tool("withdraw", "Withdraws its experimental capability.", [&plugin] {
    plugin.remove_experimental("drafts");
    plugin.components_changed();
  });
}

void setup(mcp::Plugin& plugin) {
  follow_subscriptions(plugin);
  keep_values(plugin);
  record(plugin);
  ask_for_what_is_refused(plugin);
  add_capabilities(plugin);
}

}  // namespace

MCP_PLUGIN("interfaces", "1.0.0", setup)
