// Every operation of the API on a charge in every status: the answer and the charge's status after it.
#include <catch2/catch.hpp>
#include <iterator>
#include <sstream>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

using Words = std::vector<std::string>;

const Words kStatuses = {"waiting_payment", "overdue",   "processing", "paid",
                         "expired",         "cancelled", "refunded",   "failed"};

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

class Charges {
 public:
  HttpAnswer post(const std::string& operation, const std::string& id) const {
    const bool v1 = operation == "cancel" || operation == "refund";
    const std::string path = v1 ? "/api/v1/transactions/" : "/api/sandbox/transactions/";
    return service_.send("POST", path + id + "/" + operation, project_.test_key);
  }
  std::string status(const std::string& id) const { return status_of(service_, project_.test_key, id); }

  std::string in_status(const std::string& status) {
    const auto id = create_charge(service_, project_.test_key);
    if (status == "overdue") service_.clock().advance_millis(kDayMs);
    if (status == "processing") service_.execute(domain::StartProcessing{parsed<domain::ChargeId>(id)});
    if (status == "paid" || status == "refunded") CHECK(post("pay", id).status == 200);
    if (status == "refunded") CHECK(post("refund", id).status == 200);
    if (status == "expired") CHECK(post("expire", id).status == 200);
    if (status == "cancelled") CHECK(post("cancel", id).status == 200);
    if (status == "failed") CHECK(post("fail", id).status == 200);
    return id;
  }

 private:
  TestService service_;
  TestService::Project project_ = service_.create_project();
};

}  // namespace

TEST_CASE("each operation of the API answers each status as the table says") {
  struct Row {
    std::string operation;
    std::string status_then;
    // "yes": 200, and the charge has the status then; "no": 400 ERR_TRANSACTION_002, and it stays as it was.
    std::string answers;
  };
  // clang-format off
  const Row rows[] = {
      //                       waiting overdue processing paid expired cancelled refunded failed
      {"pay",    "paid",      "yes     no      no         no   no      no        no       no"},
      {"expire", "expired",   "yes     yes     no         no   no      no        no       no"},
      {"fail",   "failed",    "yes     no      yes        no   no      no        no       no"},
      {"cancel", "cancelled", "yes     no      no         no   no      no        no       no"},
      {"refund", "refunded",  "no      no      no         yes  no      no        no       no"},
  };
  // clang-format on
  Charges charges;
  for (const auto& row : rows) {
    const auto answers = words_of(row.answers);
    REQUIRE(answers.size() == kStatuses.size());
    for (std::size_t i = 0; i < kStatuses.size(); ++i) {
      INFO(row.operation << ", " << kStatuses[i]);
      const auto id = charges.in_status(kStatuses[i]);
      const auto answer = charges.post(row.operation, id);
      if (answers[i] == "yes") {
        CHECK(outcome_of(answer) == "200");
        CHECK(answer.at("/data/status") == row.status_then);
        CHECK(charges.status(id) == row.status_then);
      } else {
        CHECK(outcome_of(answer) == "400 ERR_TRANSACTION_002");
        CHECK(charges.status(id) == (kStatuses[i] == "overdue" ? "expired" : kStatuses[i]));
      }
    }
  }
}

TEST_CASE("the status check shows each status, and expires overdue charges") {
  Charges charges;
  for (const auto& status : kStatuses) {
    const auto id = charges.in_status(status);
    CHECK(charges.status(id) == (status == "overdue" ? "expired" : status));
  }
}

TEST_CASE("each operation checks the id, existence, ownership and environment, in this order") {
  TestService service;
  const auto project = service.create_project();
  const auto stranger = service.create_project();
  const auto reader = service.issue_key(project.id, domain::Environment::kSandbox,
                                        *domain::ScopeSet::parse("transactions:read,customers:write"));
  const auto live = create_charge(service, project.live_key);
  const auto sandbox = create_charge(service, project.test_key);
  const auto before = service.log().head();
  for (const std::string operation : {"pay", "expire", "fail", "cancel", "refund"}) {
    const bool v1 = operation == "cancel" || operation == "refund";
    const auto post = [&](const std::string& id, const std::string& key) {
      const std::string path = v1 ? "/api/v1/transactions/" : "/api/sandbox/transactions/";
      return outcome_of(service.send("POST", path + id + "/" + operation, key));
    };
    INFO(operation);
    CHECK(post("not-an-id", project.test_key) == "400 ERR_VALIDATION_001");
    CHECK(post("cmissing00000000000000000", project.test_key) == "404 ERR_TRANSACTION_001");
    CHECK(post(sandbox, stranger.test_key) == (v1 ? "403 ERR_TRANSACTION_003" : "404 ERR_TRANSACTION_001"));
    CHECK(post(live, stranger.test_key) == (v1 ? "403 ERR_TRANSACTION_003" : "404 ERR_TRANSACTION_001"));
    CHECK(post(live, project.test_key) == (v1 ? "403 ERR_AUTH_010" : "400 ERR_SANDBOX_002"));
    if (!v1) CHECK(post(live, project.live_key) == "400 ERR_SANDBOX_002");
    CHECK(post(sandbox, reader) == "403 ERR_AUTH_010");
    CHECK(post(sandbox, "") == "401 ERR_AUTH_009");
  }
  CHECK(service.log().head() == before);
}

TEST_CASE("an operation without a body accepts an empty object, and other methods get the allowed ones") {
  TestService service;
  const auto project = service.create_project();
  const auto id = create_charge(service, project.test_key);
  const auto path = "/api/v1/transactions/" + id + "/cancel";
  const auto get = service.send("GET", path, project.test_key);
  CHECK(get.status == 405);
  CHECK(get.headers.at("Allow") == "POST, OPTIONS");
  for (const std::string body : {"not JSON", "[]", R"({"reason":"none"})"})
    CHECK(outcome_of(service.send("POST", path, project.test_key, body)) == "400 ERR_VALIDATION_001");
  CHECK(service.send("POST", path + "/", project.test_key, "{}").status == 200);
}

}  // namespace pixledger::tests
