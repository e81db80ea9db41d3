#include "runtime/current.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(Current, IsTheSameForAllThreads) {
  Current<std::string> current(nullptr);
  EXPECT_EQ(current.get(), nullptr);
  const auto value = std::make_shared<const std::string>("new");
  current.set(value);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { EXPECT_EQ(current.get().get(), value.get()); });
  for (auto& thread : threads)
    thread.join();
}

TEST(Current, GoesWhenItHasBeenReplacedAndNobodyHasItAnyMore) {
  auto value = std::make_shared<const std::string>("old");
  const std::weak_ptr<const std::string> old = value;
  Current<std::string> current(value);
  value = nullptr;
  auto taken = current.get();
  current.set(std::make_shared<const std::string>("new"));
  EXPECT_EQ(*taken, "old");
  EXPECT_FALSE(old.expired());
  taken = nullptr;
  EXPECT_TRUE(old.expired());
}

}  // namespace
}  // namespace mcph
