// python: serves the functions in a folder of Python files, which the configuration beside the library names:
//
//   {"folder": "/srv/tools", "venv": "/srv/tools/.venv"}
//
// The library is copied into the components as NAME.so, and the plugin is called by that name: so there may be many.
// What the files are written with is mcp_plugin, in the folder of that name. In C++ there is only what Python cannot
// have: the table of the contract and the start of the interpreter.
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <mcp/plugin.h>
#include <mcp/plugin/export.hpp>

#include "python/host_text.hpp"
#include "python/plugin_instance.hpp"

namespace plugins::python {
namespace {

std::string_view view(mcp_string text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

PluginInstance& instance_of(void* self) {
  return *static_cast<PluginInstance*>(self);
}

// Runs `action`; what it throws goes to `error`. Returns whether it threw nothing.
template <class Action>
bool reports_to(const mcp_sink* error, const Action& action) noexcept {
  try {
    action();
    return true;
  } catch (const std::exception& exception) {
    error->write(error->context, borrowed(exception.what()));
  }
  return false;
}

void* create(const mcp_host* host, const mcp_sink* error) noexcept {
  std::unique_ptr<PluginInstance> instance;
  reports_to(error, [&] { instance = std::make_unique<PluginInstance>(*host); });
  return instance.release();
}

std::int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* error) noexcept {
  return reports_to(error,
                    [&] {
                      const auto text = instance_of(self).describe();
                      sink->write(sink->context, borrowed(text));
                    })
             ? 0
             : 1;
}

std::int32_t start(void* self, const mcp_sink* error) noexcept {
  return reports_to(error, [&] { instance_of(self).start(); }) ? 0 : 1;
}

void invoke(void* self, mcp_call_id call, mcp_string method, mcp_string params) noexcept {
  instance_of(self).invoke(call, view(method), view(params));
}

void cancel(void* self, mcp_call_id call, std::int32_t) noexcept {
  instance_of(self).cancel(call);
}

void stop(void* self) noexcept {
  delete &instance_of(self);
}

bool consists_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// Of a file's name: ".3", and ".b608e00dd3f19ad7".
bool is_number(std::string_view extension) {
  return extension.starts_with('.') && consists_of(extension.substr(1), "0123456789");
}
bool is_digest(std::string_view extension) {
  return extension.size() == 17 && consists_of(extension.substr(1), "0123456789abcdef");
}

// That of the library's file, without what a host that loads a copy puts behind it: weather.so, weather.3.DIGEST.so.
std::string name_of_file() {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&name_of_file), &library) == 0) return "python";
  const std::filesystem::path file(library.dli_fname);
  auto name = file.stem();
  const auto numbered = name.stem();
  if (is_digest(name.extension().native()) && is_number(numbered.extension().native())) name = numbered.stem();
  return mcp::detail::is_plugin_name(name.native()) ? name.string() : "python";
}

}  // namespace
}  // namespace plugins::python

const mcp_plugin* mcp_plugin_entry_v1() {
  namespace python = plugins::python;
  static const std::string name = python::name_of_file();
  static const mcp_plugin table{
      .size = sizeof(mcp_plugin),
      .flags = MCP_PLUGIN_NEVER_UNLOAD,
      .name = python::borrowed(name),
      .version = python::borrowed("1.0.0"),
      .id = {},
      .vendor = python::borrowed("mcp-plugin-host"),
      .description = python::borrowed("Serves the functions in a folder of Python files."),
      .url = {},
      .create = python::create,
      .describe = python::describe,
      .start = python::start,
      .invoke = python::invoke,
      .cancel = python::cancel,
      .stop = python::stop,
  };
  return &table;
}
