// The worker's end of its connection to the host: messages out from any thread, and queries that wait for an answer.
// Owned by the worker, and by main until there is one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "plugin/isolated/worker_messages.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

// Both directions, as main has them before there is a worker.
struct HostConnection {
  int socket;
  FrameReader reader;
  FrameWriter writer;
};

class HostLink {
 public:
  // `long_text_sent` is told on the thread that has sent one; it may be empty.
  explicit HostLink(FrameWriter writer, std::function<void()> long_text_sent = {})
      : writer_(std::move(writer)), long_text_sent_(std::move(long_text_sent)) {}

  // [any] Waits while the host is behind. A host that is gone has ended this process by then. Only an answer, a
  // description or a value may be long; of anything else the end is cut off, because the host would take it for an
  // attack. In the place of an answer that the system does not let pass the host is told so.
  template <class Message>
  void send(const Message& message) {
    send_frame(to_host::frame_of(message));
  }

  // [any] Sends what `make_query` makes of the query's id, and waits for the answer.
  template <class MakeQuery>
  std::string ask(MakeQuery make_query) {
    const auto query = begin_query();
    send(make_query(query));
    return wait_for_answer(query).text;
  }
  // The same of the plugin's store.
  StoreAnswer ask_store(const StoreOperation& operation);
  // [any] What memory long texts that were sent have taken. False: the host has not read all of them yet.
  bool give_back_memory();

  void answer(const to_worker::Answer& answer) { take({.text = std::string(answer.text)}, answer.query); }
  void answer(const to_worker::StoreAnswer& answer) {
    take({answer.status, std::string(answer.text), answer.revision}, answer.query);
  }

 private:
  void send_frame(Frame frame);
  QueryId begin_query();
  StoreAnswer wait_for_answer(QueryId query);
  void take(StoreAnswer answer, QueryId query);

  Mutex sending_;
  FrameWriter writer_ GUARDED_BY(sending_);
  const std::function<void()> long_text_sent_;
  Mutex mutex_;
  Condition answered_;
  QueryId last_query_ GUARDED_BY(mutex_) = 0;
  // Of other queries than those of the store it is the text that counts. Nothing: it has not come.
  std::map<QueryId, std::optional<StoreAnswer>> answers_ GUARDED_BY(mutex_);
};

}  // namespace mcph
