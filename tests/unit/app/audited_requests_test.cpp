#include "app/audited_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/audit_folder.hpp"

namespace mcph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AuditedRequestsTest : public ::testing::Test {
 protected:
  // The text of the log when these requests have been recorded.
  template <class Record>
  std::string recorded(Record record) {
    auto audit = folder_.opened(folder_.options());
    AuditedRequests requests(*audit);
    record(requests);
    audit->close();
    return folder_.text();
  }
  static void end(AuditedRequests& requests, const std::string& id, RequestEnd end, Principal principal = anonymous) {
    RecordedRequest request;
    request.id = id;
    request.method = "tools/call";
    request.principal = std::move(principal);
    request.origin.source = "10.0.0.1";
    request.end = std::move(end);
    requests.record_end(request, [] { return [](const Result<>&) {}; });
  }

  test::AuditFolder folder_;
};

TEST_F(AuditedRequestsTest, SumsUpWhatIsRefusedToStrangersOnceTheyAreAskedWhoTheyAre) {
  bool asks = false;
  const auto text = recorded([&](AuditedRequests& requests) {
    requests.sum_up_where([&asks] { return asks; });
    end(requests, "1", {.outcome = "denied"});
    asks = true;
    end(requests, "2", {.outcome = "denied"});
    end(requests, "3", {.outcome = "error -32602"});
    end(requests, "4", {.outcome = "ok"});
    end(requests, "5", {.outcome = "error -32603", .plugin = "calculator"});
    end(requests, "6", {.outcome = "denied"}, Principal({.issuer = "host", .subject = "ada"}));
  });
  for (const std::string id : {"1", "4", "5", "6"})
    EXPECT_THAT(text, HasSubstr("\"request_id\":" + id + ","));
  for (const std::string id : {"2", "3"})
    EXPECT_THAT(text, Not(HasSubstr("\"request_id\":" + id + ",")));
  EXPECT_THAT(text, HasSubstr(R"("count":2,"outcomes":{"denied":1,"error -32602":1})"));
}

TEST_F(AuditedRequestsTest, HasALineForEachRefusalWhereNobodyIsAskedWhoTheyAre) {
  const auto text = recorded([](AuditedRequests& requests) {
    end(requests, "1", {.outcome = "denied"});
    end(requests, "2", {.outcome = "limited"});
  });
  EXPECT_THAT(text, HasSubstr(R"("request_id":1,)"));
  EXPECT_THAT(text, HasSubstr(R"("count":1,"outcomes":{"limited":1})"));
}

}  // namespace
}  // namespace mcph
