#include "protocol/server/batch.hpp"

#include <utility>

namespace mcph {
namespace {

class BatchPart final : public Exchange {
 public:
  BatchPart(std::shared_ptr<Batch> batch, Arrival arrival) : Exchange(std::move(arrival)), batch_(std::move(batch)) {}

 private:
  void send(std::string message) override { batch_->notify(std::move(message)); }
  void send_if_room(std::string message) override { batch_->notify_if_room(std::move(message)); }
  void finish(Reply reply) override { batch_->add(reply.body); }

  const std::shared_ptr<Batch> batch_;
};

}  // namespace

std::shared_ptr<Exchange> Batch::part() {
  return std::make_shared<BatchPart>(shared_from_this(), whole_->arrival());
}

void Batch::add(std::string_view body) {
  std::string all;
  {
    const MutexLock lock(mutex_);
    if (!body.empty()) bodies_.append(bodies_.empty() ? "" : ",").append(body);
    if (--missing_ > 0) return;
    all = std::move(bodies_);
  }
  // Nothing but notifications and responses: nothing to say (JSON-RPC 2.0 section 6).
  whole_->reply(all.empty() ? Reply{{}, ReplyStatus::accepted} : Reply{"[" + all + "]"});
}

}  // namespace mcph
