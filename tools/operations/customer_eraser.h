#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/platform/owner_lock.h"
#include "domain/values/cuid.h"
#include "eventstore/reading/erasure.h"
#include "projections/generations/erasure_follower.h"
#include "tools/cli/command_context.h"
#include "tools/operations/erasure_leftovers.h"
#include "tools/operations/unfinished_erasure.h"

namespace pixledger::tools {

// What an erasure came to.
struct ErasureReport {
  domain::CustomerId customer;
  Timestamp erased_at;
  Position position;                 // of the event
  std::uint64_t records = 0;         // events that have no personal data any more
  std::uint64_t charges = 0;         // of the customer
  std::uint64_t emails_removed = 0;  // from the outbox
  // Of the same document in the other environment, who has not been erased.
  std::optional<domain::CustomerId> other_customer{};
  domain::Environment other_environment{};
};

// Removes a customer's personal data from everything below a data directory, while server and workers go on:
// the event first, then what it takes away. Whatever ends it in between, doing it again finishes it.
class CustomerEraser {
 public:
  // `patience`: with a server that has its part to do, and with whoever still reads the old data.
  // Context and ledger outlive it.
  CustomerEraser(CommandContext& context, eventstore::Ledger& ledger, std::chrono::milliseconds patience)
      : context_(context), ledger_(ledger), patience_(patience) {}

  // Nullopt when there is no such customer, or the reason names them; that has been said on stderr. Throws
  // std::runtime_error when somebody was in the way, and says what to do.
  std::optional<ErasureReport> erase(const domain::CustomerId& id, const domain::Label& reason);

  // What goes on naming the customer, as soon as erase() has found it, whatever becomes of the rest. Their
  // data, which it takes to find this, is gone afterwards: each run until finish() reads what the first has
  // noted. Absent when the data had gone before.
  const std::optional<ErasureLeftovers>& left() const { return left_; }

  // Call it once the report has been printed: the next run has no list of what is left.
  void finish() { mark_->finish(); }

 private:
  std::optional<eventstore::Erasure> record(const domain::StreamName& stream, const domain::CustomerId& id,
                                            const domain::Label& reason);
  ErasureReport remove_data(const eventstore::Erasure& erasure, const domain::ProjectId& project,
                            const KnownDetails& known);
  void look_through_accounts(const KnownDetails& known, ErasureLeftovers& left) const;
  std::uint64_t remove_emails(const std::vector<domain::ChargeId>& charges) const;
  void erase_answers(const std::vector<domain::ChargeId>& charges) const;
  projections::PendingErasures find_pending(const eventstore::Erasure& but) const;
  // Notes that this node has done it, and throws unless all the others have, too.
  void wait_for_nodes(Position done_up_to, Position erased) const;
  void scrub_ledger();

  CommandContext& context_;
  eventstore::Ledger& ledger_;
  const std::chrono::milliseconds patience_;
  std::optional<ErasureLeftovers> left_{};
  std::unique_ptr<OwnerLock> turn_{};
  std::optional<UnfinishedErasure> mark_{};
};

}  // namespace pixledger::tools
