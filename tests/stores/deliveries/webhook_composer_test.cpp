#include "stores/deliveries/webhook_composer.h"

#include <catch2/catch.hpp>

#include "eventstore/proof/event_id.h"
#include "tests/support/ledgers/counting_log.h"
#include "tests/workers/webhook_worker_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::WebhookComposer;

namespace {

domain::CreateCharge creation_by(const LedgerInMemory& ledger, const std::string& name) {
  auto creation = sample_creation();
  creation.project = ledger.project();
  creation.customer.name = parsed<domain::PersonName>(name);
  return creation;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "however long the streams of a charge's customer and project are, a body reads but a part of them") {
  WorkerFixture fixture;
  fixture.add_channel();
  constexpr int kCharges = 400;
  const auto name_of = [](int i) { return "Ana " + std::to_string(i); };
  for (int i = 0; i < kCharges; ++i) fixture.ledger.execute(creation_by(fixture.ledger, name_of(i)));
  fixture.make_deliveries();
  const auto deliveries = fixture.deliveries();
  REQUIRE(deliveries.size() == kCharges);

  const CountingLog counting(fixture.ledger.log);
  WebhookComposer composer(counting, fixture.ledger.keyring, {});
  for (int i = 0; i < kCharges; ++i)
    REQUIRE(contains(composer.body_of(deliveries[static_cast<std::size_t>(i)]),
                     R"("customerName":")" + name_of(i) + "\""));
  // The event itself, and the customer as now, as of each event, and the charges: each once.
  CHECK(counting.take_count() <= 4 * kCharges + 1);
  // Later attempts come in any order.
  for (int i = kCharges - 1; i >= 0; --i) {
    counting.take_count();
    const auto body = composer.body_of(deliveries[static_cast<std::size_t>(i)]);
    REQUIRE(contains(body, R"("customerName":")" + name_of(i) + "\""));
    REQUIRE(counting.take_count() <= eventstore::StateHistory::kStride + 1);
  }
}

TEST_CASE("a body is as of its event: the charge, its payment, and the feed's id of the event") {
  WorkerFixture fixture;
  fixture.add_channel();
  const auto charge = fixture.ledger.create_charge();
  fixture.ledger.pay(charge);
  fixture.ledger.execute(domain::RefundCharge{fixture.merchant(), charge, std::nullopt, std::nullopt});
  fixture.make_deliveries();
  WebhookComposer composer(fixture.ledger.log, fixture.ledger.keyring, {});
  const eventstore::EventIds ids(fixture.ledger.keyring, fixture.ledger.log, {}, fixture.ledger.project());
  const auto deliveries = fixture.deliveries();
  REQUIRE(deliveries.size() == 3);
  const std::vector<std::string> statuses{"waiting_payment", "paid", "refunded"};
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const auto body = composer.body_of(deliveries[i]);
    INFO(body);
    CHECK(contains(body, R"("status":")" + statuses[i] + "\""));
    CHECK(contains(body, R"("eventId":")" + ids.of(deliveries[i].position) + "\""));
    CHECK(contains(body, R"("paidAmountCents":null)") == (i == 0));
    CHECK(contains(body, "refundAmountCents") == (i == 2));
    CHECK(body == WebhookComposer(fixture.ledger.log, fixture.ledger.keyring, {}).body_of(deliveries[i]));
  }
}

