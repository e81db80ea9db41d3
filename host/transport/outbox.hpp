// What is on its way to one HTTP response or stream: messages in order and, at the end, a reply. Filled from any
// thread; emptied by the connection, its reader, which is woken when there is something. Bounded: a reader that is too
// slow loses its connection, never a message in the middle that it cannot do without. How long one message is does not
// matter; what makes it has its own limit. What all outboxes hold has a bound, too: where there is no room, an answer
// becomes an error that says so, and nothing more is asked for until the reader takes that. Of other messages, which
// are short but for the result of a task, each outbox takes a short one more than there is room for, so that nobody who
// reads loses a stream because of others. Once there is nobody who would read them, they are dropped.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "protocol/exchange.hpp"
#include "runtime/memory_budget.hpp"

namespace mcph {

class OutboxReader {
 public:
  // [any] There is something to take. Only while the reader waits for it, and perhaps once too often.
  virtual void outbox_filled() = 0;
  // [any] The outbox has ended because it was full. Once, whatever the reader does; a reader that has changed outboxes
  // meanwhile asks the one that it reads.
  virtual void outbox_overflowed() = 0;
  // [any] Another reader waits for this one to leave what it reads. Perhaps once too often.
  virtual void asked_to_leave() {}

 protected:
  ~OutboxReader() = default;
};

class Outbox {
 public:
  // Of messages that wait, not counting answers: with more, the reader is too slow; and with more, what it can do
  // without is dropped.
  static constexpr std::size_t max_messages = 16'384;
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;
  static constexpr std::size_t max_bytes_for_optional = std::size_t{4} << 20;
  // Of the one message that is taken though there is no room.
  static constexpr std::size_t max_overdrawn_bytes = std::size_t{64} << 10;

  // Why the outbox has ended before its reply: too much waits in it, or something waits and others have the memory.
  enum class Overflow { none, too_much, no_memory };

  // Without a budget there is room for whatever fits the outbox.
  explicit Outbox(std::weak_ptr<OutboxReader> reader, std::shared_ptr<MemoryBudget> budget = nullptr)
      : reader_(std::move(reader)), budget_(std::move(budget)) {}

  // False: the outbox has ended or overflowed, or its reader has gone, and the message was not taken.
  bool put(std::string message);
  // Takes an answer however much waits: whoever takes requests bounds how many there are, and asks has_room before.
  void put_answer(std::string message);
  // Drops the message where it would be one of too many, or too much.
  void put_if_room(std::string message);
  void end(Reply reply);

  // Whether so little waits, answers and what the reader has taken but not written included, that more may be asked
  // for.
  bool has_room(std::size_t unwritten_bytes = 0) const;
  // Whether somebody will take what is put.
  bool has_reader() const;

  // Another reader takes over. It takes first, and waits only where there is nothing.
  void read_by(std::weak_ptr<OutboxReader> reader);

  struct Content {
    std::vector<std::string> messages;
    std::unique_ptr<Reply> reply;  // null: not yet; elsewhere, because a stream has several of these for long
    Overflow overflow = Overflow::none;
    MemoryBudget::Share share = {};  // for as long as this is there; it may be more than there was

    bool empty() const { return messages.empty() && !reply && overflow == Overflow::none; }
    std::size_t bytes() const;
  };
  // Why there is no more to come, where the reader has yet to take that.
  Overflow overflow() const;
  // Everything there is. Where that is nothing, the next change wakes the reader.
  Content take();

 private:
  // Whether there was a reader, and is none any more.
  bool is_left() const REQUIRES(mutex_);
  void add(std::string message) REQUIRES(mutex_);  // that is no answer
  bool takes_share(std::string_view message) REQUIRES(mutex_);
  bool overdraws(std::string_view message) REQUIRES(mutex_);
  std::size_t bytes_with(std::string_view message) const REQUIRES(mutex_) {
    return bytes_ + answer_bytes_ + message.size();
  }
  // Who waits for what has come, to be woken without the lock; null: nobody does.
  std::shared_ptr<OutboxReader> stop_waiting() REQUIRES(mutex_);
  static void wake(const std::shared_ptr<OutboxReader>& reader);

  mutable Mutex mutex_;
  std::weak_ptr<OutboxReader> reader_ GUARDED_BY(mutex_);
  const std::shared_ptr<MemoryBudget> budget_;
  Content content_ GUARDED_BY(mutex_);
  std::size_t messages_ GUARDED_BY(mutex_) = 0;      // of those in content_ that are no answers
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;         // of these
  std::size_t answer_bytes_ GUARDED_BY(mutex_) = 0;  // of the others
  bool overdrawn_ GUARDED_BY(mutex_) = false;        // one of the messages was more than there was room for
  bool answers_overdrawn_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  bool waited_for_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
