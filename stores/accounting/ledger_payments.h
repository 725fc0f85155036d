#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/unmatched_payment.h"

// Money as the ledger has it, charges' and what fitted none.
namespace pixledger::stores {

struct LedgerReturn {
  std::string id;         // the devolução's; empty where somebody recorded it without one
  std::string return_id;  // the payments system's, where the bank said it
  domain::Cents amount;
  std::optional<Timestamp> at;  // when it went; else when that was asked for or recorded
  bool is_done = true;          // false: the bank has not said so yet
  bool moved = true;            // by a bank; false: somebody recorded that it goes back another way
};

struct LedgerPayment {
  domain::EndToEndId end_to_end_id;
  domain::Environment environment;
  std::optional<domain::ChargeId> charge{};  // absent: it fitted none
  std::optional<domain::Cents> charge_amount{};
  domain::Cents amount;
  Timestamp paid_at;
  std::optional<domain::PaymentFlag> unsettled{};
  bool is_unmatched = false;  // and not settled
  bool was_assigned = false;  // by a person, whatever its txid says
  std::string txid{};         // of one that fitted none
  std::vector<LedgerReturn> returns{};
};

// What a charge's events say of returns beside its state.
struct ReturnFacts {
  std::map<std::string, Timestamp> recorded_at{};   // the last word of each payment that is to go back
  std::map<std::string, std::string> return_ids{};  // the payments system's, by the refund's own

  void add(const domain::ChargeEvent& event, Timestamp recorded_at);
};

// All that came for a charge.
std::vector<LedgerPayment> payments_of(const domain::Charge& charge, const ReturnFacts& facts);
LedgerPayment payment_of(const domain::UnmatchedPayment& payment);

// Whether a charge's event tells of money that came or went.
bool moves_money(const domain::ChargeEvent& event);

}  // namespace pixledger::stores
