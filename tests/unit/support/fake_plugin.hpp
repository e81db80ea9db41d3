// A plugin without a library, as the contract wants one (plugin_contract_test.cpp): it keeps the calls it is given, for
// the test to answer, and remembers what became of it. Calls may come on any thread; everything else is for the test's,
// while none comes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/call_table.hpp"
#include "plugin/limit_reports.hpp"
#include "plugin/plugin.hpp"
#include "plugin/subscribed_resources.hpp"
#include "support/manual_executor.hpp"
#include "support/recording_log.hpp"

namespace mcph::test {

class FakePlugin final : public Plugin, private CallTable::Owner {
 public:
  explicit FakePlugin(std::filesystem::path file = "/components/tools/fake.so", PluginLimits limits = {},
                      PluginEvents events = {}, Log* log = nullptr)
      : identity_{file, file.stem().string(), "1.0.0", {}},
        limits_(limits),
        events_(std::move(events)),
        limit_reports_(log == nullptr ? log_ : *log, identity_) {}

  // Before anybody knows it.
  void become_upstream() { identity_.is_upstream = true; }
  const PluginIdentity& identity() const override { return identity_; }
  Result<std::string> describe() override { return description; }
  Result<> start() override { return {}; }
  void invoke(std::shared_ptr<Call> call) override {
    const auto id = table_.admit(call);
    if (!id || !call->claim()) return;
    {
      const std::lock_guard lock(mutex_);
      calls.push_back(call);
      ids_.push_back(*id);
    }
    if (on_invoke) on_invoke(*call);
  }
  void cancel_all(CancelReason reason) override { table_.cancel_all(reason); }
  // Does what the test says, if it says something.
  std::size_t fail_all(std::string_view why) override { return on_fail_all ? on_fail_all() : table_.fail_all(why); }
  std::size_t calls_in_flight() const override { return on_fail_all ? calls.size() : table_.size(); }
  void subscriptions_changed(const SubscriptionChanges& changes) override {
    for (const auto& uri : changes.added)
      subscriptions.push_back("+" + uri);
    for (const auto& uri : changes.removed)
      subscriptions.push_back("-" + uri);
  }
  ErrorTexts error_texts() const override { return errors; }
  PluginStatus status() const override { return {.state = PluginState::serving, .calls = table_.summary()}; }
  void call_failed(std::string why) override {
    failures.push_back(why);
    table_.failed(std::move(why));
  }
  void answered_wrongly(std::string why) override {
    failures.push_back(why);
    table_.answered_wrongly(std::move(why));
  }
  void went_wrong(std::string what) override { table_.went_wrong(std::move(what)); }
  bool stop(std::chrono::milliseconds) override { return true; }

  // As the plugin does; `index` counts the calls that it was given.
  bool answer(std::size_t index, std::int32_t outcome, std::string_view json) {
    return table_.complete({ids_.at(index), outcome, json});
  }
  // It and its calls hold each other until they have ended.
  void let_go_of_calls() {
    table_.fail_all("the test is over");
    calls.clear();
  }
  // For the protocol, which the table does not concern.
  Call& last_call() const { return *calls.back(); }

  std::vector<std::shared_ptr<Call>> calls;
  std::vector<std::string> subscriptions;  // as they came: "+URI" and "-URI"
  ErrorTexts errors = ErrorTexts::shown;
  std::vector<std::string> failures;
  std::function<void(Call&)> on_invoke;
  std::function<std::size_t()> on_fail_all;
  std::string description = "{}";

 private:
  void cancel_given(std::uint64_t, const std::shared_ptr<Call>&, CancelReason) override {}
  void end_overdue(std::uint64_t, const Call&) override {}
  bool is_debugged() override { return false; }

  PluginIdentity identity_;
  const PluginLimits limits_;
  const PluginEvents events_;
  RecordingLog log_;
  LimitReports limit_reports_;
  ManualExecutor executor_;
  std::mutex mutex_;
  std::vector<std::uint64_t> ids_;
  CallTable table_{{identity_, limits_, events_, limit_reports_, executor_}, *this};
};

}  // namespace mcph::test
