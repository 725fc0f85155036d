#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/checkout_calls.h"
#include "tests/support/servers/raw_http.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// Reads the stream's next event; comments are skipped.
class Changes {
 public:
  explicit Changes(const TestService& service) : connection_(service.port()) {
    connection_.send("GET /api/v1/payer/changes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                     kWebKey + "\r\n\r\n");
    head_ = connection_.read_stream_head();
  }
  const RawReply& head() const { return head_; }
  std::string next() {
    for (;;) {
      std::size_t end = 0;
      while ((end = text_.find("\n\n")) == std::string::npos) text_ += connection_.read_chunk();
      const auto block = text_.substr(0, end);
      text_.erase(0, end + 2);
      if (block.starts_with("event: session\ndata: ")) return block.substr(block.find("data: ") + 6);
    }
  }

 private:
  RawConnection connection_;
  RawReply head_;
  std::string text_;
};

}  // namespace

TEST_CASE(
    "the pages' server is told of every session that changes, of all projects, and of no other charge") {
  TestService service(with_pages());
  const auto one = service.create_project();
  const auto other = service.create_project();
  Changes changes(service);
  CHECK(changes.head().status == 200);
  CHECK(changes.head().header("content-type") == "text/event-stream");
  const auto create = [&](const std::string& key) {
    return service.send("POST", kCheckoutPath, key, checkout_body(R"("customer":)" + kPayer));
  };
  const auto sandbox = create(one.test_key);
  const auto first = changes.next();
  CHECK(first.find("\"session\":\"" + sandbox.at("/data/id") + "\"") != std::string::npos);
  CHECK(first.find("\"state\":\"waiting\"") != std::string::npos);
  create_charge(service, one.test_key);
  const auto live = create(other.live_key);
  CHECK(changes.next().find(live.at("/data/id")) != std::string::npos);
  service.send("POST", "/api/sandbox/transactions/" + sandbox.at("/data/transactionId") + "/pay",
               one.test_key);
  const auto paid = changes.next();
  CHECK(paid.find(sandbox.at("/data/id")) != std::string::npos);
  CHECK(paid.find("\"state\":\"paid\"") != std::string::npos);
}

TEST_CASE("only the web key follows sessions") {
  TestService service(with_pages());
  const auto project = service.create_project();
  CHECK(outcome_of(service.send("GET", "/api/v1/payer/changes", project.live_key)) == "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("GET", "/api/v1/payer/changes", "")) == "401 ERR_AUTH_009");
}
