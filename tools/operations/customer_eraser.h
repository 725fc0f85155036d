#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/owner_lock.h"
#include "domain/aggregates/customer.h"
#include "domain/values/cuid.h"
#include "eventstore/ledger.h"
#include "eventstore/reading/erasure.h"
#include "projections/generations/erasure.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// Data that identifies a customer and remains after the erasure: it belongs to the merchant, or the proofs
// depend on it.
struct ErasureLeftovers {
  static constexpr std::size_t kListedMax = 100;

  struct Entry {
    domain::BlocklistEntryId id;
    std::string type;  // of the blocked value: "document", "email"
    bool is_removed;   // removed by the merchant; it stays in the ledger
  };
  struct Text {
    Position position;  // of its event
    std::string field;  // "requestId", "externalId", "product"
    std::string names;  // the part found by mentioned_in
  };

  std::vector<Entry> blocklist;
  std::vector<Text> texts;  // the first kListedMax
  std::uint64_t texts_found = 0;
  // An account of the dashboard has the customer's e-mail address.
  bool has_account = false;
  // Why the accounts could not be checked; empty if they were.
  std::string accounts_unread{};
};

// The customer's present and earlier details: each new charge may have changed them. Empty if erased.
using KnownDetails = std::vector<domain::CustomerDetails>;
KnownDetails details_of(const eventstore::Log& log, const domain::StreamName& stream,
                        const domain::CustomerId& customer);

// The part of any of them that the text contains, if any.
std::optional<std::string_view> mentioned_in(std::string_view text, const KnownDetails& known);

// A file in the data directory that identifies a customer, from before the erasure's record until all data is
// gone. The ledger alone does not show whether removed bytes were overwritten in its file. The file also
// lists the remaining mentions, without personal data, because no later run can find them.
class UnfinishedErasure {
 public:
  // Durable on return. One at a time (the caller's lock). Throws std::system_error.
  UnfinishedErasure(const std::filesystem::path& data, const domain::CustomerId& customer);
  // Removes the mark if nothing was recorded and it did not exist before.
  ~UnfinishedErasure();
  UnfinishedErasure(const UnfinishedErasure&) = delete;
  UnfinishedErasure& operator=(const UnfinishedErasure&) = delete;

  // The erasure is recorded: the mark remains until finish().
  void keep() { stays_ = true; }
  // Durable on return.
  void note(const ErasureLeftovers& left) const;
  // An earlier run's note; nullopt if missing or damaged.
  std::optional<ErasureLeftovers> noted() const;
  void finish();

 private:
  const std::filesystem::path file_;
  const domain::CustomerId customer_;
  bool stays_;
};

// Customers of running and unfinished erasures.
std::vector<std::string> find_unfinished_erasures(const std::filesystem::path& data);

// Customers of erasures whose process was stopped.
std::vector<std::string> find_abandoned_erasures(const DataDirectory& data);

// The result of an erasure.
struct ErasureReport {
  domain::CustomerId customer;
  Timestamp erased_at;
  Position position;                 // of its event
  std::uint64_t records = 0;         // events whose personal data was removed
  std::uint64_t charges = 0;         // of the customer
  std::uint64_t emails_removed = 0;  // from the outbox
  // A customer with the same document in the other environment, who has not been erased.
  std::optional<domain::CustomerId> other_customer{};
  domain::Environment other_environment{};
};

// Removes a customer's personal data from everything in a data directory, while server and workers run.
// Records the event first, then removes the data. If interrupted at any point, running it again finishes it.
class CustomerEraser {
 public:
  // `patience` limits the wait for a server's part, and for readers of the old data. Context and ledger must
  // outlive it.
  CustomerEraser(CommandContext& context, eventstore::Ledger& ledger, std::chrono::milliseconds patience)
      : context_(context), ledger_(ledger), patience_(patience) {}

  // Nullopt, with a message on stderr, if the customer does not exist or the reason identifies them. Throws
  // std::runtime_error with advice if another process blocks the erasure.
  std::optional<ErasureReport> erase(const domain::CustomerId& id, const domain::Label& reason);

  // The remaining mentions of the customer, available once erase() has found them, even if it fails later.
  // Finding them needs data that is then gone, so runs until finish() read the first run's note. Absent if
  // the data was already gone.
  const std::optional<ErasureLeftovers>& left() const { return left_; }

  // Call it after printing the report: later runs have no list of mentions.
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
  // Records that this node is done; throws unless all other nodes are, too.
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
