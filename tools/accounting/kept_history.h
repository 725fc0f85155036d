#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/charge.h"
#include "eventstore/postgres/lost_commits.h"

// What only a kept copy of a shared ledger has, for operators who must decide about it.
namespace pixledger::tools {

// A charge that was created in the copy's history.
struct KeptCharge {
  domain::ChargeId id;
  std::optional<domain::ExternalId> external_id;
  domain::Environment environment;
  domain::Cents amount;
  domain::ChargeStatus status;  // as of the copy's end
  Timestamp created_at;
};
// A payment that was recorded there.
struct KeptPayment {
  domain::EndToEndId id;
  domain::Environment environment;
  domain::Cents amount;
  Timestamp paid_at;
  std::optional<domain::ChargeId> charge;  // that it was for
  bool was_applied = false;                // it paid the charge
  bool is_in_ledger = false;               // which has recorded it as well, before or since
};
// A refund that was recorded there.
struct KeptRefund {
  domain::ChargeId charge;
  domain::Environment environment;
  domain::Cents amount;
  Timestamp recorded_at;
};
struct KeptProject {
  std::string name;  // empty: neither the copy nor the ledger can tell
  std::vector<KeptCharge> charges;
  std::vector<KeptPayment> payments;
  std::vector<KeptRefund> refunds;
  std::map<std::string, std::uint64_t> other_events;  // how many of each kind
};

struct KeptHistory {
  std::string history;  // as PostgreSQL calls it
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
