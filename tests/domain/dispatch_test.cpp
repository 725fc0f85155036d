// The routing of commands. World checks in every test that each command loads what its decision reads.
#include "domain/decisions/dispatch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

// The streams and claims that a command needs, sorted.
std::vector<std::string> needs_of(const Command& command) {
  ReadSet needs;
  add_to_read_set(command, needs);
  std::vector<std::string> texts;
  for (const auto& stream : needs.streams) texts.push_back(stream.text());
  for (const auto& claim : needs.claims) texts.push_back("claim " + claim.text());
  std::sort(texts.begin(), texts.end());
  return texts;
}

using Texts = std::vector<std::string>;

const std::string kProject = "project-cproject00000000000000001";
const std::string kBlocklist = "blocklist-cproject00000000000000001-sandbox";
const std::string kCharge = "charge-ccharge000000000000000001";

class NoStates final : public States {
 public:
  const AggregateState* find(const StreamName&) const override { return nullptr; }
  const StreamName* claim_holder(const ClaimName&) const override { return nullptr; }
  std::optional<StreamName> holder_of(const ClaimName&) const override { return std::nullopt; }
  std::uint32_t version_of(const StreamName&) const override { return 0; }
  std::optional<AggregateState> state_of(const StreamName&) const override { return std::nullopt; }
};

// An event of every type that changes a state, with its stream.
std::vector<NewEvent> every_event() {
  const BlocklistEntryAdded entry{sample_entry_id(), sample_project_id(),
                                  parse_blocklist_value("document", "52998224725"), std::nullopt};
  const auto channel = sample_channel();
  const auto e2e = sample_end_to_end_id();
  const std::optional<Label> why;
  const auto refund = parsed<RefundId>("r1");
  const auto back = parsed<ReturnId>("D18236120202603011200s1a2b3c4d5e");
  return {on_project(sample_project()),
          on_project(StoreSettingsChanged{sample_settings()}),
          on_project(ConnectionAdded{sample_project().connections[0]}),
          on_project(ConnectionChanged{sample_project().connections[0]}),
          on_project(DefaultConnectionSet{sample_connection_id(Environment::kLive), Environment::kLive}),
          on_bank(ConnectionConfigured{sample_bank_id(), sample_project_id(), sample_configuration()}),
          on_bank(CallbackRegistered{"https://pix.example.com:8443/back"}),
          on_bank(CallbackRemoved{}),
          on_api_key(sample_api_key()),
          on_api_key(ApiKeyExpirySet{kStart}),
          on_api_key(ApiKeyRevoked{}),
          on_channel(ChannelAdded{channel.id, channel.project, channel.name, channel.url, channel.events,
                                  channel.version, channel.secret, channel.secret_hint}),
          on_channel(ChannelChanged{channel.name, channel.url, channel.events, channel.version, true}),
          on_channel(ChannelSecretRotated{channel.secret, channel.secret_hint, kStart}),
          on_channel(ChannelDisabled{ChannelDisabledReason::kGone}),
          on_channel(ChannelTestRequested{parsed<DeliveryId>("cdelivery1"), Environment::kLive}),
          on_channel(DeliveryRedeliveryRequested{parsed<DeliveryId>("cdelivery1"), 1}),
          on_channel(DeliveriesRecoveryRequested{kStart, kStart, 1}),
          on_blocklist(entry),
          on_blocklist(BlocklistEntryRemoved{entry.id}),
          on_customer(sample_customer()),
          on_customer(CustomerUpdated{sample_details()}),
          on_customer(CustomerBlocked{BlockType::kManual, why, std::nullopt}),
          on_customer(CustomerUnblocked{}),
          on_customer(CustomerErased{sample_customer_id(), why}),
          on_charge(sample_charge()),
          on_charge(PaymentLeftUnapplied{e2e, Cents(1), kStart, PaymentFlag::kAmountMismatch}),
          on_charge(UnappliedReturnRequested{refund, e2e, why}),
          on_charge(UnappliedReturnFailed{refund, e2e, why}),
          on_charge(UnappliedPaymentReversed{e2e, parsed<RefundId>("MED1"), back, Cents(1), kStart}),
          on_charge(UnappliedPaymentReturned{e2e, why}),
          on_charge(UnappliedPaymentAccepted{e2e, std::nullopt}),
          on_charge(UnappliedPaymentAdded{e2e, std::nullopt}),
          on_charge(ChargePaid{e2e, Cents(1), kStart, std::nullopt}),
          on_charge(ChargeProcessingStarted{}),
          on_charge(ChargeExpired{}),
          on_charge(ChargeCancelled{}),
          on_charge(ChargeFailed{why}),
          on_charge(ChargeRefunded{Cents(1), why}),
          on_payment(PaymentUnmatched{.end_to_end_id = e2e,
                                      .project = sample_project_id(),
                                      .environment = Environment::kLive,
                                      .connection = sample_bank_id(),
                                      .amount = Cents(1),
                                      .paid_at = kStart,
                                      .txid = std::nullopt,
                                      .reason = UnmatchedReason::kNoTxid}),
          on_payment(PaymentReturnRequested{refund, why}),
          on_payment(PaymentReturnFailed{refund, why}),
          on_payment(UnmatchedPaymentReversed{parsed<RefundId>("MED1"), back, Cents(1), kStart}),
          on_payment(PaymentClosed{why}),
          on_payment(PaymentReturned{refund, kStart}),
          on_payment(PaymentAssigned{sample_charge_id()})};
}

}  // namespace

