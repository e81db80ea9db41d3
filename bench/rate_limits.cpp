// What a decision of the rate limiter costs, and what its keys take: decisions about keys that are in the cache and
// about any of a million, of one bucket and of three, on one thread and on several. Ends with a failure where a
// decision costs more than 100 ns, or a million keys take more than 64 MiB.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "limits/keyed_hash.hpp"
#include "limits/limits.hpp"
#include "limits/rate_buckets.hpp"

namespace {

using namespace mcph;

constexpr std::size_t million = 1'000'000;
constexpr int repetitions = 9;
constexpr double goal_ns = 100;
constexpr double goal_mib = 64;

std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::chrono::duration<double, std::nano> processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// The median of the repetitions, in ns of processor time for each of `count`.
double measure(std::size_t count, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = processor_time();
    work();
    times.push_back((processor_time() - begin).count() / static_cast<double>(count));
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

std::vector<std::uint64_t> make_keys() {
  const auto hash = KeyedHash::random();
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < million; ++i)
    keys.push_back(hash.of(std::to_string(i)));
  return keys;
}

// A refusal takes nothing, and so is no measure of what takes.
void take_all(std::span<const RateDraw> draws, const LimitClock& clock) {
  if (draw(draws, clock).is_admitted) return;
  std::cout << "a decision was refused\n";
  std::exit(2);
}

void tell(const std::string& what, double ns) {
  std::cout << what << ": " << ns << " ns\n";
}

}  // namespace

int main() {
  const auto keys = make_keys();
  const auto clock = Limits::steady_clock();
  const auto before = resident_bytes();
  // Of a rate by which no bucket is full again meanwhile, and with more than is taken from any.
  RateBuckets buckets(BucketSize::of({.count = 1000, .period = std::chrono::hours(24)}, 20 * million),
                      Limits::max_keys);
  const auto take = [&](std::uint64_t key) {
    const RateDraw one{&buckets, key, RateDraw::Kind::take};
    take_all({&one, 1}, clock);
  };
  for (const auto key : keys)
    take(key);
  const auto mib = static_cast<double>(resident_bytes() - before) / (1 << 20);
  std::cout << "a million keys: " << mib << " MiB of memory, " << static_cast<double>(buckets.memory()) / (1 << 20)
            << " MiB by its own count\n";

  const double hot = measure(million, [&] {
    for (std::size_t i = 0; i < million; ++i)
      take(keys[i % 1000]);
  });
  tell("one of a thousand keys", hot);
  const double cold = measure(million, [&] {
    for (const auto key : keys)
      take(key);
  });
  tell("one of a million keys", cold);

  RateBuckets second(buckets.size(), Limits::max_keys);
  RateBuckets third(buckets.size(), Limits::max_keys);
  tell("three buckets of a thousand keys", measure(million, [&] {
         for (std::size_t i = 0; i < million; ++i) {
           const auto key = keys[i % 1000];
           const RateDraw draws[] = {{&buckets, key, RateDraw::Kind::take},
                                     {&second, key, RateDraw::Kind::take},
                                     {&third, 0, RateDraw::Kind::take}};
           take_all(draws, clock);
         }
       }));
  constexpr std::size_t threads = 4;
  tell("one of a thousand keys, on 4 threads", measure(threads * million, [&] {
         std::vector<std::thread> running;
         for (std::size_t thread = 0; thread < threads; ++thread) {
           running.emplace_back([&, thread] {
             for (std::size_t i = 0; i < million; ++i)
               take(keys[(i * (2 * thread + 1)) % 1000]);
           });
         }
         for (auto& each : running)
           each.join();
       }));

  const bool good = hot <= goal_ns && mib <= goal_mib;
  std::cout << (good ? "both goals are met\n" : "a goal is missed: 100 ns for one of a thousand keys, and 64 MiB\n");
  return good ? 0 : 1;
}
