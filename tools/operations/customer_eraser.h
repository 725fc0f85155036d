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

// What names a customer and stays when they are erased: it belongs to the merchant, or is part of what the
// proofs are about.
struct ErasureLeftovers {
  static constexpr std::size_t kListedMax = 100;

  struct Entry {
    domain::BlocklistEntryId id;
    std::string type;  // of what it blocks: "document", "email"
    bool is_removed;   // by the merchant, which leaves it in the ledger
  };
  struct Text {
    Position position;  // of the event that has it
    std::string field;  // "requestId", "externalId", "product"
    std::string names;  // see domain::mentioned_in
  };

  std::vector<Entry> blocklist;
  std::vector<Text> texts;  // the first kListedMax
  std::uint64_t texts_found = 0;
  // An account of the dashboard has the customer's e-mail address.
  bool has_account = false;
  // Why the accounts could not be checked; empty if they were.
  std::string accounts_unread{};
};

// What a customer is called, and was called before: each creation of a charge may have renamed them. Empty
// where that is erased.
using KnownDetails = std::vector<domain::CustomerDetails>;
KnownDetails details_of(const eventstore::Log& log, const domain::StreamName& stream,
                        const domain::CustomerId& customer);

// The part of any of them that a text gives away, as domain::mentioned_in has it.
std::optional<std::string_view> mentioned_in(std::string_view text, const KnownDetails& known);

// A file in the data directory that names a customer from before their erasure is recorded until nothing of
// them is left. The ledger alone does not tell whether what removed bytes leave in its file was overwritten.
// The file also lists what goes on naming them, which no later run can find, without personal data.
class UnfinishedErasure {
 public:
  // Durable on return. One at a time (the caller's lock). Throws std::system_error.
  UnfinishedErasure(const std::filesystem::path& data, const domain::CustomerId& customer);
  // Takes the mark away if nothing was recorded and it was not there before.
  ~UnfinishedErasure();
  UnfinishedErasure(const UnfinishedErasure&) = delete;
  UnfinishedErasure& operator=(const UnfinishedErasure&) = delete;

  // The erasure is recorded: the mark stays until finish().
  void keep() { stays_ = true; }
  // Durable on return.
  void note(const ErasureLeftovers& left) const;
  // What an earlier run noted; nullopt: nothing, or the file is damaged.
  std::optional<ErasureLeftovers> noted() const;
  void finish();

 private:
  const std::filesystem::path file_;
  const domain::CustomerId customer_;
  bool stays_;
};

// Their customers, while they are under way or when they were not finished.
std::vector<std::string> find_unfinished_erasures(const std::filesystem::path& data);

// Those of them that nobody is working on: whoever did was stopped.
std::vector<std::string> find_abandoned_erasures(const DataDirectory& data);

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
