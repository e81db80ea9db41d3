#include "protocol/requests_in_flight.hpp"

#include <gtest/gtest.h>

#include "../recording_exchange.hpp"

namespace mcph {
namespace {

class RequestsInFlightTest : public ::testing::Test {
 protected:
  std::shared_ptr<Exchange> add(const std::string& id) {
    auto exchange = std::make_shared<test::RecordingExchange>();
    requests_.add(id, exchange);
    return exchange;
  }

  RequestsInFlight requests_;
};

TEST_F(RequestsInFlightTest, AreFoundByTheirIdWithItsType) {
  const auto number = add("1");
  const auto text = add("\"1\"");
  EXPECT_EQ(requests_.find("1"), number);
  EXPECT_EQ(requests_.find("\"1\""), text);
  EXPECT_EQ(requests_.find("2"), nullptr);
}

TEST_F(RequestsInFlightTest, AreForgottenWhenTheyAreOver) {
  add("1").reset();
  EXPECT_EQ(requests_.find("1"), nullptr);
}

TEST_F(RequestsInFlightTest, OfOneIdAreTheLaterOne) {
  const auto first = add("1");
  const auto second = add("1");
  EXPECT_EQ(requests_.find("1"), second);
}

TEST_F(RequestsInFlightTest, AreKeptAmongManyThatAreOver) {
  std::vector<std::shared_ptr<Exchange>> open;
  for (int i = 0; i < 1000; ++i) {
    add("\"over " + std::to_string(i) + "\"");
    if (i % 10 == 0) open.push_back(add(std::to_string(i)));
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    EXPECT_EQ(requests_.find(std::to_string(10 * i)), open[i]);
}

}  // namespace
}  // namespace mcph
