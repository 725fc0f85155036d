#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/charge.h"
#include "eventstore/postgres/lost_commits.h"

// Data that only a kept copy of a shared ledger contains, for the operator's decision.
namespace pixledger::tools {

// A charge created in the copy's history.
struct KeptCharge {
  domain::ChargeId id;
  std::optional<domain::ExternalId> external_id;
  domain::Environment environment;
  domain::Cents amount;
  domain::ChargeStatus status;  // as of the copy's end
  Timestamp created_at;
};
// A payment recorded there.
struct KeptPayment {
  domain::EndToEndId id;
  domain::Environment environment;
  domain::Cents amount;
  Timestamp paid_at;
  std::optional<domain::ChargeId> charge;  // the payment's charge
  bool was_applied = false;                // it paid the charge
  bool is_in_ledger = false;               // the ledger has recorded it too, before or since
};
// A refund recorded there.
struct KeptRefund {
  domain::ChargeId charge;
  domain::Environment environment;
  domain::Cents amount;
  Timestamp recorded_at;
};
struct KeptProject {
  std::string name;  // empty: neither the copy nor the ledger has it
  std::vector<KeptCharge> charges;
  std::vector<KeptPayment> payments;
  std::vector<KeptRefund> refunds;
  std::map<std::string, std::uint64_t> other_events;  // counts by event type
};

struct KeptHistory {
  std::string history;  // its name in PostgreSQL
  Position last;        // of the copy
  Timestamp last_time;  // of its newest commit
  eventstore::Fork fork;
  std::map<domain::ProjectId, KeptProject> projects;
};

// Throws as find_fork() does.
KeptHistory read_kept_history(const eventstore::KeptCopy& kept, const eventstore::Log& ledger);

template <class Entries>
domain::Cents sum_of_amounts(const Entries& entries) {
  domain::Cents sum{0};
  for (const auto& entry : entries) sum = sum + entry.amount;
  return sum;
}

}  // namespace pixledger::tools
