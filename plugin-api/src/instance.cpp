#include "instance.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>

#include "describe.hpp"
#include "dispatch.hpp"
#include "host_interface.hpp"
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

void run_and_log(const mcp_host& host, const std::string& of, const std::function<void()>& function) noexcept {
  try {
    function();
  } catch (const std::exception& error) {
    host.log(&host, 0, MCP_LOG_ERROR, borrowed("a function of " + of + " threw: " + error.what()));
  } catch (...) {
    host.log(&host, 0, MCP_LOG_ERROR, borrowed("a function of " + of + " threw an unknown exception"));
  }
}

}  // namespace

Instance::Instance(const mcp_host& host, const std::function<void(Plugin&)>& setup)
    : host_(host), config_(configuration_of(host)) {
  try {
    setup(plugin_);
    registry_->publish();
  } catch (...) {
    registry_->clear();  // which the destructor does not, because it does not run
    throw;
  }
}

Instance::~Instance() {
  if (listens_to_ != nullptr) listens_to_->listen(&host_, nullptr);
  if (started_) {
    std::for_each(on_stop_.rbegin(), on_stop_.rend(),
                  [&](const auto& function) { run_and_log(host_, "on_stop", function); });
  }
  registry_->clear();
  // Calls whose owner outlives the instance, which it should not.
  pending_->abandon_all();
}

std::string Instance::describe() {
  for (const auto& function : on_describe_)
    function();
  if (!on_describe_.empty()) registry_->publish();
  const auto components = registry_->served()->published;
  auto text = detail::describe(*components);
  registry_->note_described(components, text);
  return text;
}

void Instance::start() {
  started_ = true;
  for (const auto& function : on_start_)
    function();
  listen_to_subscriptions();
}

void Instance::listen_to_subscriptions() {
  if (on_subscribed_.empty() && on_unsubscribed_.empty()) return;
  mcp_subscription_listener listener{};
  listener.size = sizeof listener;
  listener.context = this;
  listener.subscribed = [](void* self, mcp_string uri) {
    const auto& instance = *static_cast<const Instance*>(self);
    instance.run_each(instance.on_subscribed_, view(uri));
  };
  listener.unsubscribed = [](void* self, mcp_string uri) {
    const auto& instance = *static_cast<const Instance*>(self);
    instance.run_each(instance.on_unsubscribed_, view(uri));
  };
  const auto& subscriptions = required_interface<mcp_subscriptions>(host_, MCP_SUBSCRIPTIONS);
  subscriptions.listen(&host_, &listener);
  listens_to_ = &subscriptions;
}

void Instance::run_each(const std::vector<OnSubscription>& functions, std::string_view uri) const noexcept {
  for (const auto& function : functions)
    run_and_log(host_, "on_subscribed or on_unsubscribed", [&] { function(std::string(uri)); });
}

void Instance::invoke(mcp_call_id call, std::string_view method, std::string_view params) {
  const std::optional<Answer> answer = dispatch(host_, call, *registry_->served(), pending_, method, params);
  if (answer) host_.complete(&host_, call, answer->outcome, borrowed(answer->json));
}

void Instance::cancel(mcp_call_id call) {
  if (const auto state = pending_->find(call)) state->cancel();
}

}  // namespace mcp::detail
