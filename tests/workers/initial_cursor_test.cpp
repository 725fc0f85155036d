#include <catch2/catch.hpp>
#include <functional>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/forwarding_log.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "workers/common/resume_from.h"

using namespace pixledger;
using namespace pixledger::tests;
using workers::kEmailsBegin;
using workers::kWebhooksBegin;

namespace {

// Others write between the first question that a worker asks it and the second.
class LogThatMovesOn final : public ForwardingLog {
 public:
  LogThatMovesOn(eventstore::Log& inner, std::function<void()> write)
      : ForwardingLog(inner), write_(std::move(write)) {}

  Head head() const override { return answered(inner_.head()); }
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
  Position head() const { return ledger.log.head().position; }

  LedgerInMemory ledger;
};

}  // namespace

TEST_CASE("a worker of a ledger with nothing to send begins at its head, and otherwise asks where") {
  Fixture fixture;
  auto& ledger = fixture.ledger;
  const auto is_head = [&](const std::optional<eventstore::LogCursor>& cursor) {
    return cursor == eventstore::cursor_at(ledger.log, fixture.head());
  };
  ledger.change_settings([](domain::StoreSettings& settings) { settings.verify_documents = true; });
  CHECK(is_head(kWebhooksBegin.find(ledger.log)));  // there was no channel then
  CHECK(is_head(kEmailsBegin.find(ledger.log)));
  fixture.add_channel();
  CHECK_FALSE(kWebhooksBegin.find(ledger.log));
  CHECK(is_head(kWebhooksBegin.find_under_up(ledger.log)));
  CHECK(is_head(kEmailsBegin.find(ledger.log)));

  SECTION("charges") {
    ledger.create_charge();
    CHECK_FALSE(kEmailsBegin.find(ledger.log));
    CHECK_FALSE(kEmailsBegin.find_under_up(ledger.log));
  }
  SECTION("a change of the store") {
    ledger.change_settings([](domain::StoreSettings& settings) { settings.verify_documents = false; });
    CHECK(is_head(kEmailsBegin.find_under_up(ledger.log)));
  }
  SECTION("a test of a channel") {
    ledger.execute(
        domain::RequestChannelTest{{ledger.project()}, sample_channel_id(), domain::Environment::kSandbox});
    CHECK(is_head(kEmailsBegin.find_under_up(ledger.log)));
  }
  CHECK_FALSE(kWebhooksBegin.find_under_up(ledger.log));
}

TEST_CASE("a channel and its first charge that come while the webhook worker starts are not passed over") {
  Fixture fixture;
  const auto before = fixture.head();
  const LogThatMovesOn log(fixture.ledger.log, [&] {
    fixture.add_channel();
    fixture.ledger.create_charge();
  });
  CHECK(kWebhooksBegin.find(log)->position == before);
  CHECK(fixture.head() > before);
}

TEST_CASE("a charge that comes while the e-mail worker starts is not passed over, and nothing is asked") {
  Fixture fixture;
  const auto before = fixture.head();
  const LogThatMovesOn log(fixture.ledger.log, [&] { fixture.ledger.create_charge(); });
  CHECK(kEmailsBegin.find(log)->position == before);
  CHECK(fixture.head() > before);
}
