// Compiled by thread_safety.cmake: with WITH_LOCK it compiles, without it must not.
#include MUTEX_HEADER

class Counter {
 public:
  void count() {
#ifdef WITH_LOCK
    const MUTEX_NAMESPACE::MutexLock lock(mutex_);
#endif
    ++count_;
  }

 private:
  MUTEX_NAMESPACE::Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
};
