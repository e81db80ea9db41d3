// A plugin without a library: it keeps the calls it is given, for the test to complete, and remembers what became of
// it. Calls may come on any thread; everything else is for the test's, while none comes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugin/plugin.hpp"

namespace mcph::test {

class FakePlugin final : public Plugin {
 public:
  explicit FakePlugin(std::filesystem::path file = "/components/tools/fake.so") {
    identity_.name = file.stem().string();
    identity_.version = "1.0.0";
    identity_.file = std::move(file);
  }

  const PluginIdentity& identity() const override { return identity_; }
  Result<std::string> describe() override { return description; }
  Result<> start() override { return {}; }
  void invoke(std::shared_ptr<Call> call) override {
    {
      const std::lock_guard lock(mutex_);
      calls.push_back(call);
    }
    if (on_invoke) on_invoke(*call);
  }
  void cancel_all(CancelReason reason) override {
    for (const auto& call : calls)
      call->cancel(reason);
  }
  // Does what the test says, which is nothing unless it says more.
  std::size_t fail_all(std::string_view) override { return on_fail_all ? on_fail_all() : 0; }
  std::size_t calls_in_flight() const override { return calls.size(); }
  PluginStatus status() const override { return {}; }
  void call_failed(std::string why) override { failures.push_back(std::move(why)); }
  void answered_wrongly(std::string why) override { failures.push_back(std::move(why)); }
  bool stop(std::chrono::milliseconds) override { return true; }

  Call& last_call() const { return *calls.back(); }

  std::vector<std::shared_ptr<Call>> calls;
  std::vector<std::string> failures;
  std::function<void(Call&)> on_invoke;
  std::function<std::size_t()> on_fail_all;
  std::string description = "{}";

 private:
  PluginIdentity identity_;
  std::mutex mutex_;
};

}  // namespace mcph::test