TEST_CASE("a command loads what its decision depends on and no more") {
  const auto id = sample_charge_id();
  CHECK(needs_of(CreateProject{sample_settings()}).empty());
  CHECK(needs_of(ChangeStoreSettings{sample_project_id(), {}}) == Texts{kProject});
  CHECK(needs_of(sample_connection("acme")) == Texts{kProject});
  CHECK(needs_of(sample_channel(7)) == Texts{"claim channel-number/cproject00000000000000001/7", kProject});
  CHECK(needs_of(RevokeApiKey{sample_api_key_id()}) == Texts{"key-abcdef000000000000000001"});
  CHECK(needs_of(sample_creation()) == Texts{kBlocklist, sample_customer_stream().text(), kProject});
  CHECK(needs_of(SaveCustomer{sample_project_id(), sample_token(), sample_details()}) ==
        Texts{sample_customer_stream(Environment::kLive).text(), kProject});
  CHECK(needs_of(PaySandboxCharge{merchant(), id}) == Texts{kCharge, kProject});
  CHECK(needs_of(CancelCharge{merchant(), id}) == Texts{kCharge});
  CHECK(needs_of(ExpireOverdueCharge{id}) == Texts{kCharge});
  const auto payment = payment_stream(sample_end_to_end_id()).text();
  const auto holder = "claim e2e/" + sample_end_to_end_id().text();
  CHECK(needs_of(sample_report()) == Texts{kCharge, holder, payment, kProject});
  CHECK(needs_of(ClosePayment{sample_project_id(), sample_end_to_end_id(), true, {}}) ==
        Texts{holder, payment});
}

TEST_CASE("the needs of a batch add up") {
  ReadSet needs;
  add_to_read_set(CancelCharge{merchant(), sample_charge_id()}, needs);
  add_to_read_set(sample_report(), needs);
  CHECK(needs.streams.size() == 4);
  CHECK(needs.claims.size() == 1);
}

TEST_CASE("a command whose stream holds another kind of aggregate finds nothing") {
  const NewEvent stray{sample_customer_stream(), sample_project_id(), ProjectEvent(sample_project())};
  given({stray})
      .when(BlockCustomer{merchant(), sample_customer_stream(), sample_customer_id(), BlockType::kManual,
                          std::nullopt, std::nullopt})
      .refused(Rejection::kCustomerNotFound);
  given({on_charge(sample_charge())})
      .when(UnblockCustomer{merchant(), charge_stream(sample_charge_id()), sample_customer_id()})
      .refused(Rejection::kCustomerNotFound);
}

TEST_CASE("deciding twice gives the same events") {
  const auto project = given({on_project(sample_project())});
  const auto once = project.when(sample_creation()).decision();
  const auto twice = project.when(sample_creation()).decision();
  REQUIRE(once.events.size() == twice.events.size());
  for (std::size_t i = 0; i < once.events.size(); ++i)
    CHECK(describe(once.events[i]) == describe(twice.events[i]));
}

