#include "instance.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>

#include "describe.hpp"
#include "dispatch.hpp"
#include "host_text.hpp"

namespace mcp::detail {
namespace {

Json configuration_of(const mcp_host& host) {
  const std::string text = answer_of_host([&](const mcp_sink* sink) { host.configuration(&host, sink); });
  if (text.empty()) return Json::object();
  try {
    return parse_json(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string("the configuration is ") + error.what());
  }
}

void run_on_stop(const mcp_host& host, const std::function<void()>& function) noexcept {
  try {
    function();
  } catch (const std::exception& error) {
    host.log(&host, 0, MCP_LOG_ERROR, borrowed(std::string("a function of on_stop threw: ") + error.what()));
  } catch (...) {
    host.log(&host, 0, MCP_LOG_ERROR, borrowed("a function of on_stop threw an unknown exception"));
  }
}

}  // namespace

Instance::Instance(const mcp_host& host, const std::function<void(Plugin&)>& setup)
    : host_(host), config_(configuration_of(host)) {
  setup(plugin_);
  registry_->publish();
}

Instance::~Instance() {
  if (started_) {
    std::for_each(on_stop_.rbegin(), on_stop_.rend(), [&](const auto& function) { run_on_stop(host_, function); });
  }
  registry_->clear();
  // Calls whose owner outlives the instance, which it should not.
  pending_->abandon_all();
}

std::string Instance::describe() {
  for (const auto& function : on_describe_)
    function();
  if (!on_describe_.empty()) registry_->publish();
  return detail::describe(*registry_->published());
}

void Instance::start() {
  started_ = true;
  for (const auto& function : on_start_)
    function();
}

void Instance::invoke(mcp_call_id call, std::string_view method, std::string_view params) {
  const std::optional<Answer> answer = dispatch(host_, call, *registry_->published(), pending_, method, params);
  if (answer) host_.complete(&host_, call, answer->outcome, borrowed(answer->json));
}

void Instance::cancel(mcp_call_id call) {
  if (const auto state = pending_->find(call)) state->cancel();
}

}  // namespace mcp::detail
