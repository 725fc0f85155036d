#include "workers/common/initial_cursor.h"

#include <catch2/catch.hpp>
#include <functional>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/forwarding_log.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using workers::start_without_channels;
using workers::start_without_charges;

namespace {

// Others write between the first question that a worker asks it and the second.
class LogThatMovesOn final : public ForwardingLog {
 public:
  LogThatMovesOn(eventstore::Log& inner, std::function<void()> write)
      : ForwardingLog(inner), write_(std::move(write)) {}

  eventstore::Head head() const override { return answered(inner_.head()); }
  std::vector<std::pair<eventstore::ClaimName, eventstore::StreamName>> claims_with_prefix(
      const std::string& prefix) const override {
    return answered(inner_.claims_with_prefix(prefix));
  }

 private:
  template <class Answer>
  Answer answered(Answer answer) const {
    if (auto write = std::exchange(write_, nullptr)) write();
    return answer;
  }

  mutable std::function<void()> write_;
};

struct Fixture {
  void add_channel() { ledger.add_channel(sample_channel_id(), "https://shop.example/hooks"); }
  domain::Position head() const { return ledger.log.head().position; }

  LedgerInMemory ledger;
};

}  // namespace

TEST_CASE("a worker whose ledger has nothing to tell of begins at its head, and asks where it has") {
  Fixture fixture;
  CHECK(start_without_channels(fixture.ledger.log) ==
        projections::cursor_at(fixture.ledger.log, fixture.head()));
  CHECK(start_without_charges(fixture.ledger.log) ==
        projections::cursor_at(fixture.ledger.log, fixture.head()));
  fixture.add_channel();
  CHECK_THROWS_WITH(start_without_channels(fixture.ledger.log), Catch::Contains("--resume-from"));
  CHECK(start_without_charges(fixture.ledger.log).position == fixture.head());
  fixture.ledger.create_charge();
  CHECK_THROWS_WITH(start_without_charges(fixture.ledger.log), Catch::Contains("--resume-from"));
}

TEST_CASE("a channel and its first charge that come while the webhook worker starts are not passed over") {
  Fixture fixture;
  const auto before = fixture.head();
  const LogThatMovesOn log(fixture.ledger.log, [&] {
    fixture.add_channel();
    fixture.ledger.create_charge();
  });
  CHECK(start_without_channels(log).position == before);
  CHECK(fixture.head() > before);
}

TEST_CASE("a charge that comes while the e-mail worker starts is not passed over, and nothing is asked") {
  Fixture fixture;
  const auto before = fixture.head();
  const LogThatMovesOn log(fixture.ledger.log, [&] { fixture.ledger.create_charge(); });
  CHECK(start_without_charges(log).position == before);
  CHECK(fixture.head() > before);
}
