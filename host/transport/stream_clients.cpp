#include "transport/stream_clients.hpp"

#include <utility>
#include <vector>

#include "base/base64.hpp"
#include "base/random_bytes.hpp"
#include "protocol/error_reply.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_answers_due = 1024;

}  // namespace

void ClientStream::answer(std::string body) {
  if (!body.empty()) outbox_.put_answer(std::move(body));
  if (answers_due_.fetch_sub(1) == 1 && closing_.load()) close();
}

void ClientStream::close_when_answered() {
  closing_.store(true);
  if (answers_due_.load() == 0) close();
}

StreamClient::StreamClient(std::string id, Eras eras, Principal principal, std::weak_ptr<OutboxReader> reader,
                           std::shared_ptr<MemoryBudget> budget)
    : id_(std::move(id)),
      opener_(std::move(principal)),
      stream_(std::make_shared<ClientStream>(std::move(reader), std::move(budget))) {
  client_.output = stream_;
  client_.reader = opener_;
  client_.may_be_modern = eras == Eras::both;
}

void StreamClient::receive(std::string_view text, const RequestContext& context, Server& server,
                           const std::shared_ptr<Exchange>& exchange) {
  const MutexLock lock(mutex_);
  // Whoever brings this has found the client before its stream ended.
  if (has_ended_)
    return exchange->reply(error_reply({}, {error_code::invalid_request, "The stream of this client has been closed"},
                                       ReplyStatus::not_found));
  client_.takes_requests = stream_->answers_due() <= max_answers_due && stream_->outbox().has_room();
  // What it may do is decided by the credential that came with it.
  server.receive(text, client_, context, exchange);
}

Reply StreamClient::refuse(const LongMessage& message) {
  const MutexLock lock(mutex_);
  return Server::refuse_long(message, client_.session.get());
}

void StreamClient::refuse_answer(const std::string& id, const std::string& why) {
  const MutexLock lock(mutex_);
  if (client_.session != nullptr) client_.session->input_requests()->refuse_answer(id, why);
}

void StreamClient::shut_down() {
  std::shared_ptr<Session> session;
  {
    const MutexLock lock(mutex_);
    session = client_.session;
  }
  // A call that waits for the client would keep the server waiting, too.
  if (session != nullptr) session->input_requests()->end("The server is stopping");
  stream_->close_when_answered();
}

void StreamClient::end() {
  stream_->close();
  const MutexLock lock(mutex_);
  has_ended_ = true;
  client_.modern_requests->abandon_all();
  if (client_.session == nullptr) return;
  client_.session->requests().abandon_all();
  client_.session->close_streams();
}

void StreamClient::end_what_is_of(const IsGood& is_good) {
  if (!is_good(opener_)) return end();
  const MutexLock lock(mutex_);
  client_.modern_requests->abandon_of(is_good);
  if (client_.session != nullptr) client_.session->requests().abandon_of(is_good);
}

std::shared_ptr<StreamClient> StreamClients::open(const Principal& principal, const std::weak_ptr<OutboxReader>& reader,
                                                  const std::shared_ptr<MemoryBudget>& budget) {
  auto client = std::make_shared<StreamClient>(base64url_encode(random_bytes(32)), eras_, principal, reader, budget);
  const MutexLock lock(mutex_);
  if (shutting_down_) return nullptr;
  clients_.emplace(client->id(), client);
  return client;
}

std::shared_ptr<StreamClient> StreamClients::find(const std::string& id, const Principal& principal) const {
  const MutexLock lock(mutex_);
  const auto found = clients_.find(id);
  return found == clients_.end() || found->second->principal() != principal ? nullptr : found->second;
}

void StreamClients::close(StreamClient& client) {
  {
    const MutexLock lock(mutex_);
    clients_.erase(client.id());
  }
  client.end();
}

void StreamClients::shut_down() {
  {
    const MutexLock lock(mutex_);
    shutting_down_ = true;
  }
  for (const auto& client : all())
    client->shut_down();
}

void StreamClients::end_what_is_of(const IsGood& is_good) {
  for (const auto& client : all())
    client->end_what_is_of(is_good);
}

std::vector<std::shared_ptr<StreamClient>> StreamClients::all() const {
  std::vector<std::shared_ptr<StreamClient>> clients;
  const MutexLock lock(mutex_);
  for (const auto& [id, client] : clients_)
    clients.push_back(client);
  return clients;
}

}  // namespace mcph
