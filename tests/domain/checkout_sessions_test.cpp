#include <catch2/catch.hpp>

#include "domain/aggregates/checkout_session.h"
#include "domain/rules/event_rules.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

const ChargeCreated& charge_in(const std::vector<NewEvent>& events) {
  for (const auto& event : events)
    if (const auto* of_charge = std::get_if<ChargeEvent>(&event.event))
      if (const auto* created = std::get_if<ChargeCreated>(of_charge)) return *created;
  throw std::logic_error("no charge was created");
}

// A sandbox session without a payer, and its project.
Given a_session() { return given({on_project(sample_project())}).when(sample_checkout()).done().then(); }

// The same, and its first charge.
struct Charged {
  Given world;
  ChargeId charge;

  static Charged first() {
    const auto then = a_session().when(sample_checkout_charge()).done();
    return {then.then(), charge_in(then.decision().events).id};
  }
  AddCheckoutCharge another() const {
    auto command = sample_checkout_charge();
    command.newest = charge;
    return command;
  }
};

CheckoutSession session_in(const World& world) {
  const auto* found = world.find<CheckoutSession>(checkout_stream(sample_checkout_id()));
  REQUIRE(found);
  return *found;
}
CheckoutSession session_after(const Then& then) { return session_in(then.world()); }

CancelCheckoutSession cancellation(const std::optional<ChargeId>& newest) {
  return {merchant_sandbox(), sample_checkout_id(), newest};
}

}  // namespace

TEST_CASE("a session is created open, for as long as was asked, and holds no charge without a payer") {
  auto command = sample_checkout();
  command.expires_in_minutes = 90;
  command.success_url = parsed<PageUrl>("https://loja.example.com/obrigado?pedido=7");
  command.locale = CheckoutLocale::kEn;
  const auto then = given({on_project(sample_project())}).when(command).done();
  const auto session = session_after(then);
  CHECK(session.status == CheckoutStatus::kOpen);
  CHECK(session.expires_at == kStart.plus_millis(90 * kMinuteMs));
  CHECK(session.charges.empty());
  CHECK(session.webhook_version == WebhookVersion::kV2);
  CHECK_FALSE(session.has_channel);
  CHECK(then.decision().events.size() == 1);
}

TEST_CASE("a session with a payer comes with its first charge, and each knows the other") {
  auto command = sample_checkout();
  const auto creation = sample_creation();
  command.payer = CheckoutPayer{creation.token, creation.customer};
  command.metadata = *Metadata::of({{parsed<MetadataKey>("pedido"), parsed<MetadataValue>("7")}});
  const auto then = given({on_project(sample_project())}).when(command).done();
  const auto& charge = charge_in(then.decision().events);
  CHECK(charge.checkout_session == sample_checkout_id());
  CHECK(charge.metadata == command.metadata);
  const auto session = session_after(then);
  REQUIRE(session.charges.size() == 1);
  CHECK(session.charges.front().id == charge.id);
  CHECK(session.charges.front().customer == charge.customer);
}

