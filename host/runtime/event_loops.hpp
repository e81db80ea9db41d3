// The threads that serve clients: they run the I/O and, without a hand-over to other threads, the calls of plugins.
// There are a few event loops, each an I/O context that one thread polls. A thread that is still inside a task after a
// millisecond loses its loop to a spare thread, so that a slow plugin costs a thread and never the I/O; the usual quick
// call costs no thread switch at all. A watchdog sees that; it sleeps while no task begins. What is known to take long
// beforehand, such as a large message, never begins on a loop. Owned by Host or a command, joined by its destructor.
// There is a function for each way to have something done, by what it may cost whoever else is on the thread.
//
// Bounds: at most `blocked_limit` + 6 * `loops` threads. When `blocked_limit` tasks are running, further tasks
// wait in a queue; its length is bounded by the plugins' own limits, which is where a call is refused. Long tasks run
// as many at once as there are loops, because each of them needs a processor and much memory; the others wait, in the
// order in which they came. Those on messages of some KiB have a queue of their own, and do not wait for those on some
// MiB; so has what waits for a disk, and what is urgent where as many tasks run as may.
//
// Where a task may begin, a thread is there that can take over its loop: what the task waits for may come by that loop.
// So where the system gives no further thread, fewer tasks run at once, and the others wait as beyond the limit.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "base/mutex.hpp"
#include "runtime/executor.hpp"
#include "runtime/watchdog.hpp"

namespace mcph {

// What has something to do on its event loop when it is woken.
class LoopTurn {
 public:
  virtual void take_turn() = 0;

 protected:
  ~LoopTurn() = default;
};

class EventLoops final : public Executor {
 public:
  EventLoops(unsigned loops, unsigned blocked_limit);
  ~EventLoops() override;
  EventLoops(const EventLoops&) = delete;
  EventLoops& operator=(const EventLoops&) = delete;

  // [any] The contexts take turns, so that connections spread over the loops.
  boost::asio::io_context& next_context();
  // [any] The one that this thread runs, so that what begins here also goes on here; else the next in turn.
  boost::asio::io_context& context_here();

  // [any] Runs a copy of the task on each loop, when its turn comes there. Returns how many loops there are.
  std::size_t run_on_each(const std::function<void()>& task);

  // [any] Has it take its turn soon, on the loop of this context, which is one of these. Costs little where this thread
  // runs that loop, and may be asked for once too often.
  void wake(boost::asio::io_context& context, std::shared_ptr<LoopTurn> turn);

  // [any] Runs the task soon, on one of these threads.
  void run(std::function<void()> task) override;

  // On a loop: runs the task here and now, as if its turn had come; where too many run, it waits. False as in run_here.
  [[nodiscard]] bool run_at_once(std::function<void()> task) { return begin(std::move(task)); }

  // [any] On the loop of this thread, or the next in turn.
  void run_quick(std::function<void()> work) override;

  // [any] Runs the task soon, on one of these threads that runs no loop.
  void run_long(std::size_t bytes, std::function<void()> task) override;
  [[nodiscard]] bool run_waiting(std::function<void()> task) override;

  // [any] Runs the task soon, beside as many as may block.
  void run_urgently(std::function<void()> task) override;

  // On a loop.
  [[nodiscard]] bool run_here(const std::function<void()>& work) override;

  // [any] Ends the I/O. Tasks that run are left to end by themselves, and what waits for a disk is still done.
  void stop();

  // Waits until every thread has ended, at most this long. Then what has not begun is dropped with what it owns, and so
  // is what comes later. False: a task still runs; the process can only exit without unwinding, because that thread
  // uses this object.
  bool join(std::chrono::milliseconds patience);

 private:
  struct Loop;

  // What the watchdog needs to know of one thread.
  struct Thread {
    enum State : std::uint32_t { polling, in_task, replaced };
    std::atomic<std::uint32_t> state{polling};
    std::atomic<std::int64_t> task_began_ns{0};
    Loop* loop = nullptr;  // that it runs, or ran last; null if it has run none
  };

  // Either is there.
  struct Next {
    std::shared_ptr<LoopTurn> turn = {};
    std::function<void()> task = {};
    bool is_urgent = false;  // of a task
  };

