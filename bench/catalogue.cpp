// What a catalog of 10,000 tools costs: to make one, to tell listeners of a change, to list a page, to search. Ends
// with a failure where a page of 100 costs more than twice what one of a catalog of 100 does, where a change costs more
// for a thousand listeners than twice what it does for one, where the first search takes more than a second, or where
// one of 100 others takes more than 5 ms.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <malloc.h>
#include <memory>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "catalog/published_catalog.hpp"
#include "runtime/executor.hpp"
#include "sources/finder/tool_finder.hpp"
#include "sources/finder/tool_search.hpp"

namespace {

using namespace mcph;
using Clock = std::chrono::steady_clock;
using Ms = std::chrono::duration<double, std::milli>;

constexpr std::size_t many = 10'000;
constexpr std::size_t page_size = 100;
constexpr double page_goal = 2;
constexpr double listeners_goal = 2;
constexpr double first_search_goal_ms = 1000;
constexpr double search_goal_ms = 5;

constexpr const char* verbs[] = {"create", "delete", "list",  "get",   "update",
                                 "search", "export", "merge", "close", "send"};
constexpr const char* nouns[] = {"issue", "branch", "invoice", "customer", "message", "report", "cluster", "secret"};

// Words are as common as those of a language: some in nearly every tool, most in few.
std::string words(std::mt19937& random, std::size_t count) {
  std::string text;
  std::uniform_real_distribution<double> share(0, 1);
  for (std::size_t i = 0; i < count; ++i)
    text += "word" + std::to_string(static_cast<int>(20'000 * std::pow(share(random), 4))) + " ";
  return text;
}

std::shared_ptr<const Components> components_of(std::size_t tools, unsigned seed) {
  std::mt19937 random(seed);
  std::string document = R"({"tools":[)";
  for (std::size_t i = 0; i < tools; ++i) {
    const auto name = std::string(verbs[i % 10]) + "_" + nouns[i / 10 % 8] + "_" + std::to_string(i + seed * many);
    document += (i == 0 ? "" : ",") + (R"({"name":")" + name + R"(","description":")" + words(random, 40)) +
                R"(","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":")" +
                words(random, 8) + R"("},"limit":{"type":"integer","description":")" + words(random, 8) + R"("}}}})";
  }
  return std::make_shared<const Components>(parse_components(document + "]}").value());
}

// The median, in ms.
double measure(int repetitions, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = Clock::now();
    work();
    times.push_back(Ms(Clock::now() - begin).count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

// Without what is free, which a host gives back.
double resident_mib() {
  ::malloc_trim(0);
  std::size_t pages = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> pages;
  return static_cast<double>(pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) / (1 << 20);
}

[[noreturn]] void fail(const char* why) {
  std::cout << "BROKEN: " << why << '\n';
  std::exit(1);
}

struct Listener final : ListListener {
  void lists_changed(ListKinds) override { ++heard; }
  std::size_t heard = 0;
};

// A change of one plugin of two, while so many listen. In ms.
double change_with(std::size_t listeners, const ServedPlugin& all, const ServedPlugin& one, const ServedPlugin& other) {
  PublishedCatalog catalog;
  std::vector<std::shared_ptr<Listener>> listening;
  for (std::size_t i = 0; i < listeners; ++i)
    catalog.listen(listening.emplace_back(std::make_shared<Listener>()));
  std::uint64_t generation = 0;
  const auto time = measure(15, [&] {
    ++generation;
    catalog.publish(std::make_shared<const Catalog>(generation, std::vector{all, generation % 2 == 0 ? one : other}));
  });
  for (const auto& each : listening) {
    if (each->heard != generation) fail("a listener has not heard of each change");
  }
  return time;
}

class CallersThread final : public Executor {
 public:
  void run(std::function<void()> task) override { task(); }
};

int finish(bool kept) {
  if (!kept) std::cout << "BROKEN: a goal is missed\n";
  return kept ? 0 : 1;
}

}  // namespace

int main() {
  std::cout << std::unitbuf;
  CallersThread executor;
  const auto finder = make_tool_finder(executor);
  const auto plugin = [&](std::size_t tools, unsigned seed) {
    return ServedPlugin{finder.plugin, components_of(tools, seed)};
  };
  const auto all = plugin(many, 1);
  const auto few = plugin(page_size, 1);

  const Catalog small(1, {few});
  const auto large = std::make_shared<const Catalog>(1, std::vector{all});
  const auto page_of_small = measure(1000, [&] { (void)small.tools().page(std::nullopt, page_size); });
  const auto page_of_large = measure(1000, [&] { (void)large->tools().page(std::nullopt, page_size); });
  const auto whole = measure(100, [&] { (void)large->tools().page(std::nullopt, many); });
  std::cout << "a page of 100 tools of 100, of 10,000: " << 1000 * page_of_small << " us, " << 1000 * page_of_large
            << " us; all 10,000: " << whole << " ms\n";

  const auto for_one = change_with(1, all, plugin(1, 2), plugin(1, 3));
  const auto for_many = change_with(1000, all, plugin(1, 2), plugin(1, 3));
  std::cout << "a change of one tool of 10,000, told to 1, to 1,000 listeners: " << for_one << " ms, " << for_many
            << " ms\n";

  ToolSearch search;
  const auto before = resident_mib();
  const auto first = measure(1, [&] { (void)search.search(large, "create an invoice", 5); });
  std::cout << "the first search: " << first << " ms, which takes " << resident_mib() - before << " MiB\n";
  const auto changed = std::make_shared<const Catalog>(2, std::vector{all, plugin(1, 2)});
  const auto next = measure(1, [&] { (void)search.search(changed, "create an invoice", 5); });
  std::cout << "the first one after a change of one tool: " << next << " ms\n";
  std::mt19937 random(7);
  std::vector<double> times;
  for (int i = 0; i < 500; ++i) {
    const auto question = words(random, 8) + verbs[i % 10];
    times.push_back(measure(1, [&] { (void)search.search(large, question, 5); }));
  }
  std::ranges::sort(times);
  const auto p99 = times[times.size() * 99 / 100];
  std::cout << "a search, median and p99: " << times[times.size() / 2] << " ms, " << p99 << " ms\n";
  return finish(page_of_large <= page_goal * page_of_small && for_many <= listeners_goal * for_one &&
                first <= first_search_goal_ms && p99 <= search_goal_ms);
}
