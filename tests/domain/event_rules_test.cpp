#include "domain/rules/event_rules.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/domain/world.h"

namespace pixledger::tests {
namespace {

using namespace domain;

// A world with a sandbox charge, and the checks of its next events.
struct Charged {
  World world{kStart};
  ProjectId project;
  ChargeId charge;

  Charged() : project(create_project()), charge(create_charge()) {}

  ProjectId create_project() {
    return world.execute(CreateProject{sample_settings()}).events.front().project;
  }
  ChargeId create_charge() {
    auto creation = sample_creation();
    creation.project = project;
    const auto decision = world.execute(creation);
    return std::get<ChargeCreated>(std::get<ChargeEvent>(decision.events.back().event)).id;
  }
  // Whether the event would be legal as the charge's next, now.
  bool is_legal(ChargeEvent event) const {
    const auto stream = charge_stream(charge);
    const auto found = world.states().find(stream);
    return !broken_rule(found == world.states().end() ? nullptr : &found->second,
                        {Position(99), stream, 99, world.now(), project, "test", "", std::move(event)});
  }
  void record(ChargeEvent event) {
    REQUIRE(is_legal(event));
    world.record({charge_stream(charge), project, std::move(event)});
  }
  const Charge& state() const { return *world.find<Charge>(charge_stream(charge)); }
  ChargePaid payment(std::int64_t more_cents = 0) const {
    return {sample_end_to_end_id(), state().amount + Cents(more_cents), world.now(), std::nullopt};
  }
};

}  // namespace

TEST_CASE("a charge is paid once, with its amount, in time") {
  Charged charged;
  CHECK(charged.is_legal(charged.payment()));
  CHECK_FALSE(charged.is_legal(charged.payment(1)));
  auto ahead = charged.payment();
  ahead.paid_at = charged.world.now().plus_millis(kPaymentAheadMsMax + 1);
  CHECK_FALSE(charged.is_legal(ahead));
  auto late = charged.payment();
  late.paid_at = charged.state().expires_at;
  CHECK_FALSE(charged.is_legal(late));
  auto fee = charged.payment();
  fee.fee = fee.amount + Cents(1);
  CHECK_FALSE(charged.is_legal(fee));
  charged.record(charged.payment());
  CHECK_FALSE(charged.is_legal(charged.payment()));
}

TEST_CASE("refunds never exceed the payment, nor come too late") {
  Charged charged;
  CHECK_FALSE(charged.is_legal(ChargeRefunded{Cents(1), std::nullopt}));
  charged.record(charged.payment());
  const auto paid = charged.state().amount;
  CHECK_FALSE(charged.is_legal(ChargeRefunded{Cents(0), std::nullopt}));
  CHECK_FALSE(charged.is_legal(ChargeRefunded{paid + Cents(1), std::nullopt}));
  charged.record(ChargeRefunded{Cents(1), std::nullopt});
  CHECK_FALSE(charged.is_legal(ChargeRefunded{paid, std::nullopt}));
  CHECK(charged.is_legal(ChargeRefunded{paid - Cents(1), std::nullopt}));
  charged.world.advance_millis(kRefundWindowMs + 1);
  CHECK_FALSE(charged.is_legal(ChargeRefunded{Cents(1), std::nullopt}));
}

TEST_CASE("a charge that has ended neither ends again nor goes back") {
  for (const ChargeEvent& end :
       {ChargeEvent(ChargeCancelled{}), ChargeEvent(ChargeFailed{}), ChargeEvent(ChargeExpired{})}) {
    Charged charged;
    charged.record(end);
    for (const ChargeEvent& next : {ChargeEvent(ChargeCancelled{}), ChargeEvent(ChargeFailed{}),
                                    ChargeEvent(ChargeExpired{}), ChargeEvent(ChargeProcessingStarted{})})
      CHECK_FALSE(charged.is_legal(next));
  }
}

TEST_CASE("money is unapplied under the flag of its charge's state, and settled once") {
  Charged charged;
  const auto left = [&](PaymentFlag flag, std::int64_t more_cents) {
    return PaymentLeftUnapplied{sample_end_to_end_id(), charged.state().amount + Cents(more_cents),
                                charged.world.now(), flag};
  };
  CHECK_FALSE(charged.is_legal(left(PaymentFlag::kAmountMismatch, 0)));
  CHECK_FALSE(charged.is_legal(left(PaymentFlag::kDuplicatePayment, 1)));
  const UnappliedPaymentReturned returned{sample_end_to_end_id(), std::nullopt};
  CHECK_FALSE(charged.is_legal(returned));
  charged.record(left(PaymentFlag::kAmountMismatch, 1));
  CHECK_FALSE(charged.is_legal(left(PaymentFlag::kAmountMismatch, 1)));
  CHECK(charged.is_legal(UnappliedPaymentAccepted{sample_end_to_end_id(), std::nullopt}));
  charged.record(returned);
  CHECK_FALSE(charged.is_legal(returned));
  CHECK_FALSE(charged.is_legal(UnappliedPaymentAccepted{sample_end_to_end_id(), std::nullopt}));
}

TEST_CASE("an event is legal in a stream of its kind and project alone") {
  const Charged charged;
  const RecordedEvent good{
      Position(99), charge_stream(charged.charge), 2, charged.world.now(), charged.project, "test",
      "",           ChargeEvent(ChargeCancelled{})};
  const AggregateState state(charged.state());
  CHECK_FALSE(broken_rule(&state, good));
  CHECK(broken_rule(nullptr, good));
  auto other_stream = good;
  other_stream.stream = project_stream(charged.project);
  CHECK(broken_rule(&state, other_stream));
  auto other_project = good;
  other_project.project = ProjectId::parse("cabcdefghijklmnop").value();
  CHECK(broken_rule(&state, other_project));
}

TEST_CASE("a connection is added to an existing project, with an id and an alias of its own") {
  std::optional<AggregateState> state;
  const auto is_legal = [&](const Connection& connection) {
    return !broken_rule(state ? &*state : nullptr,
                        {Position(9), project_stream(sample_project_id()), 9, kStart, sample_project_id(),
                         "test", "", ProjectEvent(ConnectionAdded{connection})});
  };
  const auto live = Environment::kLive;
  const auto numbered = [&](std::size_t number) {
    return Connection{parsed<ConnectionId>("cconnection" + std::to_string(number)),
                      parsed<Label>("acme " + std::to_string(number)), "acme", "Acme", live};
  };
  CHECK_FALSE(is_legal(numbered(3)));
  state = apply(std::move(state), on_project(sample_project()).event, kStart);
  CHECK(is_legal(numbered(3)));
  auto same_id = numbered(3);
  same_id.id = sample_connection_id(live);
  CHECK_FALSE(is_legal(same_id));
  auto same_alias = numbered(3);
  same_alias.alias = parsed<Label>("pix");
  CHECK_FALSE(is_legal(same_alias));
  same_alias.environment = Environment::kSandbox;
  CHECK(is_legal(same_alias));
  for (std::size_t number = 3; number <= kConnectionsPerProjectMax; ++number) {
    REQUIRE(is_legal(numbered(number)));
    state = apply(std::move(state), on_project(ConnectionAdded{numbered(number)}).event, kStart);
  }
  CHECK_FALSE(is_legal(numbered(kConnectionsPerProjectMax + 1)));
}

TEST_CASE("a channel's events need the channel, and redeliveries an active one") {
  const auto id = sample_channel_id();
  const auto project = sample_project_id();
  std::optional<AggregateState> state;
  const auto recorded = [&](ChannelEvent event, std::uint32_t version) {
    return RecordedEvent{Position(9), channel_stream(id), version, kStart, project, "test", "", event};
  };
  const auto is_legal = [&](ChannelEvent event, std::uint32_t version = 2) {
    return !broken_rule(state ? &*state : nullptr, recorded(std::move(event), version));
  };
  const auto record = [&](const ChannelEvent& event) { state = apply(std::move(state), event, kStart); };
  const auto all = WebhookEventSet::standard();
  const ChannelAdded added{
      id, project, std::nullopt, "https://shop.example/a", all, WebhookVersion::kV2, {"sealed"}, "k9Qz"};
  const ChannelDisabled disabled{ChannelDisabledReason::kGone};
  const ChannelTestRequested tested{*DeliveryId::parse("cdelivery0001"), Environment::kSandbox};
  const DeliveryRedeliveryRequested redelivery{tested.delivery, 3};
  const auto rotated = [](std::int64_t grace_seconds) {
    return ChannelSecretRotated{{"sealed"}, "k9Qz", kStart.plus_millis(grace_seconds * 1000)};
  };
  CHECK(is_legal(added, 1));
  CHECK_FALSE(is_legal(disabled));
  CHECK_FALSE(is_legal(tested));
  auto told_too_much = added;
  told_too_much.version = WebhookVersion::kV1;
  CHECK(is_legal(told_too_much, 1));
  told_too_much.events = WebhookEventSet::all();
  CHECK_FALSE(is_legal(told_too_much, 1));
  record(added);
  CHECK_FALSE(is_legal(added, 1));
  CHECK_FALSE(is_legal(ChannelChanged{std::nullopt, added.url, all, WebhookVersion::kV1, true}));
  CHECK(is_legal(ChannelChanged{std::nullopt, added.url, WebhookEventSet::all(), WebhookVersion::kV2, true}));
  CHECK(is_legal(rotated(0)));
  CHECK(is_legal(rotated(kSecretGraceSecondsMax)));
  CHECK_FALSE(is_legal(rotated(-1)));
  CHECK_FALSE(is_legal(rotated(kSecretGraceSecondsMax + 1)));
  CHECK(is_legal(DeliveriesRecoveryRequested{kStart, kStart, 0}));
  CHECK_FALSE(is_legal(DeliveriesRecoveryRequested{kStart, kStart.plus_millis(1), 0}));
  CHECK(is_legal(redelivery));
  CHECK(is_legal(disabled));
  auto of_session = added;
  of_session.checkout_session = sample_checkout_id();
  state = apply(std::nullopt, ChannelEvent(of_session), kStart);
  CHECK_FALSE(is_legal(disabled));
  CHECK(is_legal(redelivery));
  state = apply(std::nullopt, ChannelEvent(added), kStart);
  record(disabled);
  CHECK_FALSE(is_legal(disabled));
  CHECK_FALSE(is_legal(redelivery));
  CHECK(is_legal(tested));
  CHECK(is_legal(ChannelChanged{std::nullopt, added.url, all, WebhookVersion::kV2, true}));
  CHECK(is_legal(ChannelDeleted{id, project}));
  record(ChannelDeleted{id, project});
  CHECK_FALSE(is_legal(added));
  CHECK_FALSE(is_legal(tested));
}

TEST_CASE("after its erasure a customer's stream goes on with another customer alone") {
  std::optional<AggregateState> state;
  const auto is_legal = [&](CustomerEvent event) {
    return !broken_rule(state ? &*state : nullptr, {Position(9), sample_customer_stream(), 9, kStart,
                                                    sample_project_id(), "test", "", std::move(event)});
  };
  const auto record = [&](const CustomerEvent& event) { state = apply(std::move(state), event, kStart); };
  const CustomerErased erased{sample_customer_id(), std::nullopt};
  CHECK_FALSE(is_legal(erased));
  record(sample_customer());
  CHECK_FALSE(is_legal(CustomerErased{parsed<CustomerId>("ccustomer000000000000000002"), std::nullopt}));
  CHECK(is_legal(erased));
  record(erased);
  CHECK_FALSE(is_legal(erased));
  CHECK_FALSE(is_legal(CustomerUpdated{}));
  CHECK_FALSE(is_legal(CustomerBlocked{BlockType::kManual, std::nullopt, std::nullopt}));
  CHECK_FALSE(is_legal(CustomerUnblocked{}));
  CHECK(is_legal(sample_customer()));
}

}  // namespace pixledger::tests
