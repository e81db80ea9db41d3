#include "protocol/server/batch.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "protocol/message.hpp"

namespace mcph {
namespace {

std::string no_room_for(std::string_view answer, std::size_t limit) {
  return error_response(
      id_of_response(answer),
      {error_code::internal_error, "The server has no room to keep this answer of " + std::to_string(answer.size()) +
                                       " bytes until the rest of the batch is answered: batches may "
                                       "gather " +
                                       std::to_string(limit) + " bytes; send the request by itself"});
}

class BatchPart final : public Exchange {
 public:
  BatchPart(std::shared_ptr<Batch> batch, Arrival arrival) : Exchange(std::move(arrival)), batch_(std::move(batch)) {}
  void release_memory() override { batch_->release_memory(); }

 private:
  void send(std::string message) override { batch_->notify(std::move(message)); }
  void send_if_room(std::string message) override { batch_->notify_if_room(std::move(message)); }
  void finish(Reply reply) override { batch_->add(std::move(reply.body)); }
  bool has_reader() const override { return batch_->has_reader(); }

  const std::shared_ptr<Batch> batch_;
};

}  // namespace

std::shared_ptr<Exchange> Batch::part() {
  return std::make_shared<BatchPart>(shared_from_this(), whole_->arrival());
}

void Batch::add(std::string body) {
  std::string all;
  {
    const MutexLock lock(mutex_);
    if (!share_.grow(gathered_, bodies_.size() + body.size())) {
      auto error = no_room_for(body, gathered_->limit());
      if (error.size() < body.size()) body = std::move(error);
    }
    bodies_.reserve(bodies_.size() + body.size() + 2);  // else a lack of memory could leave a part of it there
    if (!body.empty()) bodies_.append(bodies_.empty() ? "[" : ",").append(body);
    if (--missing_ > 0) return;
    all = std::move(bodies_);
  }
  // Nothing but notifications and responses: nothing to say (JSON-RPC 2.0 section 6).
  whole_->reply(all.empty() ? Reply{{}, ReplyStatus::accepted} : Reply{std::move(all) + "]"});
}

}  // namespace mcph
