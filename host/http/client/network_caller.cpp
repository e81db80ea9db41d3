#include "http/client/network_caller.hpp"

#include <memory>
#include <utility>

namespace mcph {
namespace {

class WholeAnswer final : public AnswerListener {
 public:
  explicit WholeAnswer(std::function<void(Result<HttpAnswer>)> done) : done_(std::move(done)) {}

  void head_came(const AnswerHead& head) override { answer_.status = head.status; }
  bool body_came(std::string_view piece) override {
    answer_.body += piece;
    return true;
  }
  void ended(const Result<>& whole) override {
    done_(whole.has_error() ? Result<HttpAnswer>(whole.error()) : Result<HttpAnswer>(std::move(answer_)));
  }

 private:
  const std::function<void(Result<HttpAnswer>)> done_;
  HttpAnswer answer_;
};

}  // namespace

void NetworkCaller::send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) {
  constexpr std::chrono::milliseconds any{0};
  OutgoingRequest request{.url = std::move(call.url),
                          .method = call.body.empty() ? "GET" : "POST",
                          .body = std::move(call.body),
                          .max_body = call.max_answer,
                          .times = {.connect = any, .head = any, .silence = any, .whole = call.patience},
                          .closes = true};
  for (const auto& [name, value] : call.fields)
    request.add(name, value);
  client_.send(std::move(request), std::make_shared<WholeAnswer>(std::move(done)));
}

}  // namespace mcph