  // An event loop: an I/O context, and what is to be done next, which comes before what the context has. What its own
  // thread has found costs less than a handler; for what others hand in the context wakes it. It belongs to the loop
  // and not to the thread, because the thread may be inside a plugin for long when it has found it; then the next
  // thread of the loop does it. More than one thread may use the context: one that was replaced is still inside a
  // handler of it.
  struct Loop : boost::asio::io_context {
    Loop() : io_context(2) {}
    // Destroys the handlers that have not run.
    using execution_context::shutdown;

    // Whether whoever runs the loop comes to it by itself, because it is this thread. Of a closed one it is dropped.
    bool push(const Thread* thread, Next next);
    // By the thread that runs it. False: there is nothing to do.
    bool pop(Next& next);
    void belongs_to(const Thread* thread);
    // Drops what is to be done, now and from now on.
    void close();

    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work = make_work_guard(*this);
    bool has_thread = false;                     // guarded by the mutex of the event loops
    std::atomic<std::int64_t> idle_since_ns{0};  // when it began to wait; the largest number: it does not

   private:
    Mutex mutex_;
    const Thread* thread_ GUARDED_BY(mutex_) = nullptr;  // that runs it
    std::vector<Next> next_ GUARDED_BY(mutex_);
    std::size_t popped_ GUARDED_BY(mutex_) = 0;  // of these
    bool is_closed_ GUARDED_BY(mutex_) = false;
  };

  // What runs on no loop, the first of it first: what is urgent and has found no place, work on messages of two sizes,
  // and what waits.
  enum Apart : std::size_t { urgent, large, largest, waiting, kinds };
  // Of one kind, as many as there are loops run at once.
  struct LongTasks {
    std::deque<std::function<void()>> waiting;
    std::size_t running = 0;
  };

  void end_threads();
  void drop_waiting_tasks();
  void hand_in(boost::asio::io_context& context, Next next);
  bool add_thread() REQUIRES(mutex_);
  // One for each loop and each long task that waits for one, and one more. False: the system gives no more.
  bool provide_threads() REQUIRES(mutex_);
  // The same, and as many tasks may run as there are threads for.
  void provide_threads_for_tasks() REQUIRES(mutex_);
  std::size_t max_threads() const REQUIRES(mutex_);
  Loop* loop_without_thread() REQUIRES(mutex_);
  std::size_t loops_without_thread() const REQUIRES(mutex_);
  std::size_t to_begin(const LongTasks& tasks) const REQUIRES(mutex_);
  std::size_t long_tasks_to_begin() const REQUIRES(mutex_);
  // Of those that there are, one at least.
  LongTasks& first_to_begin() REQUIRES(mutex_);
  bool run_apart(Apart kind, std::function<void()> task);  // false: they end, and it has been dropped
  static std::function<void()> take_next(LongTasks& tasks);

  void serve(Thread& thread);
  void run_loop(Thread& thread);
  bool is_alone(const Loop& loop) const;
  static bool spin(Loop& loop, std::int64_t since);
  // What has been found to do. Whether that was all.
  bool do_next(Thread& thread);
  static bool is_replaced(const Thread& thread) {
    return thread.state.load(std::memory_order_relaxed) == Thread::replaced;
  }
  bool begin(std::function<void()> task, bool is_urgent = false);  // false: this thread has lost its loop meanwhile
  bool count_task();                                               // false: as many run as may
  bool wait_for_turn(std::function<void()>& task);                 // false: there is no memory for it to wait in
  void begin_waiting_task();
  void begin_watching(Thread& thread);
  static bool end_watching(Thread& thread);
  bool replace_slow_threads();

  static thread_local Thread* current_thread_;

  const unsigned blocked_limit_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::atomic<std::size_t> turn_{0};

  Mutex mutex_;
  Condition loops_changed_;
  Condition thread_ended_;
  std::list<Thread> states_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
  std::size_t starting_ GUARDED_BY(mutex_) = 0;  // threads that have taken nothing yet
  std::size_t spare_ GUARDED_BY(mutex_) = 0;     // threads that wait for a loop or a long task
  unsigned alive_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::array<LongTasks, kinds> long_tasks_ GUARDED_BY(mutex_);

  std::atomic<unsigned> tasks_running_{0};
  std::atomic<unsigned> tasks_limit_{
      0};  // blocked_limit_, once there is a thread to take over; fewer where there is none
  std::atomic<std::size_t> tasks_waiting_{0};
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);

  Watchdog watchdog_{[this] { return replace_slow_threads(); }};
};

}  // namespace mcph
