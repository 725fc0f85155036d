// In any order of reports, assignments, closings and returns no money is lost, and none counts twice.
// PIXLEDGER_SEED sets the seed; a failure prints it.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "domain/aggregates/charge.h"
#include "domain/rules/event_rules.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/domain/world.h"

namespace pixledger::tests {
namespace {

using namespace domain;

constexpr unsigned kPayments = 16;
constexpr unsigned kCharges = 8;
constexpr unsigned kSteps = 300;

ChargeId charge_id(unsigned number) {
  return parsed<ChargeId>("ccharge00000000000000000" + std::to_string(number));
}

// A bank with a few payments of a few amounts, and charges that some of them match.
class Bank {
 public:
  explicit Bank(std::uint64_t seed) : random_(seed) {
    world_.record(on_project(sample_project()));
    const auto bank = sample_bank_connection("banco", Environment::kLive);
    world_.record(on_project(ConnectionAdded{Connection{.id = bank.id,
                                                        .alias = bank.alias,
                                                        .provider_id = std::string(kApiPixProvider),
                                                        .provider_name = bank.provider_name.text(),
                                                        .environment = Environment::kLive,
                                                        .api_pix = bank.api_pix}}));
    for (unsigned i = 0; i < kCharges; ++i) {
      auto created = sample_charge(Environment::kLive);
      created.id = charge_id(i);
      created.amount = Cents(100);
      created.through_bank = true;
      world_.record({charge_stream(created.id), sample_project_id(), ChargeEvent(created)});
    }
  }

  void step() {
    const auto command = next();
    const auto decision = world_.execute(command);
    if (decision.outcome.done()) note(command);
    for (; checked_ < world_.events().size(); ++checked_) check(world_.events()[checked_]);
    weigh();
  }

  std::map<std::string, unsigned> seen() const { return seen_; }

 private:
  Cents amount_of(unsigned payment) const { return Cents(payment % 3 == 0 ? 99 : 100); }

  Command next() {
    const auto payment = static_cast<unsigned>(random_.below(kPayments));
    const auto id = sample_end_to_end_id(payment + 1);
    const auto charge = charge_id(static_cast<unsigned>(random_.below(kCharges)));
    if (random_.one_in(3)) {
      const ReportPayment report{sample_project_id(), charge, id, amount_of(payment), kStart};
      if (random_.one_in(3)) return report;
      return RecordUnmatchedPayment{.project = sample_project_id(),
                                    .connection = sample_bank_id(),
                                    .end_to_end_id = id,
                                    .amount = amount_of(payment),
                                    .paid_at = kStart,
                                    .txid = std::nullopt,
                                    .reason = UnmatchedReason::kNoTxid};
    }
    const auto* has_it = holder(id);
    const auto its_charge = has_it ? has_it->id : charge;
    switch (random_.below(7)) {
      case 0:
        return AssignPayment{sample_project_id(), id, charge};
      case 1:
        return ClosePayment{sample_project_id(), id, random_.one_in(2), std::nullopt};
      case 2:
        return ReturnUnappliedPayment{its_charge, id, std::nullopt, random_.one_in(2)};
      case 3:
        return settlement(id);
      case 4:
        return random_.one_in(2) ? failure(id) : reversal(id);
      case 5:
        return AcceptUnappliedPayment{sample_project_id(), its_charge, id, random_.one_in(2)};
      default:
        return RefundCharge{merchant(), charge, std::nullopt, std::nullopt};
    }
  }

  // The id of the return that was requested for the payment, or nullopt.
  std::optional<RefundId> asked_return(const EndToEndId& id) const {
    const auto* unmatched = world_.find<UnmatchedPayment>(payment_stream(id));
    if (unmatched && unmatched->state == UnmatchedState::kReturning) return unmatched->return_id;
    const auto* charge = holder(id);
    if (charge)
      for (const auto& payment : charge->unapplied)
        if (payment.end_to_end_id == id) return payment.return_id;
    return std::nullopt;
  }
  const Charge* holder(const EndToEndId& id) const {
    const auto* stream = world_.claim_holder(end_to_end_claim(id));
    return stream ? world_.find<Charge>(*stream) : nullptr;
  }
  RefundId any_return(const EndToEndId& id) {
    const auto asked = asked_return(id);
    return asked && !random_.one_in(6) ? *asked : parsed<RefundId>("bank" + std::to_string(random_.below(9)));
  }
  Command settlement(const EndToEndId& id) {
    if (const auto* charge = holder(id)) return SettleUnappliedReturn{charge->id, id, any_return(id), kStart};
    return SettlePaymentReturn{id, any_return(id), kStart};
  }
  Command failure(const EndToEndId& id) {
    if (const auto* charge = holder(id))
      return FailUnappliedReturn{charge->id, id, any_return(id), std::nullopt};
    return FailPaymentReturn{id, any_return(id), std::nullopt};
  }