TEST_CASE("a customer who is erased after the event is erased in each body made since") {
  WorkerFixture fixture;
  fixture.add_channel();
  fixture.ledger.execute(creation_by(fixture.ledger, "Ana Lima"));
  fixture.make_deliveries();
  WebhookComposer composer(fixture.ledger.log, fixture.ledger.keyring, {});
  const auto delivery = fixture.deliveries().at(0);
  CHECK(contains(composer.body_of(delivery), "Ana Lima"));
  const auto creation = creation_by(fixture.ledger, "Ana Lima");
  const auto stream = domain::customer_stream(creation.project, creation.environment, creation.token);
  const auto customer = eventstore::fold_as<domain::Customer>(fixture.ledger.log, stream).value();
  fixture.ledger.execute(
      domain::EraseCustomer{.customer = stream, .id = customer.id, .reason = std::nullopt});
  CHECK_FALSE(contains(composer.body_of(delivery), "Ana Lima"));
  // A later customer with the same document is another customer.
  fixture.ledger.execute(creation_by(fixture.ledger, "Bia Lima"));
  const auto body = composer.body_of(delivery);
  CHECK(contains(body, R"("customerName":"erased")"));
  CHECK_FALSE(contains(body, "Bia Lima"));
}

TEST_CASE(
    "kinds that a channel names are told to it: money aside, settled, refunded in part, and the store") {
  WorkerFixture fixture;
  fixture.ledger.add_channel(sample_channel_id(), fixture.url(), domain::WebhookVersion::kV2,
                             domain::WebhookEventSet::all());
  fixture.ledger.add_channel(sample_channel_id(2), fixture.url());
  fixture.start();
  const auto charge = fixture.ledger.create_charge();
  const auto report = [&](unsigned payment, std::int64_t cents) {
    auto command = sample_report(payment, cents);
    command.project = fixture.ledger.project();
    command.charge = charge;
    fixture.ledger.execute(command);
  };
  report(1, 9'999);
  report(2, 9'998);
  fixture.ledger.execute(domain::ReturnUnappliedPayment{charge, sample_end_to_end_id(2), std::nullopt});
  fixture.ledger.execute(
      domain::AcceptUnappliedPayment{fixture.ledger.project(), charge, sample_end_to_end_id(1)});
  fixture.ledger.execute(domain::RefundCharge{fixture.merchant(), charge, domain::Cents(100), std::nullopt});
  fixture.ledger.change_settings([](domain::StoreSettings& settings) { settings.fee_basis_points = 99; });
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 8));
  REQUIRE(fixture.all_reach(DeliveryStatus::kDelivered, 2, 2));
  fixture.stop();

  using domain::WebhookEvent;
  const std::vector<WebhookEvent> expected{WebhookEvent::kTransactionCreated,
                                           WebhookEvent::kPaymentUnapplied,
                                           WebhookEvent::kPaymentUnapplied,
                                           WebhookEvent::kPaymentSettled,
                                           WebhookEvent::kTransactionPaid,
                                           WebhookEvent::kPaymentSettled,
                                           WebhookEvent::kTransactionPartiallyRefunded,
                                           WebhookEvent::kStoreChanged};
  std::vector<WebhookEvent> told;
  WebhookComposer composer(fixture.ledger.log, fixture.ledger.keyring, {});
  std::vector<std::string> bodies;
  auto deliveries = fixture.deliveries();
  std::stable_sort(deliveries.begin(), deliveries.end(), [](const Delivery& a, const Delivery& b) {
    return std::pair(a.position, a.number) < std::pair(b.position, b.number);
  });
  for (const auto& delivery : deliveries) {
    told.push_back(delivery.event.value());
    bodies.push_back(composer.body_of(delivery));
  }
  REQUIRE(told == expected);
  CHECK(contains(bodies[1], R"("payment":{"endToEndId":")" + sample_end_to_end_id(1).text() +
                                R"(","amountCents":9999,)"));
  CHECK(contains(bodies[3], R"("settlement":"returned")"));
  CHECK(contains(bodies[3], R"("amountCents":9998,)"));
  CHECK(contains(bodies[5], R"("settlement":"accepted")"));
  CHECK(contains(bodies[5], R"("paidAmountCents":9999)"));
  CHECK(contains(bodies[6], R"("refundAmountCents":100)"));
  CHECK(contains(bodies[7], R"("changed":["feeBasisPoints"])"));
  // One event causes two webhooks: the same event, two kinds.
  CHECK(deliveries[4].position == deliveries[5].position);
  CHECK(deliveries[4].id != deliveries[5].id);
}
