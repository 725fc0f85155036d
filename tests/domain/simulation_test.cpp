// Thousands of random commands of every kind on the domain alone, each checked against a second model of the
// rules. PIXLEDGER_SEED sets the seed; a failure prints it.
#include <catch2/catch.hpp>
#include <string>

#include "domain/rules/event_rules.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/ledger_model.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/domain/world.h"

namespace pixledger::tests {
namespace {

using namespace domain;

constexpr unsigned kSteps = 4'000;

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : commands_(seed) {}

  void step() {
    world_.advance_millis(commands_.next_pause_ms());
    const auto before = world_.events().size();
    const auto command = commands_.next(world_.now());
    const auto decision = world_.execute(command);
    const std::vector<RecordedEvent> recorded(world_.events().begin() + static_cast<std::ptrdiff_t>(before),
                                              world_.events().end());
    model_.observe(command, decision.outcome, recorded);
    for (const auto& event : recorded) {
      commands_.learn(event.stream, event.project, event.event);
      check_stream(event.stream);
    }
    INFO("command of kind " << command.index() << ", " << describe(decision.outcome));
    REQUIRE(model_.problems() == std::vector<std::string>());
  }

  // Checks everything from the first event.
  void check_all() {
    std::map<StreamName, AggregateState> folded;
    for (const auto& event : world_.events()) {
      const auto found = folded.find(event.stream);
      std::optional<AggregateState> state;
      if (found != folded.end()) state = found->second;
      INFO("position " << event.position.value() << ", " << event.stream.text());
      REQUIRE_FALSE(broken_rule(state ? &*state : nullptr, event));
      state = apply(std::move(state), event.event, event.recorded_at);
      if (state)
        folded.insert_or_assign(event.stream, std::move(*state));
      else
        folded.erase(event.stream);
    }
    REQUIRE(folded.size() == world_.states().size());
    for (const auto& [stream, state] : folded)
      REQUIRE(describe(state) == describe(world_.states().at(stream)));
    model_.audit();
    REQUIRE(model_.problems() == std::vector<std::string>());
  }

  const LedgerModel& model() const { return model_; }

 private:
  // Checks that a new fold of the stream equals the state that decisions saw, and that the model agrees.
  void check_stream(const StreamName& stream) {
    std::optional<AggregateState> folded;
    for (const auto& event : world_.events_of(stream))
      folded = apply(std::move(folded), event.event, event.recorded_at);
    const auto known = world_.states().find(stream);
    REQUIRE(folded.has_value() == (known != world_.states().end()));
    if (!folded) return;
    REQUIRE(describe(*folded) == describe(known->second));
    if (const auto* charge = std::get_if<Charge>(&*folded)) model_.compare(*charge);
  }

  World world_{kStart};
  RandomCommands commands_;
  LedgerModel model_;
};

}  // namespace

TEST_CASE("no sequence of commands breaks the ledger's rules") {
  const auto base = seed_from_environment(1);
  std::map<std::string, unsigned> seen;
  for (std::uint64_t seed = base; seed < base + 4; ++seed) {
    INFO("PIXLEDGER_SEED=" << seed);
    Simulation simulation(seed);
    for (unsigned step = 0; step < kSteps; ++step) simulation.step();
    simulation.check_all();
    for (const auto& [kind, count] : simulation.model().seen()) seen[kind] += count;
  }

  // A simulation without effect would break no rule either.
  for (const auto* kind : {"ProjectCreated",
                           "StoreSettingsChanged",
                           "ConnectionAdded",
                           "ConnectionChanged",
                           "DefaultConnectionSet",
                           "ConnectionConfigured",
                           "CallbackRegistered",
                           "CallbackRemoved",
                           "ApiKeyIssued",
                           "ApiKeyExpirySet",
                           "ApiKeyRevoked",
                           "ChannelAdded",
                           "ChannelChanged",
                           "ChannelDeleted",
                           "ChannelSecretRotated",
                           "ChannelDisabled",
                           "ChannelTestRequested",
                           "DeliveryRedeliveryRequested",
                           "DeliveriesRecoveryRequested",
                           "BlocklistEntryAdded",
                           "BlocklistEntryRemoved",
                           "CustomerRegistered",
                           "CustomerUpdated",
                           "CustomerBlocked",
                           "CustomerUnblocked",
                           "CustomerErased",
                           "ChargeCreated",
                           "ChargePaid",
                           "ChargeProcessingStarted",
                           "ChargeExpired",
                           "ChargeCancelled",
                           "ChargeFailed",
                           "ChargeRefunded",
                           "PaymentLeftUnapplied",
                           "UnappliedPaymentAccepted",
                           "UnappliedPaymentAdded",
                           "UnappliedPaymentReturned",
                           "ChargeRefused",
                           "flag 1",
                           "flag 2",
                           "flag 3",
                           "flag 4"}) {
    INFO(kind);
    CHECK(seen[kind] > 0);
  }
  for (const auto rejection : {Rejection::kTransactionNotFound,
                               Rejection::kTransactionStatus,
                               Rejection::kTransactionOfAnotherProject,
                               Rejection::kAmountAboveMaximum,
                               Rejection::kRefundNotAllowed,
                               Rejection::kNotSandbox,
                               Rejection::kNoPixKey,
                               Rejection::kCustomerNotFound,
                               Rejection::kCustomerBlocked,
                               Rejection::kBlocklisted,
                               Rejection::kUnknownConnection,
                               Rejection::kConnectionAliasTaken,
                               Rejection::kConnectionIsDefault,
                               Rejection::kConnectionDisabled,
                               Rejection::kConnectionChangedMeanwhile,
                               Rejection::kNotApiPix,
                               Rejection::kInvalidDocumentCheckDigits,
                               Rejection::kEndToEndIdTaken,
                               Rejection::kPaymentNotFound,
                               Rejection::kChannelLimit,
                               Rejection::kChannelNotFound,
                               Rejection::kChannelInactive,
                               Rejection::kDeliveryNotFound,
                               Rejection::kBlocklistEntryNotFound,
                               Rejection::kProjectNotFound,
                               Rejection::kApiKeyNotFound,
                               Rejection::kApiKeyUnusable,
                               Rejection::kBlockExpiryInPast,
                               Rejection::kPaymentInFuture}) {
    INFO("rejection " << static_cast<int>(rejection));
    CHECK(seen["rejection " + std::to_string(static_cast<int>(rejection))] > 0);
  }
}

TEST_CASE("the same seed gives the same ledger") {
  const auto ledger = [](std::uint64_t seed) {
    World world(kStart);
    RandomCommands commands(seed);
    std::string text;
    for (int i = 0; i < 200; ++i) {
      world.advance_millis(commands.next_pause_ms());
      for (const auto& event : world.execute(commands.next(world.now())).events) {
        commands.learn(event.stream, event.project, event.event);
        text += describe(event) + '\n';
      }
    }
    return text;
  };
  CHECK(ledger(7) == ledger(7));
  CHECK(ledger(7) != ledger(8));
}

}  // namespace pixledger::tests
