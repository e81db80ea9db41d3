// What both eras need to serve: who the server says it is, how it pages. Values.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "protocol/message.hpp"
#include "protocol/state/request_state.hpp"
#include "protocol/state/task_options.hpp"

namespace mcph {

struct ServerIdentity {
  std::string name;
  std::string title;
  std::string version;

  // An MCP Implementation object, as JSON text.
  std::string json() const { return Json{{"name", name}, {"title", title}, {"version", version}}.dump(); }
};

struct ServingOptions {
  std::size_t page_size = 100;  // items of a list in one answer, at least 1
  // How long a client may keep a list without asking again (2026-07-28, server/utilities/caching).
  std::chrono::milliseconds list_freshness{5000};
  // How long a client, or its user, may take to answer what a plugin asks.
  std::chrono::seconds answer_time{600};
  TaskOptions tasks = {};
  // Of what clients carry from round to round of a call; the same on all replicas.
  StateKey state_key = random_state_key();
};

}  // namespace mcph
