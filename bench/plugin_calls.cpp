// What a call costs in its plugin: what the C++ API makes of the params, the handler, and the result as text. Calls the
// tools of echo.cpp through the C contract, as a host does, but takes the answers and forgets them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

#include <mcp/plugin.h>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::exit(1);
}

mcp_string borrowed(const std::string& text) {
  return {text.data(), text.size()};
}

/// A host that has nothing, and counts the bytes of its answers in the one object that its context points to.
mcp_host make_host(std::size_t& bytes) {
  mcp_host host{};
  host.size = sizeof host;
  host.context = &bytes;
  host.complete = [](const mcp_host* self, mcp_call_id, std::int32_t outcome, mcp_string json) {
    if (outcome != MCP_OUTCOME_RESULT) fail("a call ended with an error");
    *static_cast<std::size_t*>(self->context) += json.size;
  };
  host.progress = [](const mcp_host*, mcp_call_id, double, double, mcp_string) {};
  host.log = [](const mcp_host*, mcp_call_id, std::int32_t, mcp_string) {};
  host.is_cancelled = [](const mcp_host*, mcp_call_id) -> std::int32_t { return MCP_CANCEL_NONE; };
  host.call_context = [](const mcp_host*, mcp_call_id, const mcp_sink*) {};
  host.configuration = [](const mcp_host*, const mcp_sink*) {};
  host.data_directory = [](const mcp_host*, const mcp_sink*) {};
  host.components_changed = [](const mcp_host*) {};
  host.resource_updated = [](const mcp_host*, mcp_string) {};
  host.get_interface = [](const mcp_host*, const char*) -> const void* { return nullptr; };
  return host;
}

const mcp_plugin& load(const char* file) {
  void* const library = ::dlopen(file, RTLD_NOW);
  if (library == nullptr) fail(::dlerror());
  const auto entry = reinterpret_cast<mcp_plugin_entry_v1_fn>(::dlsym(library, MCP_PLUGIN_ENTRY_SYMBOL));
  if (entry == nullptr) fail("it is no plugin");
  return *entry();
}

/// The least of several rounds, in nanoseconds: what else runs on the machine only makes it longer.
double time_of_call(const mcp_plugin& plugin, void* instance, const std::string& params, int calls) {
  const std::string method = "tools/call";
  double least = 1e12;
  for (int round = 0; round < 7; ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i)
      plugin.invoke(instance, 1, borrowed(method), borrowed(params));
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / calls);
  }
  return least;
}

std::string call_of(const char* tool, const std::string& arguments) {
  return std::string(R"({"name":")") + tool + R"(","arguments":)" + arguments + '}';
}

}  // namespace

int main() {
  std::size_t bytes = 0;
  const auto host = make_host(bytes);
  const auto& plugin = load(BENCH_ECHO);
  const mcp_sink error{
      nullptr, [](void*, mcp_string text) { std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size), text.data); }};
  void* const instance = plugin.create(&host, &error);
  if (instance == nullptr) return 1;
  constexpr std::size_t mib = 1U << 20U;
  const auto small = call_of("echo", R"({"text":"hello"})");
  const auto escaped = call_of("echo", R"({"text":"a \"quoted\" line\nand \u00fcn\u00efc\u00f6d\u00e9"})");
  const auto arguments = call_of("count", R"({"text":")" + std::string(mib, 'x') + R"("})");
  const auto result = call_of("make", R"({"bytes":)" + std::to_string(mib) + '}');
  std::printf("a small call: %.0f ns\n", time_of_call(plugin, instance, small, 200'000));
  std::printf("a small call with escapes: %.0f ns\n", time_of_call(plugin, instance, escaped, 200'000));
  std::printf("1 MiB of arguments: %.2f ms\n", time_of_call(plugin, instance, arguments, 50) / 1e6);
  std::printf("1 MiB of a result: %.2f ms\n", time_of_call(plugin, instance, result, 50) / 1e6);
  plugin.stop(instance);
  return bytes > 0 ? 0 : 1;
}
