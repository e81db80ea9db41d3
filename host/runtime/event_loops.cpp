#include "runtime/event_loops.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include <boost/asio/post.hpp>

namespace mcph {
namespace {

constexpr std::int64_t slow_task_ns = 1'000'000;
// From here on a message is among the largest.
constexpr std::size_t least_of_largest = std::size_t{256} << 10;
// What a thread has found to do and does before it looks at the I/O again: a call, its answer, and what they lead to.
constexpr int max_before_io = 8;
// To be woken takes longer than a quick call. So a loop looks for what comes next for a moment before it sleeps, where
// it seems that one client waits for each answer and asks again at once:
// - Its last wait, with what ended it, took less than lively_ns.
// - At most so many handlers were due since then as one client has (max_of_one_client). If there were more, it does
//   not look again before a number of waits (waits_of_many).
// - The other loops have had nothing to do for lively_ns (is_alone). Else somebody needs the processor.
constexpr std::int64_t spin_ns = 50'000;
constexpr std::int64_t lively_ns = 150'000;
constexpr int max_of_one_client = 2;
constexpr int waits_of_many = 64;
// In place of a time.
constexpr std::int64_t not_idle = std::numeric_limits<std::int64_t>::max();

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Lack of memory ends the task that meets it, and not the host. A call of a plugin has a limit of time then; a client
// whose HTTP request such a task had may wait until it gives up.
void run_with_what_memory_there_is(const std::function<void()>& task) {
  try {
    task();
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

thread_local EventLoops::Thread* EventLoops::current_thread_ = nullptr;

EventLoops::EventLoops(unsigned loops, unsigned blocked_limit) : blocked_limit_(blocked_limit) {
  bool complete = true;
  {
    const MutexLock lock(mutex_);
    for (unsigned i = 0; i < loops; ++i)
      loops_.push_back(std::make_unique<Loop>());
    for (unsigned i = 0; i < loops && complete; ++i)
      complete = add_thread();
  }
  if (complete) return;
  end_threads();
  throw std::runtime_error("the system gives no threads to serve with");
}

EventLoops::~EventLoops() {
  end_threads();
  drop_waiting_tasks();
  // A handler of one loop may own what belongs to another, as one that accepts a connection for it does.
  for (const auto& loop : loops_)
    loop->shutdown();
}

// What they own may use the contexts, and hand in more, which is dropped too.
void EventLoops::drop_waiting_tasks() {
  for (const auto& loop : loops_)
    loop->close();
  std::deque<std::function<void()>> dropped;
  std::array<std::deque<std::function<void()>>, kinds> dropped_of_kinds;
  const MutexLock lock(mutex_);
  dropped.swap(waiting_);
  for (std::size_t i = 0; i < long_tasks_.size(); ++i)
    dropped_of_kinds[i].swap(long_tasks_[i].waiting);
}

void EventLoops::end_threads() {
  stop();
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    threads.swap(threads_);  // none is added any more
  }
  for (auto& thread : threads)
    thread.join();
}

void EventLoops::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  for (const auto& loop : loops_)
    loop->stop();
  loops_changed_.notify_all();
}

bool EventLoops::join(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  {
    MutexLock lock(mutex_);
    while (alive_ > 0 && thread_ended_.wait_until(lock, end)) {
    }
    if (alive_ > 0) return false;
  }
  drop_waiting_tasks();
  return true;
}

boost::asio::io_context& EventLoops::next_context() {
  return *loops_[turn_.fetch_add(1, std::memory_order_relaxed) % loops_.size()];
}

boost::asio::io_context& EventLoops::context_here() {
  auto* const loop = current_thread_ == nullptr ? nullptr : current_thread_->loop;
  return loop == nullptr ? next_context() : *loop;
}

void EventLoops::wake(boost::asio::io_context& context, std::shared_ptr<LoopTurn> turn) {
  hand_in(context, {.turn = std::move(turn)});
}

void EventLoops::hand_in(boost::asio::io_context& context, Next next) {
  if (static_cast<Loop&>(context).push(current_thread_, std::move(next))) return;
  try {
    boost::asio::post(context, [] {});  // its thread may sleep
  } catch (const std::bad_alloc&) {
    // It has been handed in, and is done when that thread has something else to do.
  }
}

std::size_t EventLoops::run_on_each(const std::function<void()>& task) {
  for (const auto& loop : loops_)
    boost::asio::post(*loop, task);
  return loops_.size();
}

bool EventLoops::Loop::push(const Thread* thread, Next next) {
  const MutexLock lock(mutex_);
  if (is_closed_) return true;
  next_.push_back(std::move(next));
  return thread != nullptr && thread == thread_;
}

bool EventLoops::Loop::pop(Next& next) {
  const MutexLock lock(mutex_);
  if (popped_ == next_.size()) return false;
  next = std::move(next_[popped_]);
  // Where there is always more to do, what has been done must go, too.
  constexpr std::size_t few = 64;
  if (++popped_ < next_.size() && (popped_ < few || popped_ < next_.size() / 2)) return true;
  next_.erase(next_.begin(), next_.begin() + static_cast<std::ptrdiff_t>(popped_));
  popped_ = 0;
  return true;
}

void EventLoops::Loop::belongs_to(const Thread* thread) {
  const MutexLock lock(mutex_);
  thread_ = thread;
}

void EventLoops::Loop::close() {
  std::vector<Next> dropped;
  const MutexLock lock(mutex_);
  is_closed_ = true;
  dropped.swap(next_);
  popped_ = 0;
}

bool EventLoops::add_thread() {
  try {
    std::list<Thread> thread(1);
    threads_.emplace_back([this, &state = thread.front()] { serve(state); });
    states_.splice(states_.end(), thread);
  } catch (const std::exception&) {
    return false;
  }
  ++alive_;
  ++starting_;
  return true;
}

EventLoops::Loop* EventLoops::loop_without_thread() {
  const auto found = std::find_if(loops_.begin(), loops_.end(), [](const auto& loop) { return !loop->has_thread; });
  return found == loops_.end() ? nullptr : found->get();
}

std::size_t EventLoops::loops_without_thread() const {
  return static_cast<std::size_t>(
      std::count_if(loops_.begin(), loops_.end(), [](const auto& loop) { return !loop->has_thread; }));
}

std::size_t EventLoops::to_begin(const LongTasks& tasks) const {
  return std::min(tasks.waiting.size(), loops_.size() - tasks.running);
}

std::size_t EventLoops::long_tasks_to_begin() const {
  std::size_t all = 0;
  for (const auto& tasks : long_tasks_)
    all += to_begin(tasks);
  return all;
}

EventLoops::LongTasks& EventLoops::first_to_begin() {
  std::size_t kind = 0;
  while (to_begin(long_tasks_[kind]) == 0)
    ++kind;
  return long_tasks_[kind];
}

void EventLoops::serve(Thread& thread) {
  current_thread_ = &thread;
  MutexLock lock(mutex_);
  --starting_;
  // Somebody waits for the answer of what waits for a disk, such as a plugin that is about to stop.
  while (!stopping_ || to_begin(long_tasks_[waiting]) > 0) {
    if (auto* const loop = loop_without_thread()) {
      loop->has_thread = true;
      thread.loop = loop;
      thread.state.store(Thread::polling);
      loop->belongs_to(&thread);
      lock.unlock();
      do {
        run_loop(thread);
      } while (!loop->stopped() && !is_replaced(thread));
      lock.lock();
    } else if (long_tasks_to_begin() > 0) {
      auto& tasks = stopping_ ? long_tasks_[waiting] : first_to_begin();
      auto task = take_next(tasks);
      lock.unlock();
      run_with_what_memory_there_is(task);
      task = nullptr;  // without the lock, because it may own anything
      lock.lock();
      --tasks.running;
    } else {
      ++spare_;
      while (!stopping_ && loop_without_thread() == nullptr && long_tasks_to_begin() == 0)
        loops_changed_.wait(lock);
      --spare_;
    }
  }
  --alive_;
  thread_ended_.notify_all();
}

std::function<void()> EventLoops::take_next(LongTasks& tasks) {
  auto task = std::move(tasks.waiting.front());
  tasks.waiting.pop_front();
  ++tasks.running;
  return task;
}

bool EventLoops::provide_threads() {
  if (stopping_) return true;
  const auto wanted = loops_without_thread() + long_tasks_to_begin() + 1;
  // A spare thread that has been woken and has not got the mutex yet still counts, and so does what it will take.
  loops_changed_.notify_one();
  while (starting_ + spare_ < wanted) {
    if (alive_ >= max_threads()) return true;  // one has just come out of its task, or will soon
    if (!add_thread()) return false;
  }
  return true;
}

void EventLoops::provide_threads_for_tasks() {
  const bool there_are_all = provide_threads();
  auto busy = loops_.size() + long_tasks_to_begin();
  for (const auto& tasks : long_tasks_)
    busy += tasks.running;
  const auto left = alive_ > busy ? static_cast<unsigned>(alive_ - busy) : 0U;
  tasks_limit_.store(there_are_all ? blocked_limit_ : std::clamp(left, 1U, blocked_limit_));
}

// Until the thread has lost its loop, or a handler of it has met a lack of memory, as a task may.
void EventLoops::run_loop(Thread& thread) try {
  auto& loop = *thread.loop;
  bool is_lively = false;
  int done = 0;                   // handlers since it last had nothing to do, as far as it is counted
  int waits_without_looking = 0;  // that are left
  while (!loop.stopped()) {
    const bool may_wait = do_next(thread);
    if (is_replaced(thread)) return;
    const bool looks = may_wait && is_lively && waits_without_looking == 0 && is_alone(loop);
    if ((looks || !may_wait) && loop.poll_one() > 0) {
      if (is_replaced(thread)) return;
      done = std::min(done + 1, max_of_one_client + 1);
      continue;
    }
    if (!may_wait) continue;
    if (looks) {
      if (done > max_of_one_client) waits_without_looking = waits_of_many;
    } else if (waits_without_looking > 0) {
      --waits_without_looking;
    }
    const auto since = now_ns();
    loop.idle_since_ns.store(since, std::memory_order_relaxed);
    if (!looks || waits_without_looking > 0 || !spin(loop, since)) loop.run_one();
    if (is_replaced(thread)) return;
    loop.idle_since_ns.store(not_idle, std::memory_order_relaxed);
    done = 1;
    is_lively = now_ns() - since < lively_ns;
  }
} catch (const std::bad_alloc&) {
}

// Whether there are other loops, and none of them has just had something to do. One without others is a worker's, which
// has rules of its own, or that of a host on one processor, which the client needs.
bool EventLoops::is_alone(const Loop& loop) const {
  const auto now = now_ns();
  return loops_.size() > 1 && std::ranges::all_of(loops_, [&](const auto& each) {
           return each.get() == &loop || now - each->idle_since_ns.load(std::memory_order_relaxed) > lively_ns;
         });
}

// Whether something came, which is done then.
bool EventLoops::spin(Loop& loop, std::int64_t since) {
  while (loop.poll_one() == 0) {
    if (loop.stopped() || now_ns() - since >= spin_ns) return false;
    std::this_thread::yield();  // to whoever has something to do
  }
  return true;
}

bool EventLoops::do_next(Thread& thread) {
  for (int done = 0; done < max_before_io; ++done) {
    Next next;
    if (!thread.loop->pop(next)) return true;
    if (next.turn != nullptr) {
      next.turn->take_turn();
    } else {
      begin(std::move(next.task), next.is_urgent);
    }
    if (is_replaced(thread)) break;
  }
  return false;
}

void EventLoops::run(std::function<void()> task) {
  // On the loop of the thread that hands it in, which goes on with it unless it stays busy.
  hand_in(context_here(), {.task = std::move(task)});
}

void EventLoops::run_urgently(std::function<void()> task) {
  hand_in(context_here(), {.task = std::move(task), .is_urgent = true});
}

void EventLoops::run_quick(std::function<void()> work) {
  boost::asio::post(context_here(), std::move(work));
}

std::size_t EventLoops::max_threads() const {
  // With as many that have lost their loop to work of the host's own.
  auto most = 2 * loops_.size() + blocked_limit_ + long_tasks_to_begin();
  for (const auto& tasks : long_tasks_)
    most += tasks.running;
  return most;
}

void EventLoops::run_long(std::size_t bytes, std::function<void()> task) {
  run_apart(bytes < least_of_largest ? large : largest, std::move(task));
}

bool EventLoops::run_waiting(std::function<void()> task) {
  return run_apart(waiting, std::move(task));
}

bool EventLoops::run_apart(Apart kind, std::function<void()> task) {
  MutexLock lock(mutex_);
  if (stopping_) return false;
  const bool all_run_loops = alive_ == loops_.size();
  if (all_run_loops && !add_thread()) {
    lock.unlock();
    run(std::move(task));  // better than never
    return true;
  }
  long_tasks_[kind].waiting.push_back(std::move(task));
  if (!all_run_loops) provide_threads_for_tasks();
  return true;
}

bool EventLoops::run_here(const std::function<void()>& work) {
  auto& thread = *current_thread_;
  begin_watching(thread);
  try {
    work();
  } catch (...) {
    end_watching(thread);  // whoever gets it gives up what belongs to the context
    throw;
  }
  return end_watching(thread);
}

bool EventLoops::begin(std::function<void()> task, bool is_urgent) {
  if (!count_task()) {
    if (is_urgent && tasks_limit_.load() < blocked_limit_) {
      // There is no thread beside the loops that could run it, and what blocks them may wait for it.
      return run_here([&task] { run_with_what_memory_there_is(task); });
    }
    if (is_urgent) {
      run_apart(urgent, std::move(task));
    } else if (!wait_for_turn(task)) {
      return run_here([&task] { run_with_what_memory_there_is(task); });  // one too many is better than never
    }
    // The last running task may have looked for a waiting one just before this one came, or while this one was counted.
    if (tasks_waiting_.load() > 0 && tasks_running_.load() < tasks_limit_.load())
      boost::asio::post(next_context(), [this] { begin_waiting_task(); });
    return true;
  }
  begin_watching(*current_thread_);
  run_with_what_memory_there_is(task);
  const bool has_loop = end_watching(*current_thread_);
  tasks_running_.fetch_sub(1);
  if (tasks_waiting_.load() > 0) boost::asio::post(next_context(), [this] { begin_waiting_task(); });
  return has_loop;
}

bool EventLoops::wait_for_turn(std::function<void()>& task) {
  const MutexLock lock(mutex_);
  try {
    waiting_.push_back(std::move(task));
  } catch (const std::bad_alloc&) {
    return false;
  }
  tasks_waiting_.fetch_add(1);
  return true;
}

// Counted before it runs, so that there is always a thread left to take over from everyone who may turn out slow.
bool EventLoops::count_task() {
  if (tasks_running_.fetch_add(1) < tasks_limit_.load()) return true;
  if (tasks_limit_.load() < blocked_limit_) {
    const MutexLock lock(mutex_);
    provide_threads_for_tasks();
    if (tasks_running_.load() <= tasks_limit_.load()) return true;
  }
  tasks_running_.fetch_sub(1);
  return false;
}

void EventLoops::begin_watching(Thread& thread) {
  thread.task_began_ns.store(now_ns(), std::memory_order_relaxed);
  thread.state.store(Thread::in_task, std::memory_order_release);
  watchdog_.task_began();
}

bool EventLoops::end_watching(Thread& thread) {
  auto expected = static_cast<std::uint32_t>(Thread::in_task);
  return thread.state.compare_exchange_strong(expected, Thread::polling);
}

void EventLoops::begin_waiting_task() {
  std::function<void()> task;
  {
    const MutexLock lock(mutex_);
    if (waiting_.empty() || tasks_running_.load() >= tasks_limit_.load()) return;
    task = std::move(waiting_.front());
    waiting_.pop_front();
    tasks_waiting_.fetch_sub(1);
  }
  begin(std::move(task));
}

bool EventLoops::replace_slow_threads() {
  bool busy = false;
  const MutexLock lock(mutex_);
  const auto now = now_ns();
  for (auto& thread : states_) {
    if (thread.state.load(std::memory_order_acquire) != Thread::in_task) continue;
    busy = true;
    if (stopping_ || now - thread.task_began_ns.load(std::memory_order_relaxed) < slow_task_ns) continue;
    auto expected = static_cast<std::uint32_t>(Thread::in_task);
    if (!thread.state.compare_exchange_strong(expected, Thread::replaced)) continue;
    thread.loop->belongs_to(nullptr);
    thread.loop->has_thread = false;
    provide_threads_for_tasks();
  }
  return busy;
}

}  // namespace mcph
