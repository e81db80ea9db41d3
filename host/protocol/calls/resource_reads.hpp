// What a plugin asks the host itself before it can go on: what resources contain, whoever serves them, as far as the
// call's client may read them. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/caller.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/exchange.hpp"
#include "protocol/message.hpp"

namespace mcph {

// Takes those of the input requests that are for the host: resources/read.
OrderedJson take_resource_reads(OrderedJson& input_requests);
// The call that answers one of them, if it can be made.
Planned plan_asked_read(const OrderedJson& request, const Catalog& catalog);
// What the plugin is told: a result of resources/read, or {"error": {"code", "message"}}.
Json answer_to_read(Outcome outcome, std::string_view json);
Json answer_to_read(const Rejection& rejection);

// Reads one resource after the other. Held by what goes on: the read that runs.
class ResourceReads final : public std::enable_shared_from_this<ResourceReads> {
 public:
  // The answers by the names of the requests.
  using Done = std::function<void(const Json& answers)>;

  // `done` is called once, at once or later, and once more if it throws std::bad_alloc then. If the exchange is
  // abandoned, the read that runs is cancelled.
  static void begin(const OrderedJson& reads, const Catalog& catalog, std::shared_ptr<const Caller> caller,
                    std::shared_ptr<Exchange> exchange, Done done);

 private:
  class Read;

  ResourceReads(std::shared_ptr<const Caller> caller, std::shared_ptr<Exchange> exchange, Done done)
      : caller_(std::move(caller)), exchange_(std::move(exchange)), done_(std::move(done)) {}

  void read_next();
  // The answer to the next one.
  void note(Json answer);

  const std::shared_ptr<const Caller> caller_;
  const std::shared_ptr<Exchange> exchange_;
  const Done done_;
  std::vector<std::pair<std::string, Planned>> left_;  // by the names, the next one last
  Json answers_ = Json::object();
};

}  // namespace mcph
