#include <cstddef>
#include <exception>
#include <memory>
#include <string>

#include <mcp/plugin/export.hpp>

#include "answers.hpp"
#include "host_text.hpp"
#include "instance.hpp"

// Every function here is called through the C table: nothing may be thrown out of it.
namespace mcp::detail {
namespace {

Instance& instance_of(void* self) {
  return *static_cast<Instance*>(self);
}

/// Runs `action`; what it throws goes to `error`. Returns whether it threw nothing.
template <class Action>
bool reports_to(const mcp_sink* error, const Action& action) noexcept {
  try {
    action();
    return true;
  } catch (const std::exception& exception) {
    write(error, exception.what());
  } catch (...) {
    write(error, "threw something that is not a std::exception");
  }
  return false;
}

/// That every function is there which the API calls without asking; get_interface it asks for.
bool has_what_is_needed(const mcp_host& host) {
  return host.size >= offsetof(mcp_host, resource_updated) + sizeof(host.resource_updated);
}

}  // namespace

void* create_instance(Setup setup, const mcp_host* host, const mcp_sink* error) noexcept {
  return create_instance(std::function<void(Plugin&)>(setup), host, error);
}

void* create_instance(const std::function<void(Plugin&)>& setup, const mcp_host* host, const mcp_sink* error) noexcept {
  if (!has_what_is_needed(*host)) {
    write(error, "the host lacks functions that this plugin needs: update the host");
    return nullptr;
  }
  std::unique_ptr<Instance> instance;
  reports_to(error, [&] { instance = std::make_unique<Instance>(*host, setup); });
  return instance.release();
}

std::int32_t describe_instance(void* self, const mcp_sink* sink, const mcp_sink* error) noexcept {
  return reports_to(error, [&] { write(sink, instance_of(self).describe()); }) ? 0 : 1;
}

std::int32_t start_instance(void* self, const mcp_sink* error) noexcept {
  return reports_to(error, [&] { instance_of(self).start(); }) ? 0 : 1;
}

void invoke_instance(void* self, mcp_call_id call, mcp_string method, mcp_string params) noexcept {
  instance_of(self).invoke(call, view(method), view(params));
}

void cancel_instance(void* self, mcp_call_id call, std::int32_t) noexcept {
  instance_of(self).cancel(call);
}

void stop_instance(void* self) noexcept {
  delete static_cast<Instance*>(self);
}

}  // namespace mcp::detail
