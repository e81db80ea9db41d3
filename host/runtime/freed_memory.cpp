#include "runtime/freed_memory.hpp"

#include <cstdlib>
#include <exception>
#include <latch>
#include <malloc.h>
#include <thread>
#include <vector>

namespace mcph {
namespace {

#ifdef __GLIBC__
// As many as there are event loops at most, and in use from the start; malloc would add arenas to eight for each
// processor.
constexpr int arenas = 4;

// What an arena keeps at its end: calls with messages of 1 MiB take a few of that size at once, and to have each page
// of them anew from the system takes a third of the time that they take.
constexpr int kept_at_end = 8 * 1024 * 1024;

// To free as much makes malloc look at the end of the arena (glibc, malloc.c, FASTBIN_CONSOLIDATION_THRESHOLD). Written
// to, because the compiler knows that what nobody uses need not be there.
void free_some(std::latch& all_have_some) {
  constexpr auto enough = std::size_t{128} << 10;
  auto* const some = static_cast<volatile char*>(std::malloc(enough));
  if (some != nullptr) *some = 0;
  all_have_some.arrive_and_wait();
  std::free(const_cast<char*>(some));  // NOLINT(cppcoreguidelines-pro-type-const-cast): so that it is volatile
}

// Where another malloc is used in its stead, the first trim makes the C library's ready, which two threads at once must
// not do. Before the program begins there is one thread, and next to nothing to look at.
[[maybe_unused]] const int ready = ::malloc_trim(0);
#endif

}  // namespace

void bound_freed_memory() {
#ifdef __GLIBC__
  // What is larger than messages usually are goes back to the system at once. Unless told so, malloc takes the largest
  // buffer that was ever freed for an ordinary one, and each arena keeps room for it.
  constexpr int large = 4 * 1024 * 1024;
  ::mallopt(M_MMAP_THRESHOLD, large);
  ::mallopt(M_TRIM_THRESHOLD, kept_at_end);
  ::mallopt(M_ARENA_MAX, arenas);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

// Of arenas that are not the main one, malloc_trim leaves the end. Threads that begin at once mostly get different ones
// (arena.c, arena_get2); the end of one that none of them got stays until the next time.
void return_all_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_TRIM_THRESHOLD, 0);
  std::latch all_have_some(arenas);
  std::vector<std::jthread> threads;
  for (int i = 0; i < arenas; ++i) {
    try {
      threads.emplace_back([&all_have_some] { free_some(all_have_some); });
    } catch (const std::exception&) {  // so many threads there are not
      all_have_some.count_down();
    }
  }
  threads.clear();
  ::mallopt(M_TRIM_THRESHOLD, kept_at_end);
#endif
  return_freed_memory();
}

}  // namespace mcph
