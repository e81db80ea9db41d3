// What both eras need to serve: how lists are paged, how long what is kept is kept. A value.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "protocol/state/request_state.hpp"
#include "protocol/state/task_options.hpp"

namespace mcph {

class Payments;

struct ServingOptions {
  std::size_t page_size = 100;  // items of a list in one answer, at least 1
  // How long a client may keep a list without asking again (2026-07-28, server/utilities/caching).
  std::chrono::milliseconds list_freshness{5000};
  // How long a client, or its user, may take to answer what a plugin asks.
  std::chrono::seconds answer_time{600};
  TaskOptions tasks = {};
  // What else the server declares of the protocol's extensions, without "io.modelcontextprotocol/": those in which the
  // issuers of its tokens have the greater part.
  std::vector<std::string> extensions = {};
  // Of what clients carry from round to round of a call; the same on all replicas.
  StateKey state_key = random_state_key();
  // Who takes payments for tools that cost, and outlives whoever serves; null: nobody does.
  Payments* payments = nullptr;
};

}  // namespace mcph
