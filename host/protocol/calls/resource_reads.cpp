#include "protocol/calls/resource_reads.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <string_view>

#include "base/json_text.hpp"
#include "plugin/method.hpp"
#include "protocol/calls/caller_text.hpp"
#include "protocol/calls/plugin_result.hpp"

namespace mcph {
namespace {

Json error_answer(int code, std::string_view message) {
  return {{"error", {{"code", code}, {"message", message}}}};
}

}  // namespace

Json answer_to_read(Outcome outcome, std::string_view json) {
  if (outcome == Outcome::input_required)
    return error_answer(error_code::internal_error, "it asks the client, which one that a plugin reads cannot");
  if (outcome == Outcome::error) {
    const auto error = read_plugin_error(json);
    return error.has_value() ? error_answer(error->code, error->message)
                             : error_answer(error_code::internal_error, error.error().message);
  }
  auto result = read_plugin_result(PluginMethod::resources_read, json);
  if (result.has_error()) return error_answer(error_code::internal_error, result.error().message);
  auto answer = result->root().json();
  encode_uris(PluginMethod::resources_read, answer);
  return answer;
}

Json answer_to_read(const Rejection& rejection) {
  return error_answer(error_code::resource_not_found, rejection.message);
}

Planned plan_asked_read(const OrderedJson& request, const Catalog& catalog) {
  return plan_call(PluginMethod::resources_read, catalog, Json{{"uri", request["params"]["uri"].get<std::string>()}});
}

OrderedJson take_resource_reads(OrderedJson& input_requests) {
  auto reads = OrderedJson::object();
  for (const auto& [name, request] : input_requests.items()) {
    if (method_of(request) == Method::resources_read) reads[name] = request;
  }
  for (const auto& [name, request] : reads.items())
    input_requests.erase(name);
  return reads;
}

class ResourceReads::Read final : public Call {
 public:
  Read(CallPlan plan, std::shared_ptr<ResourceReads> reads)
      : Call(plan.method, std::move(plan.params), std::move(plan.component)),
        plugin_(std::move(plan.plugin)),
        caller_(reads->caller_),
        reads_(std::move(reads)) {}

  void progress(double, double, std::string_view) override {}  // its client waits for something else
  bool wants_progress() const override { return false; }
  void log(std::int32_t, std::string_view) override {}  // the host's log has it
  void complete(Outcome outcome, std::string_view json) override {
    if (reads_ == nullptr) return;
    // A second time is after an error on the way of the first, which may be that the next one could not be read.
    if (!reads_->left_.empty()) reads_->note(answer_to_read(outcome, json));
    // The plugin may keep the call for longer.
    const auto reads = std::exchange(reads_, nullptr);
    try {
      reads->read_next();
    } catch (const std::bad_alloc&) {
      reads_ = reads;
      throw;
    }
  }
  std::string context() const override { return dump(context_json(*caller_, deadline())); }
  std::string caller() const override { return caller_text(*caller_); }
  std::vector<std::string> principal_key() const override { return caller_->principal.key(); }

 private:
  const std::shared_ptr<Plugin> plugin_;  // the lease
  const std::shared_ptr<const Caller> caller_;
  std::shared_ptr<ResourceReads> reads_;
};

void ResourceReads::begin(const OrderedJson& reads, const Catalog& catalog, std::shared_ptr<const Caller> caller,
                          std::shared_ptr<Exchange> exchange, Done done) {
  const std::shared_ptr<ResourceReads> all(new ResourceReads(std::move(caller), std::move(exchange), std::move(done)));
  // At once, so that no lease is held but on what is read.
  for (const auto& [name, request] : reads.items())
    all->left_.emplace_back(name, plan_asked_read(request, catalog));
  std::ranges::reverse(all->left_);
  all->read_next();
}

void ResourceReads::read_next() {
  while (!left_.empty() && left_.back().second.has_error())
    note(answer_to_read(left_.back().second.error()));
  if (left_.empty()) return done_(answers_);
  auto& planned = left_.back().second;
  const auto plugin = planned->plugin;
  const auto read = std::make_shared<Read>(*std::move(planned), shared_from_this());
  exchange_->on_abandon([weak = std::weak_ptr(read)] {
    if (const auto running = weak.lock()) running->cancel(CancelReason::client);
  });
  plugin->invoke(read);
}

void ResourceReads::note(Json answer) {
  answers_[left_.back().first] = std::move(answer);
  left_.pop_back();
}

}  // namespace mcph
