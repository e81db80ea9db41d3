#include "fake_host.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#include "../host_text.hpp"

namespace mcp::testing::detail {
namespace {

using mcp::detail::view;
using mcp::detail::write;

std::filesystem::path make_directory() {
  std::random_device random;
  for (;;) {
    auto path = std::filesystem::temp_directory_path() / ("mcp-plugin-test-" + std::to_string(random()));
    if (std::filesystem::create_directory(path)) return path;
  }
}

// Nothing may be thrown through the plugin, which may be in C.
Outcome unchecked(std::int32_t kind, std::string_view json) {
  auto value = Json::parse(json, nullptr, false);
  if (!value.is_discarded()) return {kind, std::move(value)};
  return {MCP_OUTCOME_ERROR, {{"code", internal_error}, {"message", "the answer is no JSON: " + std::string(json)}}};
}

void add_texts(Json& object, const char* name, const std::vector<std::string>& texts) {
  if (!texts.empty()) object[name] = texts;
}

}  // namespace

const mcp_caller FakeHost::caller_table = {sizeof(mcp_caller), 0,
                                           [](const mcp_host* host, mcp_call_id, const mcp_sink* sink) {
                                             const MutexLock lock(of(host).mutex_);
                                             write(sink, of(host).caller_);
                                           }};

const mcp_subscriptions FakeHost::subscriptions_table = {
    sizeof(mcp_subscriptions), 0,
    [](const mcp_host* host, const mcp_sink* sink) {
      const MutexLock lock(of(host).mutex_);
      write(sink, Json(of(host).subscribed_).dump());
    },
    [](const mcp_host* host, const mcp_subscription_listener* listener) { of(host).listen(listener); }};

const mcp_store FakeHost::store_table = {
    sizeof(mcp_store),
    0,
    [](const mcp_host* host, mcp_string key, const mcp_sink* value, std::uint64_t* revision, const mcp_sink* error) {
      return of(host).store_.get(view(key), value, revision, error);
    },
    [](const mcp_host* host, mcp_string key, mcp_string value, std::uint64_t if_revision, std::uint64_t* revision,
       const mcp_sink* error) { return of(host).store_.put(view(key), view(value), if_revision, revision, error); },
    [](const mcp_host* host, mcp_string key, std::uint64_t if_revision, const mcp_sink* error) {
      return of(host).store_.erase(view(key), if_revision, error);
    },
    [](const mcp_host* host, mcp_string prefix, const mcp_sink* keys, const mcp_sink* error) {
      return of(host).store_.list(view(prefix), keys, error);
    }};

void FakeHost::record(std::uint32_t metric, std::int32_t kind, bool adds, const mcp_label* labels, std::uint32_t count,
                      double value) {
  if (metrics_.record(metric, kind, adds, labels, count, value)) return;
  const MutexLock lock(mutex_);
  logs_.push_back({Level::Error, "what the plugin records in metric " + std::to_string(metric) + " is left out"});
}

const mcp_metrics FakeHost::metrics_table = {
    sizeof(mcp_metrics),
    0,
    [](const mcp_host* host, std::int32_t kind, mcp_string name, mcp_string help, const double* bounds,
       std::uint32_t bound_count,
       const mcp_sink* error) { return of(host).metrics_.declare(kind, name, help, bounds, bound_count, error); },
    [](const mcp_host* host, std::uint32_t metric, const mcp_label* labels, std::uint32_t count, double amount) {
      of(host).record(metric, MCP_METRIC_COUNTER, true, labels, count, amount);
    },
    [](const mcp_host* host, std::uint32_t metric, const mcp_label* labels, std::uint32_t count, double value) {
      of(host).record(metric, MCP_METRIC_GAUGE, false, labels, count, value);
    },
    [](const mcp_host* host, std::uint32_t metric, const mcp_label* labels, std::uint32_t count, double value) {
      of(host).record(metric, MCP_METRIC_HISTOGRAM, true, labels, count, value);
    }};

// What is wrong with them is found when they are described, by the host's own code.
const mcp_capabilities FakeHost::capabilities_table = {
    sizeof(mcp_capabilities), 0, [](const mcp_host*, mcp_string, const mcp_sink*) -> std::int32_t { return 0; }};

FakeHost::FakeHost(const Json& config)
    : config_(config.dump()),
      interfaces_{{MCP_CALLER, &caller_table},
                  {MCP_SUBSCRIPTIONS, &subscriptions_table},
                  {MCP_STORE, &store_table},
                  {MCP_METRICS, &metrics_table},
                  {MCP_CAPABILITIES, &capabilities_table}} {
  table_.size = sizeof(mcp_host);
  table_.context = this;
  table_.complete = [](const mcp_host* host, mcp_call_id call, std::int32_t kind, mcp_string json) {
    of(host).complete(call, kind, json);
  };
  table_.progress = [](const mcp_host* host, mcp_call_id, double value, double total, mcp_string message) {
    const MutexLock lock(of(host).mutex_);
    of(host).progress_.push_back({value, total, std::string(view(message))});
  };
  table_.log = [](const mcp_host* host, mcp_call_id, std::int32_t level, mcp_string message) {
    const MutexLock lock(of(host).mutex_);
    of(host).logs_.push_back({static_cast<Level>(level), std::string(view(message))});
  };
  table_.is_cancelled = [](const mcp_host* host, mcp_call_id call) -> std::int32_t {
    const MutexLock lock(of(host).mutex_);
    const auto found = of(host).calls_.find(call);
    const bool is_open = found != of(host).calls_.end() && !found->second.outcome;
    return is_open ? found->second.cancelled : MCP_CANCEL_CLIENT;
  };
  table_.call_context = [](const mcp_host* host, mcp_call_id, const mcp_sink* sink) {
    const MutexLock lock(of(host).mutex_);
    write(sink, of(host).request_context_);
  };
  table_.configuration = [](const mcp_host* host, const mcp_sink* sink) { write(sink, of(host).config_); };
  table_.data_directory = [](const mcp_host* host, const mcp_sink* sink) { write(sink, of(host).data_directory()); };
  table_.components_changed = [](const mcp_host* host) {
    const MutexLock lock(of(host).mutex_);
    ++of(host).components_changed_;
  };
  table_.resource_updated = [](const mcp_host* host, mcp_string uri) {
    const MutexLock lock(of(host).mutex_);
    of(host).updated_resources_.emplace_back(view(uri));
  };
  table_.get_interface = [](const mcp_host* host, const char* name) -> const void* {
    const MutexLock lock(of(host).mutex_);
    const auto found = of(host).interfaces_.find(name);
    return found == of(host).interfaces_.end() ? nullptr : found->second;
  };
}

FakeHost::~FakeHost() {
  std::error_code ignored;
  if (!data_directory_.empty()) std::filesystem::remove_all(data_directory_, ignored);
}

mcp_call_id FakeHost::begin_call(Judged judged) {
  const MutexLock lock(mutex_);
  calls_[++last_call_].judged = std::move(judged);
  return last_call_;
}

mcp_call_id FakeHost::answered_call(Outcome outcome) {
  const MutexLock lock(mutex_);
  calls_[++last_call_].outcome = std::move(outcome);
  return last_call_;
}

void FakeHost::cancel(mcp_call_id call, std::int32_t reason) {
  {
    const MutexLock lock(mutex_);
    calls_.at(call).cancelled = reason;
  }
  if (cancel_) cancel_(instance_, call, reason);
}

bool FakeHost::is_done(mcp_call_id call) const {
  const MutexLock lock(mutex_);
  return calls_.at(call).outcome.has_value();
}

Outcome FakeHost::wait(mcp_call_id call, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  MutexLock lock(mutex_);
  const FakeCall& entry = calls_.at(call);
  while (!entry.outcome && completed_.wait_until(lock, end)) {
  }
  if (!entry.outcome) {
    throw std::runtime_error("the call was not answered within " + std::to_string(limit.count()) + " ms");
  }
  return *entry.outcome;
}

Json FakeHost::asked_by(std::string_view tool) const {
  Json requests = Json::object();
  const MutexLock lock(mutex_);
  for (const auto& [id, call] : calls_) {
    const bool is_of_tool = call.judged.method == "tools/call" && call.judged.component == tool;
    if (is_of_tool && call.outcome && call.outcome->kind == MCP_OUTCOME_INPUT_REQUIRED)
      requests.update(call.outcome->json.at("inputRequests"));
  }
  return requests;
}

void FakeHost::complete(mcp_call_id call, std::int32_t kind, mcp_string json) {
  const MutexLock lock(mutex_);
  const auto found = calls_.find(call);
  if (found == calls_.end() || found->second.outcome) {
    logs_.push_back({Level::Error, "a call was completed that is unknown or was completed before"});
    return;
  }
  const Judged& judged = found->second.judged;
  if (judged.rules) {
    found->second.outcome = judged.rules->outcome(judged.method, judged.component, kind, view(json));
  } else {
    found->second.outcome = unchecked(kind, view(json));
  }
  completed_.notify_all();
}

std::string FakeHost::data_directory() {
  const MutexLock lock(mutex_);
  if (data_directory_.empty()) data_directory_ = make_directory();
  return data_directory_.string();
}

std::shared_ptr<const Rules> FakeHost::rules(const std::function<std::shared_ptr<const Rules>()>& make) {
  // One at a time, as a host describes.
  const MutexLock making(making_rules_);
  int changes = 0;
  {
    const MutexLock lock(mutex_);
    if (rules_ && changes_in_rules_ == components_changed_) return rules_;
    changes = components_changed_;
  }
  auto rules = make();
  const MutexLock lock(mutex_);
  rules_ = rules;
  changes_in_rules_ = changes;
  return rules;
}

void FakeHost::set_request_context(const Json& context) {
  const MutexLock lock(mutex_);
  request_context_ = context.dump();
}

void FakeHost::set_caller(const Caller& caller) {
  Json text = Json::object();
  if (!caller.is_anonymous()) {
    Json& principal = text["principal"] = {{"id", caller.id}};
    for (const auto& [name, value] :
         {std::pair("subject", &caller.subject), std::pair("name", &caller.name), std::pair("email", &caller.email)}) {
      if (!value->empty()) principal[name] = *value;
    }
    add_texts(principal, "groups", caller.groups);
    add_texts(principal, "roles", caller.roles);
    add_texts(principal, "scopes", caller.scopes);
  }
  const MutexLock lock(mutex_);
  caller_ = text.dump();
}

void FakeHost::listen(const mcp_subscription_listener* listener) {
  mcp_subscription_listener copy{};
  if (listener != nullptr) std::memcpy(&copy, listener, std::min<std::size_t>(listener->size, sizeof copy));
  std::set<std::string> subscribed;
  {
    const MutexLock lock(mutex_);
    listener_ = copy;
    subscribed = subscribed_;
  }
  if (copy.subscribed == nullptr) return;
  for (const std::string& uri : subscribed)
    copy.subscribed(copy.context, mcp::detail::borrowed(uri));
}

void FakeHost::set_subscribed(const std::string& uri, bool is_subscribed) {
  mcp_subscription_listener listener{};
  {
    const MutexLock lock(mutex_);
    const bool changed = is_subscribed ? subscribed_.insert(uri).second : subscribed_.erase(uri) > 0;
    if (changed) listener = listener_;
  }
  const auto function = is_subscribed ? listener.subscribed : listener.unsubscribed;
  if (function != nullptr) function(listener.context, mcp::detail::borrowed(uri));
}

void FakeHost::provide_interface(const std::string& name, const void* table) {
  const MutexLock lock(mutex_);
  interfaces_.insert_or_assign(name, table);
}

std::vector<LogEntry> FakeHost::logs() const {
  const MutexLock lock(mutex_);
  return logs_;
}

std::vector<Progress> FakeHost::progress() const {
  const MutexLock lock(mutex_);
  return progress_;
}

int FakeHost::components_changed() const {
  const MutexLock lock(mutex_);
  return components_changed_;
}

std::vector<std::string> FakeHost::updated_resources() const {
  const MutexLock lock(mutex_);
  return updated_resources_;
}

}  // namespace mcp::testing::detail
