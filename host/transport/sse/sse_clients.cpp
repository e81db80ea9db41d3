#include "transport/sse/sse_clients.hpp"

#include <utility>
#include <vector>

#include "base/base64.hpp"
#include "base/mutex.hpp"
#include "base/random_bytes.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_answers_due = 1024;

// A request whose answer goes to the stream, unless it is refused while its POST can still say so.
class SseExchange final : public Exchange {
 public:
  explicit SseExchange(std::shared_ptr<SseStream> stream) : stream_(std::move(stream)) { stream_->expect_answer(); }

  // How the POST is answered. From now on everything goes to the stream.
  Reply accept() {
    const MutexLock lock(mutex_);
    accepted_ = true;
    return std::exchange(refusal_, {});
  }

 private:
  void send(std::string message) override { stream_->send(std::move(message)); }
  void send_if_room(std::string message) override { stream_->outbox().put_if_room(std::move(message)); }
  void finish(Reply reply) override {
    {
      const MutexLock lock(mutex_);
      if (!accepted_ && is_refusal(reply.status)) refusal_ = std::exchange(reply, {});
    }
    stream_->answer(std::move(reply.body));
  }

  const std::shared_ptr<SseStream> stream_;
  Mutex mutex_;
  bool accepted_ GUARDED_BY(mutex_) = false;
  Reply refusal_ GUARDED_BY(mutex_) = {{}, ReplyStatus::accepted};
};

}  // namespace

void SseStream::answer(std::string body) {
  if (!body.empty()) outbox_.put_answer(std::move(body));
  if (answers_due_.fetch_sub(1) == 1 && closing_.load()) close();
}

void SseStream::close_when_answered() {
  closing_.store(true);
  if (answers_due_.load() == 0) close();
}

SseClient::SseClient(std::string id, Principal principal, std::weak_ptr<OutboxReader> reader,
                     std::shared_ptr<MemoryBudget> budget)
    : id_(std::move(id)),
      opener_(std::move(principal)),
      stream_(std::make_shared<SseStream>(std::move(reader), std::move(budget))) {
  client_.output = stream_;
  client_.reader = opener_;
  client_.may_be_modern = false;
}

Reply SseClient::receive(std::string_view body, const RequestContext& context, Server& server,
                         std::vector<std::shared_ptr<const void>> places, std::string source) {
  const auto exchange = std::make_shared<SseExchange>(stream_);
  exchange->keep(std::move(places));
  exchange->comes_from({std::move(source), body.size()});
  const MutexLock lock(mutex_);
  // What it may do is decided by the credential that came with it.
  client_.principal = context.principal;
  client_.limits = context.limits;
  client_.takes_requests = stream_->answers_due() <= max_answers_due && stream_->outbox().has_room();
  server.receive(body, client_, exchange);
  client_.limits = nullptr;
  return exchange->accept();
}

Reply SseClient::refuse(const LongMessage& message) {
  const MutexLock lock(mutex_);
  return Server::refuse_long(message, client_.session.get());
}

void SseClient::shut_down() {
  std::shared_ptr<Session> session;
  {
    const MutexLock lock(mutex_);
    session = client_.session;
  }
  // A call that waits for the client would keep the server waiting, too.
  if (session != nullptr) session->input_requests()->end("The server is stopping");
  stream_->close_when_answered();
}

void SseClient::end() {
  stream_->close();
  const MutexLock lock(mutex_);
  if (client_.session != nullptr) client_.session->close_streams();
}

void SseClient::end_what_is_of(const IsGood& is_good) {
  const bool goes_on = is_good(opener_);
  {
    const MutexLock lock(mutex_);
    if (client_.session != nullptr) {
      auto& requests = client_.session->requests();
      goes_on ? requests.abandon_of(is_good) : requests.abandon_all();
    }
  }
  if (!goes_on) end();
}

std::shared_ptr<SseClient> SseClients::open(const Principal& principal, const std::weak_ptr<OutboxReader>& reader,
                                            const std::shared_ptr<MemoryBudget>& budget) {
  auto client = std::make_shared<SseClient>(base64url_encode(random_bytes(32)), principal, reader, budget);
  const MutexLock lock(mutex_);
  if (shutting_down_) return nullptr;
  clients_.emplace(client->id(), client);
  return client;
}

std::shared_ptr<SseClient> SseClients::find(const std::string& id, const Principal& principal) const {
  const MutexLock lock(mutex_);
  const auto found = clients_.find(id);
  return found == clients_.end() || found->second->principal() != principal ? nullptr : found->second;
}

void SseClients::close(SseClient& client) {
  {
    const MutexLock lock(mutex_);
    clients_.erase(client.id());
  }
  client.end();
}

void SseClients::shut_down() {
  {
    const MutexLock lock(mutex_);
    shutting_down_ = true;
  }
  for (const auto& client : all())
    client->shut_down();
}

void SseClients::end_what_is_of(const IsGood& is_good) {
  for (const auto& client : all())
    client->end_what_is_of(is_good);
}

std::vector<std::shared_ptr<SseClient>> SseClients::all() const {
  std::vector<std::shared_ptr<SseClient>> clients;
  const MutexLock lock(mutex_);
  for (const auto& [id, client] : clients_)
    clients.push_back(client);
  return clients;
}

}  // namespace mcph
