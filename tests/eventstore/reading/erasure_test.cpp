#include "eventstore/reading/erasure.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/counting_log.h"
#include "tests/support/ledgers/worker_fixture.h"

namespace pixledger::tests {
namespace {

domain::DocumentToken token_of(const std::string& document) {
  return *domain::DocumentToken::parse(to_hex(sha256(document)).substr(0, 32));
}

// An erased customer with a charge that was paid and refunded in part, and later events.
struct Erased {
  LedgerInMemory ledger;
  domain::ChargeId charge = ledger.create_charge();
  domain::CustomerId customer = customer_of(charge);
  domain::ChargeId other_charge = create_for("11144477735");
  Position before;
  Position erased;

  Erased() {
    ledger.pay(charge);
    refund("first");
    before = ledger.log.head().position;
    erase();
    erased = ledger.log.head().position;
  }

  domain::CustomerId customer_of(const domain::ChargeId& id) const {
    return eventstore::fold_as<domain::Charge>(ledger.log, domain::charge_stream(id)).value().customer;
  }
  domain::ChargeId create_for(const std::string& document) {
    auto creation = sample_creation();
    creation.project = ledger.project();
    creation.customer.document = parsed<domain::Document>(document);
    creation.token = token_of(document);
    return parsed<domain::ChargeId>(ledger.execute(creation).events().back().stream.key());
  }
  void refund(const std::string& reason) {
    ledger.execute(domain::RefundCharge{{}, charge, domain::Cents(1), parsed<domain::Label>(reason)});
  }
  void erase() {
    ledger.execute(domain::EraseCustomer{stream(), customer, parsed<domain::Label>("asked for it")});
  }
  domain::StreamName stream() const {
    return ledger.log.claim_holder(domain::customer_claim(customer)).value();
  }
  std::vector<domain::RecordedEvent> events() const {
    std::vector<domain::RecordedEvent> events;
    for (const auto& stored : ledger.log.read_after(Position(), 1000))
      events.push_back(eventstore::decode(stored));
    return events;
  }
};

}  // namespace

TEST_CASE("an erasure covers the customer's and their charges' personal bytes up to it, and no others") {
  Erased world;
  world.refund("after");
  const auto next = world.ledger.create_charge();
  const auto erasure = eventstore::find_erasure(world.ledger.log, world.customer).value();
  CHECK(erasure.erased == world.erased);
  CHECK(eventstore::erasure_at(world.ledger.log, world.erased).customer == world.customer);
  const auto records = eventstore::records_erased_by(world.ledger.log, {erasure});
  CHECK(records.charges == std::vector<domain::ChargeId>{world.charge});
  std::vector<Position> expected;
  for (const auto& event : world.events()) {
    const bool is_his = event.stream == world.stream() || event.stream == domain::charge_stream(world.charge);
    if (is_his && event.position < world.erased) expected.push_back(event.position);
  }
  CHECK(expected.size() == 4);
  CHECK(records.positions == expected);
  CHECK(world.customer_of(next) != world.customer);
  CHECK_THROWS_AS(eventstore::erasure_at(world.ledger.log, world.before), eventstore::LogCorrupt);
}

TEST_CASE("a refund's reason is not recorded once the customer is erased") {
  Erased world;
  auto& ledger = world.ledger;
  const auto has_personal = [&] {
    const auto head = ledger.log.head().position;
    return !ledger.log.read_after(Position(head.value() - 1), 1).front().personal.empty();
  };
  world.refund("after");
  CHECK_FALSE(has_personal());
  // The document registers another customer.
  const auto next = ledger.create_charge();
  world.refund("later");
  CHECK_FALSE(has_personal());
  ledger.pay(next);
  ledger.execute(domain::RefundCharge{{}, next, domain::Cents(1), parsed<domain::Label>("theirs")});
  CHECK(has_personal());
}

TEST_CASE(
    "an erasure takes what a session says of whom it was paid by, however early, and what was refused") {
  LedgerInMemory ledger;
  const auto session = [&](domain::CheckoutSessionId id) {
    auto command = sample_checkout();
    command.id = std::move(id);
    command.project = ledger.project();
    command.metadata =
        *domain::Metadata::of({{parsed<domain::MetadataKey>("para"), parsed<domain::MetadataValue>("Ana")}});
    return command;
  };
  const auto id = sample_checkout_id();
  const auto created = ledger.execute(session(id)).as_of;
  ledger.execute(session(parsed<domain::CheckoutSessionId>("ccheckout0000000000000002")));
  auto charge = sample_checkout_charge();
  charge.project = ledger.project();
  const auto added = ledger.execute(charge);
  const auto customer =
      std::get<domain::CheckoutChargeAdded>(std::get<domain::CheckoutEvent>(added.events().back().event))
          .customer;
  const auto stream = ledger.log.claim_holder(domain::customer_claim(customer)).value();
  ledger.execute(domain::BlockCustomer{{}, stream, customer, domain::BlockType::kFraud, {}, {}});
  auto refused = sample_creation();
  refused.project = ledger.project();
  refused.customer_ip = parsed<IpAddress>("203.0.113.9");
  const auto before = ledger.log.head().position;
  ledger.executor.execute({refused, "test", {}, "", {}});
  const auto refusal = ledger.log.head().position;
  REQUIRE(refusal > before);
  ledger.execute(domain::EraseCustomer{stream, customer, {}});

  const auto erasure = eventstore::find_erasure(ledger.log, customer).value();
  const auto taken = eventstore::records_erased_by(ledger.log, {erasure}).positions;
  const auto has = [&](Position position) { return std::count(taken.begin(), taken.end(), position) == 1; };
  CHECK(has(created));
  CHECK(has(refusal));
  CHECK_FALSE(has(Position(created.value() + 1)));
  CHECK(std::is_sorted(taken.begin(), taken.end()));
}

TEST_CASE("an erasure covers refusals of the document before it was a customer's") {
  LedgerInMemory ledger;
  auto command = sample_creation();
  command.project = ledger.project();
  command.customer_ip = parsed<IpAddress>("203.0.113.9");
  auto of_another = command;
  of_another.token = sample_token(2);
  const auto refuse = [&](const domain::CreateCharge& creation) {
    ledger.executor.execute({creation, "test", {}, "", {}});
    return ledger.log.head().position;
  };
  const auto listed = ledger.execute(
      domain::AddBlocklistEntry{command.project, *command.customer_ip, {}, command.environment});
  const auto own = refuse(command), other = refuse(of_another);
  REQUIRE(own < other);
  const auto& entry =
      std::get<domain::BlocklistEntryAdded>(std::get<domain::BlocklistEvent>(listed.events().back().event));
  ledger.execute(domain::RemoveBlocklistEntry{command.project, entry.id});
  const auto created = ledger.execute(command);
  const auto customer =
      std::get<domain::ChargeCreated>(std::get<domain::ChargeEvent>(created.events().back().event)).customer;
  const auto stream = ledger.log.claim_holder(domain::customer_claim(customer)).value();
  CHECK(domain::customer_stream_of(
            domain::refusals_stream(command.project, command.environment, command.token, kStart)) == stream);
  ledger.execute(domain::EraseCustomer{stream, customer, {}});

  const auto erasure = eventstore::find_erasure(ledger.log, customer).value();
  const auto taken = eventstore::records_erased_by(ledger.log, {erasure}).positions;
  CHECK(std::count(taken.begin(), taken.end(), own) == 1);
  CHECK(std::count(taken.begin(), taken.end(), other) == 0);
}

TEST_CASE("several erasures of one document cover each their own records") {
  Erased world;
  const auto first = world.customer;
  const auto next = world.ledger.create_charge();
  world.customer = world.customer_of(next);
  world.erase();
  const auto& log = world.ledger.log;
  const std::vector<eventstore::Erasure> both{eventstore::find_erasure(log, first).value(),
                                              eventstore::find_erasure(log, world.customer).value()};
  auto separately = eventstore::records_erased_by(log, {both[0]}).positions;
  for (const auto position : eventstore::records_erased_by(log, {both[1]}).positions)
    separately.push_back(position);
  CHECK(eventstore::records_erased_by(log, both).positions == separately);
  CHECK(eventstore::records_erased_by(log, {}).positions.empty());
  // The first erasure's own reason is no personal data.
  CHECK(std::count(separately.begin(), separately.end(), world.erased) == 0);
}

TEST_CASE("an id finds its own customer, even if another customer has their document by now") {
  Erased world;
  const auto next = world.ledger.create_charge();
  const auto& log = world.ledger.log;
  const auto gone = eventstore::find_customer(log, world.customer).value();
  CHECK(gone.id == world.customer);
  CHECK_FALSE(gone.details);
  CHECK(gone.erased_at);
  const auto there = eventstore::find_customer(log, world.customer_of(next)).value();
  CHECK(there.id == world.customer_of(next));
  CHECK(there.details);
  CHECK_FALSE(there.erased_at);
  CHECK_FALSE(eventstore::find_customer(log, there.id, world.erased));
  CHECK_FALSE(eventstore::find_erasure(log, there.id));
  CHECK_FALSE(eventstore::find_customer(log, parsed<domain::CustomerId>("cnobody000000000000000001")));
}

TEST_CASE("a customer as of a time before their erasure has no personal data either") {
  const Erased world;
  const auto then = eventstore::find_customer(world.ledger.log, world.customer, world.before).value();
  CHECK_FALSE(then.details);
  CHECK(then.erased_at);
  CHECK(then.updated_at <= *then.erased_at);
}

TEST_CASE("a history has the same customers as their whole streams, at every position") {
  Erased world;
  const auto next = world.customer_of(world.ledger.create_charge());
  const auto other = world.customer_of(world.other_charge);
  const auto& log = world.ledger.log;
  eventstore::StateHistory history(log);
  const auto end = log.head().position.value();
  for (const auto& id :
       {world.customer, next, other, parsed<domain::CustomerId>("cnobody000000000000000001")}) {
    for (auto position = end + 1; position-- > 0;) {
      const auto streamed = eventstore::find_customer(log, id, Position(position));
      const auto known = eventstore::find_customer(history, id, Position(position));
      REQUIRE(known.has_value() == streamed.has_value());
      if (!known) continue;
      CHECK(known->id == streamed->id);
      CHECK(known->details == streamed->details);
      CHECK(known->erased_at == streamed->erased_at);
      CHECK(known->updated_at == streamed->updated_at);
    }
  }
}

TEST_CASE("finding a customer again reads only the events since") {
  Erased world;
  const CountingLog counting(world.ledger.log);
  eventstore::StateHistory history(counting);
  const auto other = world.customer_of(world.other_charge);
  domain::SaveCustomer save{.project = world.ledger.project(),
                            .token = token_of("11144477735"),
                            .details = sample_details(),
                            .environment = domain::Environment::kSandbox};
  for (int i = 0; i < 200; ++i) {
    save.details.name = parsed<domain::PersonName>("Ana " + std::to_string(i));
    world.ledger.execute(save);
    counting.take_count();
    const auto found = eventstore::find_customer(history, other, world.ledger.log.head().position);
    REQUIRE(found->details->name == save.details.name);
    if (i > 0) REQUIRE(counting.take_count() == 1);
  }
}

}  // namespace pixledger::tests
