#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/aggregates/charge.h"
#include "eventstore/log/log.h"
#include "tools/accounting/statement.h"
#include "tools/cli/period.h"

namespace pixledger::tools {

enum class Match {
  kMatched,          // both have it, alike; nothing to do, also when it was accepted or returned later
  kMissingInLedger,  // the ledger has no such payment of this project, or it has it for another charge
  kMissingInStatement,
  kAmountDiffers,  // from the statement's, or (unsettled) from the charge's
  kLate,           // after the charge's expiry or end, and unsettled
  kDoubled,        // twice in the statement, or a second payment of its charge, and unsettled
  kUnmatched,      // the ledger has it as one that fits no charge, and it is not settled
};
std::string_view to_string(Match match);  // "missingInLedger"

struct Reconciled {
  Match match;
  domain::EndToEndId end_to_end_id;
  std::optional<std::size_t> line{};  // of the statement
  std::optional<domain::Cents> statement_amount{};
  std::optional<domain::Timestamp> statement_paid_at{};
  std::optional<domain::Cents> ledger_amount{};
  std::optional<domain::Timestamp> ledger_paid_at{};
  std::optional<domain::ChargeId> charge{};
  std::optional<domain::Cents> charge_amount{};  // what that one asks for
  std::optional<domain::PaymentFlag> flag{};     // of one that is not applied to its charge
};

struct Reconciliation {
  domain::Environment environment;
  domain::Position as_of;
  std::vector<Reconciled> items;  // the statement's in its order, then the ledger's
};

// An acquirer's statement against the payments that the ledger has of a project. Money moves in `live` alone,
// so those are compared, but where every payment that the statement and the ledger share is a sandbox one.
// The ledger's payments count when they were paid within the period.
Reconciliation reconcile(const eventstore::Log& log, const domain::ProjectId& project,
                         const std::vector<StatementLine>& statement, const Period& period);

}  // namespace pixledger::tools