  Command reversal(const EndToEndId& id) {
    // Now and then one that was reported before.
    auto& number = reversals_[id];
    if (number == 0 || !random_.one_in(4)) number = ++reversals_made_;
    const auto part = parsed<RefundId>("med" + std::to_string(number));
    const auto name = parsed<ReturnId>("D182361202026030112000000" + std::to_string(1'000'000 + number));
    const auto taken = taken_.find(id);
    const auto most = taken == taken_.end() ? 10 : taken->second.value();
    const Cents amount(random_.one_in(3) ? most : 1 + static_cast<std::int64_t>(random_.below(40)));
    if (const auto* charge = holder(id))
      return ReportUnappliedReversal{charge->id, id, part, name, amount, kStart};
    return ReportUnmatchedReversal{id, part, name, amount, kStart};
  }

  // The ledger must keep every payment that it has recorded.
  void note(const Command& command) {
    if (const auto* paid = std::get_if<ReportPayment>(&command))
      taken_.insert_or_assign(paid->end_to_end_id, paid->amount);
    if (const auto* found = std::get_if<RecordUnmatchedPayment>(&command))
      taken_.insert_or_assign(found->end_to_end_id, found->amount);
  }

  void check(const RecordedEvent& event) {
    INFO(describe(event));
    ++seen_[describe(event.event).substr(0, describe(event.event).find('{'))];
    auto& state = folded_[event.stream];
    REQUIRE_FALSE(broken_rule(state ? &*state : nullptr, event));
    state = apply(std::move(state), event.event, event.recorded_at);
  }

  // Recorded = paid + unapplied + unmatched + closed + returned, each payment in one place.
  void weigh() {
    std::map<EndToEndId, Cents> found;
    const auto add = [&](const EndToEndId& id, Cents amount) {
      INFO(id.text());
      REQUIRE(found.emplace(id, amount).second);
    };
    for (const auto& [stream, state] : world_.states()) {
      if (const auto* charge = std::get_if<Charge>(&state)) {
        for (const auto& counted : counted_payments(*charge)) {
          add(counted.payment.end_to_end_id, counted.payment.amount);
          REQUIRE(counted.gone_back <= counted.payment.amount);
        }
        if (charge->payment) REQUIRE(charge->refunded <= charge->payment->amount);
        for (const auto* list : {&charge->unapplied, &charge->returned})
          for (const auto& payment : *list) {
            add(payment.end_to_end_id, payment.amount);
            REQUIRE(sum_of(payment.reversed) <= payment.amount);
          }
      }
      const auto* unmatched = std::get_if<UnmatchedPayment>(&state);
      if (unmatched && unmatched->state != UnmatchedState::kAssigned)
        add(unmatched->end_to_end_id, unmatched->amount);
    }
    REQUIRE(found == taken_);
  }

  std::map<EndToEndId, unsigned> reversals_{};
  unsigned reversals_made_ = 0;
  World world_{kStart};
  RandomNumbers random_;
  std::map<StreamName, std::optional<AggregateState>> folded_;
  std::map<EndToEndId, Cents> taken_;
  std::map<std::string, unsigned> seen_;
  std::size_t checked_ = 0;
};

}  // namespace

TEST_CASE("payments reported, assigned, closed and returned in any order stay in one place each") {
  const auto base = seed_from_environment(1);
  std::map<std::string, unsigned> seen;
  for (std::uint64_t seed = base; seed < base + 12; ++seed) {
    INFO("PIXLEDGER_SEED=" << seed);
    Bank bank(seed);
    for (unsigned step = 0; step < kSteps; ++step) bank.step();
    for (const auto& [kind, count] : bank.seen()) seen[kind] += count;
  }
  // A run without effect would lose nothing either.
  for (const auto* kind : {"PaymentUnmatched", "PaymentAssigned", "PaymentClosed", "PaymentReturnRequested",
                           "PaymentReturned", "PaymentReturnFailed", "ChargePaid", "PaymentLeftUnapplied",
                           "UnappliedPaymentAccepted", "UnappliedPaymentAdded", "UnappliedReturnRequested",
                           "UnappliedReturnFailed", "UnappliedPaymentReturned", "RefundRequested",
                           "UnmatchedPaymentReversed", "UnappliedPaymentReversed", "PaymentReversed"}) {
    INFO(kind);
    CHECK(seen[kind] > 0);
  }
}

}  // namespace pixledger::tests
