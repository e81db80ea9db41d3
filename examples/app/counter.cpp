// A counter that is seen: the client shows a page in the conversation, and the page's button calls a tool of the
// plugin.
#include <optional>
#include <string>

#include <mcp/plugin.hpp>

struct Count {
  int count;
};

constexpr auto page = R"(<!doctype html>
<html>
<head><title>Counter</title></head>
<body>
<output></output> <button>One more</button>
<script>
  let last = 0;
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const ask = (method, params) => send({ id: ++last, method, params });
  const show = (result) => { document.querySelector('output').textContent = result.structuredContent.count; };

  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return;
    if (data.id === 1) send({ method: 'ui/notifications/initialized', params: {} });
    else if (data.result?.structuredContent) show(data.result);
    if (data.method === 'ui/notifications/tool-result') show(data.params);
  });
  document.querySelector('button').onclick = () => ask('tools/call', { name: 'count_up', arguments: {} });
  ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'counter', version: '1' }, appCapabilities: {} });
</script>
</body>
</html>)";

static void setup(mcp::Plugin& plugin) {
  plugin.app("ui://counter/view", "counter_view", "The counter, with a button", page);

  // The host keeps the count, so that it outlives this version of the plugin.
  plugin
      .tool("counter", "Shows the counter.",
            [store = plugin.store()] { return Count{std::stoi(store.get("count").value_or("0"))}; })
      .read_only()
      .app("ui://counter/view");
  plugin
      .tool("count_up", "Adds one.",
            [store = plugin.store()] {
              return Count{std::stoi(store.update("count", [](const std::optional<std::string>& before) {
                return std::to_string(std::stoi(before.value_or("0")) + 1);
              }))};
            })
      .app_only();
}

MCP_PLUGIN("counter", "1.0.0", setup)
