#include "transport/sse/sse_message.hpp"

#include <utility>

#include "base/mutex.hpp"

namespace mcph {
namespace {

// Is refused while its POST can still say so.
class SseExchange final : public StreamExchange {
 public:
  using StreamExchange::StreamExchange;

  // How the POST is answered. From now on everything goes to the stream.
  Reply accept() {
    const MutexLock lock(mutex_);
    accepted_ = true;
    return std::exchange(refusal_, {});
  }

 private:
  void finish(Reply reply) override {
    {
      const MutexLock lock(mutex_);
      if (!accepted_ && is_refusal(reply.status)) refusal_ = std::exchange(reply, {});
    }
    StreamExchange::finish(std::move(reply));
  }

  Mutex mutex_;
  bool accepted_ GUARDED_BY(mutex_) = false;
  Reply refusal_ GUARDED_BY(mutex_) = {{}, ReplyStatus::accepted};
};

}  // namespace

Reply post_sse_message(StreamClient& client, std::string_view body, const RequestContext& context, Server& server,
                       std::vector<std::shared_ptr<const void>> places, std::string source) {
  const auto exchange = std::make_shared<SseExchange>(client.shared_stream());
  exchange->hold_places(std::move(places));
  exchange->comes_from({std::move(source), body.size()});
  client.receive(body, context, server, exchange);
  return exchange->accept();
}

}  // namespace mcph
