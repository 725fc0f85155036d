// E-mails whose recipients are erased.
#include <catch2/catch.hpp>

#include "eventstore/reading/state_reader.h"
#include "tests/workers/email_worker_fixture.h"
#include "workers/emails/email_transport.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using stores::EmailStatus;

namespace {

domain::CustomerId customer_of(const LedgerInMemory& ledger, const domain::ChargeId& charge) {
  return eventstore::fold_as<domain::Charge>(ledger.log, domain::charge_stream(charge)).value().customer;
}

void erase(LedgerInMemory& ledger, const domain::CustomerId& customer) {
  const auto stream = ledger.log.claim_holder(domain::customer_claim(customer)).value();
  ledger.execute(domain::EraseCustomer{stream, customer, std::nullopt});
}

// Ends a worker's thread in its place, as a kill would.
struct Killed {};

// Erases the recipient between composing and delivering.
class ErasesFirst final : public EmailTransport {
 public:
  enum class Then { kGoesOn, kIsKilled };

  ErasesFirst(LedgerInMemory& ledger, domain::CustomerId customer, const std::filesystem::path& directory,
              Then then)
      : ledger_(ledger), customer_(std::move(customer)), outbox_(directory), then_(then) {}
  EmailAttempt deliver(const OutgoingEmail& email) override {
    erase(ledger_, customer_);
    auto attempt = outbox_.deliver(email);
    if (then_ == Then::kIsKilled) throw Killed();
    return attempt;
  }
  void withdraw(const std::string& name) override { outbox_.withdraw(name); }

 private:
  LedgerInMemory& ledger_;
  const domain::CustomerId customer_;
  EmailOutbox outbox_;
  const Then then_;
};

// With a paid charge, whose customer the first e-mail's delivery erases.
struct Fixture : EmailWorkerFixture {
  void erase_first(ErasesFirst::Then then) {
    options.make_transport = [this, then, customer = customer_of(ledger, create_paid_charge())] {
      return std::make_unique<ErasesFirst>(ledger, customer, outbox, then);
    };
  }
  void only_deliver() {
    options.make_transport = [this] { return std::make_unique<EmailOutbox>(outbox); };
  }

  const std::filesystem::path outbox = ledger.directory.path() / "outbox";
};

}  // namespace

TEST_CASE("an erased customer gets no e-mail, and one that was being written meanwhile is taken back") {
  Fixture fixture;
  fixture.erase_first(ErasesFirst::Then::kGoesOn);
  fixture.work();
  CHECK(std::filesystem::is_empty(fixture.outbox));
  // One that was still to be sent.
  erase(fixture.ledger, customer_of(fixture.ledger, fixture.create_paid_charge()));
  fixture.only_deliver();
  fixture.work();
  CHECK(std::filesystem::is_empty(fixture.outbox));
  CHECK(fixture.only_failure().status == EmailStatus::kWithdrawn);
}

TEST_CASE("an e-mail that was written after its recipient's erasure by a worker then killed is taken back") {
  Fixture fixture;
  fixture.erase_first(ErasesFirst::Then::kIsKilled);
  fixture.start();
  const auto is_killed = [&] {
    try {
      fixture.worker->check();
      return false;
    } catch (const Killed&) {
      return true;
    }
  };
  REQUIRE(eventually(is_killed));
  fixture.worker.reset();
  REQUIRE_FALSE(std::filesystem::is_empty(fixture.outbox));
  fixture.only_deliver();
  fixture.work();
  CHECK(std::filesystem::is_empty(fixture.outbox));
  CHECK(fixture.only_failure().status == EmailStatus::kWithdrawn);
}
