#include "protocol/requests_in_flight.hpp"

#include <gtest/gtest.h>

#include "support/recording_exchange.hpp"

namespace mcph {
namespace {

class RequestsInFlightTest : public ::testing::Test {
 protected:
  std::shared_ptr<Exchange> add(const std::string& id, const Principal& principal = anonymous) {
    auto exchange = std::make_shared<test::RecordingExchange>();
    requests_->add(id, principal, exchange);
    return exchange;
  }

  const std::shared_ptr<RequestsInFlight> requests_ = std::make_shared<RequestsInFlight>();
};

TEST_F(RequestsInFlightTest, AreFoundByTheirIdWithItsType) {
  const auto number = add("1");
  const auto text = add("\"1\"");
  EXPECT_EQ(requests_->find("1"), number);
  EXPECT_EQ(requests_->find("\"1\""), text);
  EXPECT_EQ(requests_->find("2"), nullptr);
}

TEST_F(RequestsInFlightTest, AreForgottenWhenTheyAreOver) {
  add("1").reset();
  EXPECT_EQ(requests_->find("1"), nullptr);
  const auto answered = add("2");
  const auto abandoned = add("3");
  EXPECT_TRUE(requests_->any());
  answered->reply({"{}"});
  abandoned->abandon();
  EXPECT_EQ(requests_->find("2"), nullptr);
  EXPECT_EQ(requests_->find("3"), nullptr);
  EXPECT_FALSE(requests_->any());
}

TEST_F(RequestsInFlightTest, AreNotKnownWhereTheyWereOverBefore) {
  const auto exchange = std::make_shared<test::RecordingExchange>();
  exchange->reply({"{}"});
  requests_->add("1", anonymous, exchange);
  EXPECT_EQ(requests_->find("1"), nullptr);
}

TEST_F(RequestsInFlightTest, OfOneIdAreTheLaterOne) {
  const auto first = add("1");
  const auto second = add("1");
  EXPECT_EQ(requests_->find("1"), second);
}

TEST_F(RequestsInFlightTest, EndWithTheCredentialThatEachHasComeWith) {
  const auto with = [](const char* credential) {
    return Principal(Identity{.issuer = "host", .subject = "ada", .credential = credential});
  };
  const auto old = add("1", with("revoked"));
  const auto current = add("2", with("good"));
  requests_->abandon_of([](const Principal& principal) { return principal.identity().credential == "good"; });
  EXPECT_FALSE(old->is_awaited());
  EXPECT_TRUE(current->is_awaited());
  EXPECT_EQ(requests_->find("1"), nullptr);
}

TEST_F(RequestsInFlightTest, AreKeptAmongManyThatAreOver) {
  std::vector<std::shared_ptr<Exchange>> open;
  for (int i = 0; i < 1000; ++i) {
    add("\"over " + std::to_string(i) + "\"");
    if (i % 10 == 0) open.push_back(add(std::to_string(i)));
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    EXPECT_EQ(requests_->find(std::to_string(10 * i)), open[i]);
}

}  // namespace
}  // namespace mcph