TEST_CASE("every command has an outcome in an empty ledger") {
  const Context context{kStart, {kStart, 0, {'t', 'e', 's', 't'}, 7}};
  const auto id = sample_charge_id();
  const auto refusal = [&](const Command& command) {
    return decide(command, NoStates(), context).outcome.rejection;
  };
  CHECK_FALSE(refusal(CreateProject{sample_settings()}));
  CHECK(refusal(ChangeStoreSettings{sample_project_id(), {}}) == Rejection::kProjectNotFound);
  CHECK(refusal(sample_connection("acme")) == Rejection::kProjectNotFound);
  CHECK(refusal(RollApiKey{sample_api_key_id(1), sample_api_key_id(2), {}, 0}) == Rejection::kApiKeyNotFound);
  CHECK(refusal(sample_channel()) == Rejection::kProjectNotFound);
  CHECK(refusal(sample_creation()) == Rejection::kProjectNotFound);
  CHECK(refusal(ExpireOverdueCharge{id}) == Rejection::kTransactionNotFound);
  CHECK(refusal(sample_report()) == Rejection::kTransactionNotFound);
  CHECK(refusal(RemoveBlocklistEntry{sample_project_id(), sample_entry_id()}) ==
        Rejection::kBlocklistEntryNotFound);
  CHECK_FALSE(refusal(SaveCustomer{sample_project_id(), sample_token(), sample_details()}));
}

TEST_CASE("each event folds into the kind of state that its stream names") {
  World world(kStart);
  for (const auto& event : every_event()) world.record(event);
  CHECK(world.states().size() == 8);
  CHECK(world.find<Project>(project_stream(sample_project_id())));
  CHECK(world.find<ApiKey>(api_key_stream(sample_api_key_id())));
  CHECK(world.find<Channel>(channel_stream(sample_channel_id())));
  CHECK(world.find<Blocklist>(blocklist_stream(sample_project_id(), Environment::kSandbox)));
  CHECK(world.find<Customer>(sample_customer_stream()));
  CHECK(world.find<Charge>(charge_stream(sample_charge_id())));
}

TEST_CASE("every event is a fact: it folds even into a state that no decision leads to") {
  const auto events = every_event();
  for (const auto& first : events) {
    for (const auto& second : events) {
      std::optional<AggregateState> state;
      state = apply(std::move(state), first.event, kStart);
      state = apply(std::move(state), second.event, kStart);
      static_cast<void>(apply(std::move(state), second.event, kStart));
    }
  }
  SUCCEED("none threw");
}

TEST_CASE("refusals are never folded") {
  const ChargeRefused refused{sample_project_id(), std::nullopt, FraudType::kBlocklistIp, Cents(1),
                              parsed<ProductName>("Camiseta")};
  CHECK_FALSE(apply(std::optional<AggregateState>(), Event(RefusalEvent(refused)), kStart));
}

TEST_CASE("the names that events claim are stored and never change") {
  const auto claims = [](const NewEvent& event) {
    Texts texts;
    for (const auto& claim : claims_of(event)) texts.push_back(claim.text());
    return texts;
  };
  const auto e2e = sample_end_to_end_id();
  const PaymentLeftUnapplied unapplied{e2e, Cents(1), kStart, PaymentFlag::kAmountMismatch};
  CHECK(claims(on_project(sample_project())) == Texts{"project/cproject00000000000000001"});
  CHECK(claims(on_api_key(sample_api_key())) ==
        Texts{"key/cproject00000000000000001/abcdef000000000000000001"});
  CHECK(claims(on_customer(sample_customer())) == Texts{"customer/ccustomer0000000000000001"});
  CHECK(claims(on_charge(ChargePaid{e2e, Cents(1), kStart, std::nullopt})) == Texts{"e2e/" + e2e.text()});
  CHECK(claims(on_charge(unapplied)) == Texts{"e2e/" + e2e.text()});
  CHECK(claims(on_charge(UnappliedPaymentAccepted{e2e, std::nullopt})).empty());
  CHECK(claims(on_charge(sample_charge())).empty());
}

}  // namespace pixledger::tests
