// What the tests of upstreams over HTTP have in common: servers that say what a test wants, and what is told of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sources/upstream/http_upstream.hpp"
#include "support/eventually.hpp"
#include "support/scripted_server.hpp"

namespace mcph::test {

// All that is told, one line each, but for the failure of what has its answer.
class UpstreamLines final : public UpstreamListener {
 public:
  // A message of more bytes is kept until it is let go.
  void keep_longer_than(std::size_t bytes) { kept_ = bytes; }
  bool is_keeping() const { return is_keeping_; }
  void let_go() { let_go_.set_value(); }

  void message_came(std::string_view text, std::optional<std::string_view> stream_of) override {
    if (text.size() > kept_) {
      is_keeping_ = true;
      is_let_go_.wait();
    }
    const bool is_answer = stream_of && text.find("\"id\":" + std::string(*stream_of) + ",") != std::string::npos;
    note(std::string(text) + of(stream_of), is_answer ? *stream_of : "");
  }
  void message_refused(Error why, std::optional<std::string_view> stream_of) override {
    note("refused" + of(stream_of) + ": " + why.message, stream_of.value_or(""));
  }
  void request_failed(std::string_view id, UpstreamFailure why) override {
    {
      const std::lock_guard lock(mutex_);
      if (answered_.erase(std::string(id)) > 0) return;
    }
    {
      const std::lock_guard lock(mutex_);
      last_failure_ = why.error.message;
    }
    note("failed " + std::string(id) + (why.session_is_gone ? ", session gone" : "") +
         (why.may_have_run ? ", may have run" : "") + ": " + tail(why.error));
  }
  void may_have_missed() override { ++missed_; }
  void ended(Error why) override { note("ended: " + tail(why)); }

  // How often it may have missed something.
  int missed() const { return missed_; }

  // With the URL.
  std::string last_failure() {
    const std::lock_guard lock(mutex_);
    return last_failure_;
  }
  // The next line.
  std::string next() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [this] { return !lines_.empty(); })) return "nothing";
    auto line = lines_.front();
    lines_.erase(lines_.begin());
    return line;
  }

 private:
  static std::string of(std::optional<std::string_view> stream) { return stream ? " of " + std::string(*stream) : ""; }
  // Without the URL.
  static std::string tail(const Error& why) { return why.message.substr(why.message.find(": ") + 2); }
  void note(std::string line, std::string_view answered = "") {
    const std::lock_guard lock(mutex_);
    if (!answered.empty()) answered_.emplace(answered);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }

  std::atomic<std::size_t> kept_ = std::string::npos;
  std::atomic<bool> is_keeping_ = false;
  std::atomic<int> missed_ = 0;
  std::promise<void> let_go_;
  const std::shared_future<void> is_let_go_ = let_go_.get_future().share();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> answered_;
  std::vector<std::string> lines_;
  std::string last_failure_;
};

// A server of HTTP that answers each request with what a test says, and keeps what it was asked.
class Answering {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  explicit Answering(Answer script)
      : answer_(std::move(script)), server_([this](ScriptedServer::Connection& connection) {
          for (;;) {
            auto request = connection.hear_request();
            if (request.empty()) return;
            constexpr std::string_view field = "Content-Length: ";
            const auto at = request.find(field);
            if (at != std::string::npos)
              request += connection.hear_bytes(std::stoul(request.substr(at + field.size())));
            {
              const std::lock_guard lock(mutex_);
              requests_.push_back(request);
            }
            const auto answer = answer_(request);
            if (!connection.say(answer) || answer.find("Content-Length") == std::string::npos) return;
          }
        }) {}

  static std::string json(const std::string& body, const std::string& status = "200 OK",
                          const std::string& fields = "") {
    return typed("application/json", body, status, fields);
  }
  static std::string typed(const std::string& type, const std::string& body, const std::string& status = "200 OK",
                           const std::string& fields = "") {
    return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\n" + fields +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  // That ends with the connection.
  static std::string events(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + body;
  }

  std::string url(const std::string& path = "/mcp") const { return server_.url(path); }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  // Waits for so many.
  std::string request(std::size_t number) const {
    eventually([&] { return requests().size() > number; });
    const auto all = requests();
    return number < all.size() ? all[number] : "nothing";
  }

 private:
  const Answer answer_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  ScriptedServer server_;
};

// Of a request; empty: it has none.
inline std::string field(const std::string& request, const std::string& name) {
  const auto at = request.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const auto begin = at + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

// One upstream over HTTP, and all that it tells.
class HttpUpstreamFixture : public ::testing::Test {
 protected:
  ~HttpUpstreamFixture() override {
    if (upstream_) upstream_->close();
  }

  // `before`: the connection before this one.
  void connect(const std::string& url, HttpUpstreamSettings settings = {}, const UpstreamHttp* before = nullptr) {
    settings.url = *read_http_url(url);
    settings.url_text = url;
    http_ = std::make_shared<UpstreamHttp>(std::move(settings), loops_, before);
    upstream_ = make_http_upstream(http_);
    const auto begun = upstream_->begin(listener_, patience);
    begun_ = begun.has_error() ? begun.error().message : "";
  }
  void request(const std::string& id, Method method = Method::tools_call, bool is_modern = true) {
    send({.text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + std::string(name_of(method)) + "\"}",
          .id = id,
          .method = method,
          .name = method == Method::tools_call ? "say \u00e9" : "",
          .revision = method == Method::initialize ? ""
                      : is_modern                  ? "2026-07-28"
                                                   : "2025-11-25",
          .is_modern = is_modern});
  }
  void notify(Method method, bool is_modern = false) {
    send({.text = R"({"jsonrpc":"2.0","method":")" + std::string(name_of(method)) + "\"}",
          .kind = UpstreamMessageKind::notification,
          .method = method,
          .revision = is_modern ? "2026-07-28" : "2025-11-25",
          .is_modern = is_modern});
  }
  void send(UpstreamMessage message) {
    const auto sent = upstream_->send(std::move(message));
    EXPECT_FALSE(sent.has_error());
  }
  // What a modern request is told of an answer.
  std::string told(const std::string& answer) {
    const Answering server([&](const std::string&) { return answer; });
    connect(server.url());
    request("1");
    auto line = listener_->next();
    upstream_->close();
    return line;
  }

  EventLoops loops_{1, 4};
  std::shared_ptr<UpstreamLines> listener_ = std::make_shared<UpstreamLines>();
  std::shared_ptr<UpstreamHttp> http_;
  std::shared_ptr<UpstreamTransport> upstream_;
  std::string begun_;
};

// The answer to the request 1.
inline constexpr auto answer_1 = R"({"jsonrpc":"2.0","id":1,"result":{}})";

}  // namespace mcph::test
