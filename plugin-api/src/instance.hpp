// Instance: one running plugin behind the C table. create makes it, stop ends it; in between it owns the registry, the
// configuration, the pending asynchronous calls and the mcp::Plugin that the author sees.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin.h>
#include <mcp/plugin/instance.hpp>
#include <mcp/subscriptions.h>
#include <nlohmann/json.hpp>

#include "call_state.hpp"
#include "registry.hpp"

namespace mcp::detail {

class Instance {
 public:
  /// Runs setup and publishes what it registered. Throws what setup throws.
  Instance(const mcp_host& host, const std::function<void(Plugin&)>& setup);
  /// Runs the functions of on_stop if start was called, and then destroys the handlers, and with them what they own,
  /// while the host is still there to be told of calls that end this way.
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const mcp_host& host() const { return host_; }
  const Json& config() const { return config_; }
  const std::shared_ptr<Registry>& registry() const { return registry_; }

  void on_describe(std::function<void()> function) { on_describe_.push_back(std::move(function)); }
  void on_start(std::function<void()> function) { on_start_.push_back(std::move(function)); }
  void on_stop(std::function<void()> function) { on_stop_.push_back(std::move(function)); }

  using OnSubscription = std::function<void(const std::string& uri)>;
  void on_subscribed(OnSubscription function) { on_subscribed_.push_back(std::move(function)); }
  void on_unsubscribed(OnSubscription function) { on_unsubscribed_.push_back(std::move(function)); }

  /// Throws what the first function of on_describe that fails throws.
  std::string describe();
  /// Throws what the first function of on_start that fails throws.
  void start();

  void invoke(mcp_call_id call, std::string_view method, std::string_view params);
  void cancel(mcp_call_id call);

 private:
  void listen_to_subscriptions();
  void run_each(const std::vector<OnSubscription>& functions, std::string_view uri) const noexcept;

  const mcp_host& host_;
  const Json config_;
  const std::shared_ptr<PendingCalls> pending_ = std::make_shared<PendingCalls>();
  const std::shared_ptr<Registry> registry_ = std::make_shared<Registry>();
  std::vector<std::function<void()>> on_describe_;
  std::vector<std::function<void()>> on_start_;
  std::vector<std::function<void()>> on_stop_;
  std::vector<OnSubscription> on_subscribed_;
  std::vector<OnSubscription> on_unsubscribed_;
  bool started_ = false;
  const mcp_subscriptions* listens_to_ = nullptr;  // the host's, while it does
  Plugin plugin_{*this};
};

}  // namespace mcp::detail
