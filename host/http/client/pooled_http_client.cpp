#include "http/client/pooled_http_client.hpp"

#include <utility>

namespace mcph {

PooledHttpClient::PooledHttpClient(EventLoops& loops, HttpClientOptions options, NameLookup::Resolve resolve)
    : loops_(loops), options_(std::move(options)), names_(std::move(resolve)) {}

PooledHttpClient::~PooledHttpClient() {
  std::map<Origin, std::shared_ptr<ConnectionPool>> pools;
  {
    const MutexLock lock(mutex_);
    pools.swap(pools_);
  }
  for (const auto& [origin, pool] : pools)
    pool->close();
}

std::shared_ptr<SentRequest> PooledHttpClient::send(OutgoingRequest request, std::shared_ptr<AnswerListener> listener) {
  const auto pool = pool_of(request.url);
  auto sent = std::make_shared<SentRequest>(std::move(request), std::move(listener));
  pool->send(sent);
  return sent;
}

std::shared_ptr<ConnectionPool> PooledHttpClient::pool_of(const HttpUrl& url) {
  constexpr std::size_t many = 16;
  const MutexLock lock(mutex_);
  // Whoever is asked may name others without end. One that nobody else holds has no connection and no request.
  if (pools_.size() >= many && !pools_.contains({url.tls, url.authority, url.port}))
    std::erase_if(pools_, [](const auto& each) { return each.second.use_count() == 1; });
  auto& pool = pools_[{url.tls, url.authority, url.port}];
  if (!pool) pool = std::make_shared<ConnectionPool>(loops_, url, options_, names_);
  return pool;
}

}  // namespace mcph
