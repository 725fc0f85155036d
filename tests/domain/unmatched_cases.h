#pragma once

#include "domain/decisions/decide.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

// A payment of 100.00 that matches no charge, an unapplied one of a charge, and commands on them.
namespace pixledger::tests::unmatched_cases {

using namespace domain;

inline const auto kE2e = sample_end_to_end_id();
inline const auto kId = sample_charge_id();
inline const std::optional<Label> kWhy = parsed<Label>("not ours");

inline NewEvent bank_added(Environment environment = Environment::kLive) {
  const auto command = sample_bank_connection("banco", environment);
  return on_project(ConnectionAdded{Connection{.id = command.id,
                                               .alias = command.alias,
                                               .provider_id = std::string(kApiPixProvider),
                                               .provider_name = command.provider_name.text(),
                                               .environment = command.environment,
                                               .api_pix = command.api_pix}});
}

inline PaymentUnmatched unmatched(std::int64_t cents = 10'000) {
  return {.end_to_end_id = kE2e,
          .project = sample_project_id(),
          .environment = Environment::kLive,
          .connection = sample_bank_id(),
          .amount = Cents(cents),
          .paid_at = kStart,
          .txid = std::nullopt,
          .reason = UnmatchedReason::kNoTxid};
}

inline RecordUnmatchedPayment told() {
  return {.project = sample_project_id(),
          .connection = sample_bank_id(),
          .end_to_end_id = kE2e,
          .amount = Cents(10'000),
          .paid_at = kStart,
          .txid = std::nullopt,
          .reason = UnmatchedReason::kNoTxid};
}

inline ChargeCreated charge_of(Environment environment, bool through_bank = true) {
  auto created = sample_charge(environment);
  created.through_bank = through_bank;
  return created;
}

inline Given ledger() { return given({on_project(sample_project()), bank_added()}); }
inline Given with_charge(Environment environment = Environment::kLive) {
  return ledger().and_given({on_charge(charge_of(environment))});
}
inline Given open_payment(std::int64_t cents = 10'000) {
  return with_charge().and_given({on_payment(unmatched(cents))});
}
inline Given unapplied_payment(bool through_bank = true) {
  return ledger().and_given(
      {on_charge(charge_of(Environment::kLive, through_bank)),
       on_charge(PaymentLeftUnapplied{kE2e, Cents(1), kStart, PaymentFlag::kAmountMismatch})});
}

inline const AssignPayment kAssign{sample_project_id(), kE2e, kId};
inline ClosePayment close(bool send_back) { return {sample_project_id(), kE2e, send_back, kWhy}; }
inline ReturnUnappliedPayment give_back(bool send_back) { return {kId, kE2e, kWhy, send_back}; }

inline const auto kReturn = parsed<ReturnId>("D18236120202603011200s1a2b3c4d5e");

inline const UnmatchedPayment& payment_in(const World& world) {
  return *world.find<UnmatchedPayment>(payment_stream(kE2e));
}
inline const Charge& charge_in(const World& world) { return *world.find<Charge>(charge_stream(kId)); }

inline ChargePaid paid(std::int64_t cents = 10'000) {
  return {kE2e, Cents(cents), kStart, fee_of(sample_settings(), Cents(cents))};
}

}  // namespace pixledger::tests::unmatched_cases
