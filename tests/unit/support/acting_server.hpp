// An upstream server of the legacy era in this process, at the other end of a transport: it does what
// tests/unit/fixtures/actor.cpp does, as far as a server elsewhere can, so that one suite of tests is for both.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/mutex.hpp"
#include "plugin/method.hpp"
#include "runtime/executor.hpp"
#include "sources/upstream/upstream_transport.hpp"

namespace mcph::test {

class ActingServer final : public UpstreamTransport, public std::enable_shared_from_this<ActingServer> {
 public:
  // The executor, on whose threads it speaks, outlives it.
  explicit ActingServer(Executor& executor) : executor_(executor) {}

  Result<> begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds /*patience*/) override {
    listener_ = std::move(listener);
    return {};
  }
  Result<> send(UpstreamMessage message) override {
    {
      const MutexLock lock(queue_mutex_);
      queue_.push_back(std::move(message));
      if (queue_.size() > 1) return {};
    }
    executor_.run([self = shared_from_this()] { self->hear_all(); });
    return {};
  }
  void abandon(std::string_view /*id*/) override {}
  void close() override {}

 private:
  // In the order in which they were sent.
  void hear_all() {
    for (;;) {
      const auto next = [this] {
        const MutexLock lock(queue_mutex_);
        return queue_.front();
      }();
      if (next.taken) next.taken(Result<>());
      hear(Json::parse(next.text));
      const MutexLock lock(queue_mutex_);
      queue_.pop_front();
      if (queue_.empty()) return;
    }
  }
  void hear(const Json& message) {
    const auto method = find_method(message.value("method", ""));
    const auto params = message.value("params", Json::object());
    const auto answer = [&](const Json& result) { say({{"id", message["id"]}, {"result", result}}); };
    if (method == Method::initialize) {
      answer({{"protocolVersion", "2025-11-25"},
              {"capabilities", {{"tools", Json::object()}, {"resources", {{"subscribe", true}}}}},
              {"serverInfo", {{"name", "actor"}, {"version", "1.0.0"}}}});
    } else if (method == Method::tools_list) {
      answer({{"tools", Json::array()}});
    } else if (method == Method::resources_list) {
      answer({{"resources", Json::array()}});
    } else if (method == Method::resources_subscribe || method == Method::resources_unsubscribe) {
      note(method == Method::resources_subscribe, params["uri"]);
      answer(Json::object());
    } else if (method == Method::tools_call) {
      act(message["id"], params);
    } else if (message.contains("id")) {
      say({{"id", message["id"]}, {"error", {{"code", -32601}, {"message", "no such method"}}}});
    }
  }

  void act(const Json& id, const Json& params) {
    const auto answer = [this](const Json& to, const Json& structured) {
      say({{"id", to}, {"result", {{"content", Json::array()}, {"structuredContent", structured}}}});
    };
    const auto& tool = params["name"];
    if (tool == "keeps_the_call") {
      {
        const MutexLock lock(mutex_);
        kept_.push_back(id);
      }
      say({{"method", name_of(Method::notifications_progress)},
           {"params", {{"progressToken", params["_meta"]["progressToken"]}, {"progress", 1}, {"message", "kept"}}}});
    } else if (tool == "completes_kept_calls") {
      for (const auto& each : take_kept())
        answer(each, {{"kept", true}});
      answer(id, Json::object());
    } else if (tool == "completes_twice") {
      answer(id, {{"completion", 1}});
      answer(id, {{"completion", 2}});
    } else if (tool == "tells_subscriptions") {
      const MutexLock lock(mutex_);
      answer(id, {{"all", subscribed_}, {"heard", heard_}});
    } else if (tool == "listens_to_subscriptions") {
      answer(id, Json::object());
    } else {
      answer(id, {{"arguments", params["arguments"]}, {"name", tool}});
    }
  }

  std::vector<Json> take_kept() {
    const MutexLock lock(mutex_);
    return std::exchange(kept_, {});
  }
  void note(bool is_subscribed, const std::string& uri) {
    const MutexLock lock(mutex_);
    is_subscribed ? static_cast<void>(subscribed_.insert(uri)) : static_cast<void>(subscribed_.erase(uri));
    heard_ += (is_subscribed ? "+" : "-") + uri + " ";
  }
  void say(Json message) {
    message["jsonrpc"] = "2.0";
    if (const auto listener = listener_.lock()) listener->message_came(message.dump(), std::nullopt);
  }

  Executor& executor_;
  std::weak_ptr<UpstreamListener> listener_;
  Mutex queue_mutex_;
  std::deque<UpstreamMessage> queue_ GUARDED_BY(queue_mutex_);  // what has been sent and not been heard
  Mutex mutex_;
  std::vector<Json> kept_ GUARDED_BY(mutex_);
  std::set<std::string> subscribed_ GUARDED_BY(mutex_);
  std::string heard_ GUARDED_BY(mutex_);
};

}  // namespace mcph::test