TEST_CASE("a session with an impossible amount, key or target is refused, even without a payer") {
  auto dear = sample_checkout();
  dear.amount = Cents(1'000'000);
  auto settings = sample_settings();
  settings.max_transaction_amount = Cents(999'999);
  settings.pix_key.reset();
  const auto world = given({on_project(sample_project()), on_project(StoreSettingsChanged{settings})});
  world.when(dear).refused(Rejection::kAmountAboveMaximum).records_nothing();
  auto live = sample_checkout();
  live.environment = Environment::kLive;
  world.when(live).refused(Rejection::kNoPixKey).records_nothing();
  auto told = sample_checkout();
  told.channel = CheckoutChannel{"https://10.0.0.1/", {"sealed"}, "abcd", TargetVerdict::kRefused};
  world.when(told).refused(Rejection::kWebhookTargetRefused).records_nothing();
}

TEST_CASE("a blocked payer gets no session, and the refusal keeps their address") {
  auto blocked = sample_checkout_charge();
  blocked.customer_ip = parsed<IpAddress>("203.0.113.9");
  const auto then =
      a_session()
          .and_given({on_customer(sample_customer()),
                      on_customer(CustomerBlocked{BlockType::kFraud, std::nullopt, std::nullopt})})
          .when(blocked)
          .refused(Rejection::kCustomerBlocked);
  REQUIRE(then.decision().events.size() == 1);
  const auto& refused = std::get<ChargeRefused>(std::get<RefusalEvent>(then.decision().events.front().event));
  CHECK(refused.customer_ip == blocked.customer_ip);
  CHECK(session_after(then).charges.empty());
}

TEST_CASE("a session's own channel has its id, its version and its charges alone") {
  auto command = sample_checkout();
  command.webhook_version = WebhookVersion::kV1;
  command.channel = CheckoutChannel{"https://loja.example.com/hooks", {"sealed"}, "abcd"};
  const auto then = given({on_project(sample_project())}).when(command).done();
  const auto id = channel_of(sample_checkout_id());
  const auto* channel = then.world().find<Channel>(channel_stream(id));
  REQUIRE(channel);
  CHECK(channel->version == WebhookVersion::kV1);
  CHECK(channel->checkout_session == sample_checkout_id());
  CHECK(channel->environments == EnvironmentSet::only(Environment::kSandbox));
  CHECK(then.world().claim_holder(checkout_channel_claim(id)));
  CHECK_FALSE(then.world().claim_holder(channel_claim(command.project, id)));
  // No command changes or ends it.
  const auto world = then.then();
  UpdateChannel update{merchant(), id, {}};
  update.change.is_active = false;
  world.when(update).refused(Rejection::kChannelNotFound).records_nothing();
  world.when(DeleteChannel{merchant(), id}).refused(Rejection::kChannelNotFound).records_nothing();
  world.when(RotateChannelSecret{merchant(), id, {"new"}, "efgh"})
      .refused(Rejection::kChannelNotFound)
      .records_nothing();
  world.when(RequestRedelivery{merchant(), id, parsed<DeliveryId>("cdelivery1"), 1}).done();
}

TEST_CASE("a charge of a session ends with it at the latest") {
  auto command = sample_checkout();
  command.expires_in_minutes = 5;
  const auto then =
      given({on_project(sample_project())}).when(command).done().then().when(sample_checkout_charge());
  CHECK(charge_in(then.decision().events).expires_at == kStart.plus_millis(5 * kMinuteMs));
}

TEST_CASE("while a charge of a session waits for its payment there is no other") {
  const auto charged = Charged::first();
  charged.world.when(charged.another()).done().records_nothing();
  charged.world.when(sample_checkout_charge())
      .refused(Rejection::kCheckoutSessionChangedMeanwhile)
      .records_nothing();
}

TEST_CASE(
    "a charge that failed, was cancelled or expired leaves its session open for the next, five in all") {
  auto charged = Charged::first();
  const auto next = [&charged] {
    const auto then = charged.world.when(charged.another()).done();
    charged = {then.then(), charge_in(then.decision().events).id};
  };
  charged.world = charged.world.when(FailSandboxCharge{merchant(), charged.charge}).done().then();
  next();
  charged.world = charged.world.when(CancelCharge{merchant(), charged.charge}).done().then();
  next();
  charged.world = charged.world.when(ExpireSandboxCharge{merchant(), charged.charge}).done().then();
  next();
  charged.world = charged.world.after(31 * kMinuteMs);
  next();
  charged.world = charged.world.after(31 * kMinuteMs);
  charged.world.when(charged.another()).refused(Rejection::kCheckoutSessionNotOpen).records_nothing();
}

TEST_CASE("a session is complete with the payment of one of its charges") {
  const auto charged = Charged::first();
  const auto then = charged.world.when(PaySandboxCharge{merchant(), charged.charge}).done();
  const auto session = session_after(then);
  CHECK(session.status == CheckoutStatus::kComplete);
  CHECK(session.paid == charged.charge);
  then.then().when(charged.another()).refused(Rejection::kCheckoutSessionNotOpen).records_nothing();
  then.then()
      .when(cancellation(charged.charge))
      .refused(Rejection::kCheckoutSessionNotOpen)
      .records_nothing();
}

TEST_CASE("money that comes too late makes no new charge, and completes an expired session once accepted") {
  const auto charged = Charged::first();
  auto report = sample_report();
  report.charge = charged.charge;
  report.paid_at = kStart.plus_millis(40 * kMinuteMs);
  const auto late = charged.world.after(40 * kMinuteMs)
                        .when(ExpireOverdueCharge{charged.charge})
                        .done()
                        .then()
                        .when(report)
                        .flagged(PaymentFlag::kPaidAfterExpiry)
                        .then();
  late.when(charged.another()).done().records_nothing();
  const auto over = late.after(kDayMs).when(ExpireCheckoutSession{sample_checkout_id()}).done();
  CHECK(session_after(over).status == CheckoutStatus::kExpired);
  const auto accepted =
      over.then()
          .when(AcceptUnappliedPayment{sample_project_id(), charged.charge, sample_end_to_end_id()})
          .done();
  CHECK(session_after(accepted).status == CheckoutStatus::kComplete);
}

TEST_CASE("cancelling a session cancels its charge that waits, and no other") {
  const auto charged = Charged::first();
  const auto then = charged.world.when(cancellation(charged.charge)).done();
  CHECK(session_after(then).status == CheckoutStatus::kCancelled);
  CHECK(then.world().find<Charge>(charge_stream(charged.charge))->status == ChargeStatus::kCancelled);

  const auto failed = charged.world.when(FailSandboxCharge{merchant(), charged.charge}).done().then();
  failed.when(cancellation(charged.charge))
      .done()
      .records({on_checkout(CheckoutSessionCancelled{Environment::kSandbox})});
}

TEST_CASE("another project's session does not exist, and a live one is refused to a test key") {
  a_session()
      .when(CancelCheckoutSession{other_merchant(), sample_checkout_id(), std::nullopt})
      .refused(Rejection::kCheckoutSessionNotFound)
      .records_nothing();
  auto live = sample_checkout();
  live.environment = Environment::kLive;
  given({on_project(sample_project())})
      .when(live)
      .done()
      .then()
      .when(cancellation(std::nullopt))
      .refused(Rejection::kLiveForTestKey)
      .records_nothing();
}

TEST_CASE("a session expires when its time is over, with the first command that meets it") {
  const auto world = a_session();
  world.after(kDayMs - 1).when(ExpireCheckoutSession{sample_checkout_id()}).done().records_nothing();
  const auto late = world.after(kDayMs);
  const std::vector<NewEvent> expiry{on_checkout(CheckoutSessionExpired{Environment::kSandbox})};
  late.when(ExpireCheckoutSession{sample_checkout_id()}).done().records(expiry);
  late.when(sample_checkout_charge()).refused(Rejection::kCheckoutSessionNotOpen).records(expiry);
  late.when(cancellation(std::nullopt)).refused(Rejection::kCheckoutSessionNotOpen).records(expiry);
}

TEST_CASE("a merchant's metadata of a session goes to its first payer's charge and not to the next") {
  auto command = sample_checkout();
  command.metadata = *Metadata::of({{parsed<MetadataKey>("para"), parsed<MetadataValue>("Ana")}});
  const auto first =
      given({on_project(sample_project())}).when(command).done().then().when(sample_checkout_charge()).done();
  const auto id = charge_in(first.decision().events).id;
  CHECK(charge_in(first.decision().events).metadata == command.metadata);
  auto other = sample_checkout_charge();
  other.newest = id;
  other.payer.token = sample_token(2);
  const auto failed = first.then().when(FailSandboxCharge{merchant(), id}).done().then();
  CHECK_FALSE(charge_in(failed.when(other).done().decision().events).metadata);
}

TEST_CASE("a payer's form registers a new customer, and changes no known one") {
  const auto first = a_session().when(sample_checkout_charge()).done();
  const auto failed =
      first.then().when(FailSandboxCharge{merchant(), charge_in(first.decision().events).id}).done().then();
  auto stranger = sample_checkout_charge();
  stranger.newest = charge_in(first.decision().events).id;
  stranger.payer.details.email = parsed<EmailAddress>("stranger@example.com");
  const auto then = failed.when(stranger).done();
  CHECK(charge_in(then.decision().events).customer == charge_in(first.decision().events).customer);
  for (const auto& event : then.decision().events)
    CHECK_FALSE(std::holds_alternative<CustomerEvent>(event.event));
}

TEST_CASE("verify knows the valid orders of a session's events") {
  const auto charged = Charged::first();
  const auto then = charged.world.when(FailSandboxCharge{merchant(), charged.charge}).done();
  const auto stream = checkout_stream(sample_checkout_id());
  const auto is_legal = [&](CheckoutEvent event, Timestamp at = kStart) {
    const auto found = then.world().states().find(stream);
    REQUIRE(found != then.world().states().end());
    return !broken_rule(&found->second,
                        {Position(99), stream, 99, at, sample_project_id(), "test", "", std::move(event)});
  };
  const auto sandbox = Environment::kSandbox;
  const auto other = parsed<ChargeId>("ccharge000000000000000099");
  CHECK(is_legal(CheckoutChargeAdded{sandbox, other, sample_customer_id()}));
  CHECK_FALSE(is_legal(CheckoutChargeAdded{Environment::kLive, other, sample_customer_id()}));
  CHECK_FALSE(is_legal(CheckoutChargeAdded{sandbox, charged.charge, sample_customer_id()}));
  CHECK_FALSE(
      is_legal(CheckoutChargeAdded{sandbox, other, sample_customer_id()}, kStart.plus_millis(kDayMs)));
  CHECK(is_legal(CheckoutSessionCompleted{sandbox, charged.charge}));
  CHECK_FALSE(is_legal(CheckoutSessionCompleted{sandbox, other}));
  CHECK(is_legal(CheckoutSessionCancelled{sandbox}));
  CHECK_FALSE(is_legal(CheckoutSessionExpired{sandbox}));
  CHECK(is_legal(CheckoutSessionExpired{sandbox}, kStart.plus_millis(kDayMs)));
}

}  // namespace pixledger::tests
