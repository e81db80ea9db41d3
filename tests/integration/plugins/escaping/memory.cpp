#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "attempts.hpp"

namespace escaping {
namespace {

std::size_t bytes(const Aim& aim) {
  return std::stoull(aim.target);
}

int map(const Aim& aim, int flags) {
  void* const memory = ::mmap(nullptr, bytes(aim), PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  ::munmap(memory, bytes(aim));
  return 0;
}

// Reserved first and made writable then.
int reserve_and_protect(const Aim& aim) {
  void* const memory = ::mmap(nullptr, bytes(aim), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return errno;
  const int error = error_of(::mprotect(memory, bytes(aim), PROT_READ | PROT_WRITE));
  ::munmap(memory, bytes(aim));
  return error;
}

int grow_heap(const Aim& aim) {
  if (::sbrk(static_cast<intptr_t>(bytes(aim))) == reinterpret_cast<void*>(-1)) return errno;
  ::sbrk(-static_cast<intptr_t>(bytes(aim)));
  return 0;
}

int grow_memory_file(const Aim& aim) {
  const int file = ::memfd_create("big", MFD_CLOEXEC);
  if (file < 0) return errno;
  const int error = error_of(::ftruncate(file, static_cast<off_t>(bytes(aim))));
  ::close(file);
  return error;
}

int grow_file(const Aim& aim) {
  const int file = ::open(aim.other.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return 0;  // that much it may
  const int error = error_of(::ftruncate(file, static_cast<off_t>(bytes(aim))));
  ::close(file);
  ::unlink(aim.other.c_str());
  return error;
}

int raise_limit(const Aim& aim) {
  static const std::map<std::string, __rlimit_resource> limits{
      {"memory", RLIMIT_DATA}, {"open files", RLIMIT_NOFILE}, {"file size", RLIMIT_FSIZE}, {"core", RLIMIT_CORE}};
  rlimit limit{};
  ::getrlimit(limits.at(aim.target), &limit);
  ++limit.rlim_max;
  return error_of(::setrlimit(limits.at(aim.target), &limit));
}

int open_many(const Aim& aim) {
  std::vector<int> opened;
  int error = 0;
  while (error == 0 && opened.size() < bytes(aim)) {
    const int descriptor = ::dup(STDIN_FILENO);
    if (descriptor < 0) {
      error = errno;
    } else {
      opened.push_back(descriptor);
    }
  }
  for (const int descriptor : opened)
    ::close(descriptor);
  return error;
}

int start_threads(const Aim& aim) {
  std::vector<std::thread> threads;
  int error = 0;
  while (error == 0 && threads.size() < bytes(aim)) {
    try {
      threads.emplace_back([] { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
    } catch (const std::system_error& failure) {
      error = failure.code().value();
    }
  }
  for (auto& thread : threads)
    thread.join();
  return error;
}

int hold_in_memory(const Aim& aim) {
  void* const memory = ::mmap(nullptr, bytes(aim), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // The function of that name does nothing where a sanitizer has its own.
  const int error = error_of(::syscall(SYS_mlock, memory, bytes(aim)));
  ::munmap(memory, bytes(aim));
  return error;
}

}  // namespace

Attempts on_memory() {
  return {
      {"map memory", [](const Aim& aim) { return map(aim, MAP_PRIVATE); }},
      {"map shared memory", [](const Aim& aim) { return map(aim, MAP_SHARED); }},
      {"reserve memory and make it writable", reserve_and_protect},
      {"grow the heap", grow_heap},
      {"grow a memory file", grow_memory_file},
      {"grow a file", grow_file},
      {"raise a limit", raise_limit},
      {"open files", open_many},
      {"start threads", start_threads},
      {"hold memory", hold_in_memory},
  };
}

}  // namespace escaping
