// A checkout session must match its charges and its channel: verify finds and names violations.
#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/seeded_entropy.h"
#include "tools/audit/verifier.h"

namespace pixledger::tests {
namespace {

using namespace domain;

enum class Own { kNoChannel, kChannel };

// A session with a charge that waits, and events that no decision would have recorded.
class Planted {
 public:
  explicit Planted(Own own = Own::kNoChannel) {
    auto command = sample_checkout();
    command.project = ledger_.project();
    const auto creation = sample_creation();
    command.payer = CheckoutPayer{creation.token, creation.customer};
    if (own == Own::kChannel)
      command.channel = CheckoutChannel{"https://shop.example/hooks", {"sealed"}, "k9Qz"};
    const auto completed = ledger_.execute(std::move(command));
    for (const auto& recorded : completed.events()) created_.push_back(recorded.event);
  }

  const ProjectId& project() const { return ledger_.project(); }
  Timestamp now() const { return ledger_.log.head().time; }
  // Of the creation.
  template <class Fact, class Family>
  Fact recorded() const {
    for (const auto& event : created_)
      if (const auto* family = std::get_if<Family>(&event))
        if (const auto* fact = std::get_if<Fact>(family)) return *fact;
    throw std::runtime_error("the creation has no such event");
  }
  ChargeId charge() const { return recorded<ChargeCreated, ChargeEvent>().id; }
  void pay() { ledger_.pay(charge()); }

  void plant(const StreamName& stream, Event event) {
    SeededEntropy entropy(7);
    const auto version = ledger_.log.version_of(stream) + 1;
    const auto encoded = eventstore::encode({.position = {},
                                             .stream = stream,
                                             .version = version,
                                             .recorded_at = now(),
                                             .project = project(),
                                             .actor = "key-test",
                                             .request_id = {},
                                             .event = event},
                                            entropy);
    const auto write = ledger_.log.begin_write();
    write->append({.time = now(),
                   .id_counter = 0,
                   .records = {{.stream = stream,
                                .version = version,
                                .bytes = encoded.bytes,
                                .personal = encoded.personal,
                                .claims = claims_of({stream, project(), event})}},
                   .idempotency = {}});
    write->commit();
  }

  // Returns verify's finding, or "".
  std::string found() const {
    const auto finding = tools::verify_log(ledger_.log, {}).finding;
    return finding ? finding->problem : "";
  }

 private:
  LedgerInMemory ledger_;
  std::vector<Event> created_;
};

CheckoutSessionId other_session() { return parsed<CheckoutSessionId>("ccheckout0000000000000002"); }

}  // namespace

TEST_CASE("a session with a channel and a charge that is paid is consistent") {
  Planted ledger(Own::kChannel);
  ledger.pay();
  CHECK(ledger.found().empty());
}

TEST_CASE("a session completed by an unpaid charge is found") {
  Planted ledger;
  CHECK(ledger.found().empty());
  ledger.plant(checkout_stream(sample_checkout_id()),
               CheckoutEvent(CheckoutSessionCompleted{Environment::kSandbox, ledger.charge()}));
  CHECK(ledger.found() == "the charge that completed it had not been paid");
}

TEST_CASE("a payment of a session's charge that left the session open is found") {
  Planted ledger;
  ledger.plant(charge_stream(ledger.charge()),
               ChargeEvent(ChargePaid{sample_end_to_end_id(), Cents(10'000), ledger.now(), std::nullopt}));
  CHECK(ledger.found() == "its checkout session is not complete with it");
}

TEST_CASE("a channel of a session that says it has none, or has another form, is found") {
  auto added = Planted(Own::kChannel).recorded<ChannelAdded, ChannelEvent>();
  Planted ledger;
  added.project = ledger.project();
  ledger.plant(channel_stream(added.id), ChannelEvent(added));
  CHECK(ledger.found() == "its checkout session has no such channel");
}

TEST_CASE("a session without the channel that it should have, or with that of the other version, is found") {
  Planted ledger;
  auto created = ledger.recorded<CheckoutSessionCreated, CheckoutEvent>();
  created.id = other_session();
  created.has_channel = true;
  ledger.plant(checkout_stream(created.id), CheckoutEvent(created));
  CHECK(ledger.found() == "the session's channel is not there");
  auto added = Planted(Own::kChannel).recorded<ChannelAdded, ChannelEvent>();
  added.id = channel_of(created.id);
  added.project = ledger.project();
  added.checkout_session = created.id;
  SECTION("its own") {
    ledger.plant(channel_stream(added.id), ChannelEvent(added));
    CHECK(ledger.found().empty());
  }
  SECTION("of the other version") {
    added.version = WebhookVersion::kV1;
    ledger.plant(channel_stream(added.id), ChannelEvent(added));
    CHECK(ledger.found() == "its checkout session has no such channel");
  }
  SECTION("of the other environment") {
    added.environments = EnvironmentSet::all();
    ledger.plant(channel_stream(added.id), ChannelEvent(added));
    CHECK(ledger.found() == "its checkout session has no such channel");
  }
}

TEST_CASE("a charge that can be paid after the end of its session is found") {
  Planted ledger;
  auto session = ledger.recorded<CheckoutSessionCreated, CheckoutEvent>();
  auto charge = ledger.recorded<ChargeCreated, ChargeEvent>();
  session.id = other_session();
  session.expires_at = charge.expires_at.plus_millis(-1);
  charge.id = parsed<ChargeId>("cother0000000000000000002");
  charge.checkout_session = session.id;
  ledger.plant(checkout_stream(session.id), CheckoutEvent(session));
  ledger.plant(charge_stream(charge.id), ChargeEvent(charge));
  ledger.plant(checkout_stream(session.id),
               CheckoutEvent(CheckoutChargeAdded{Environment::kSandbox, charge.id, charge.customer}));
  CHECK(ledger.found() == "it can be paid after its checkout session's end");
}

}  // namespace pixledger::tests
