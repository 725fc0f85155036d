#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "domain/aggregates/event.h"
#include "projections/list/project_lists.h"
#include "projections/views/charge_sums.h"
#include "projections/views/feed_reader.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {

// Applies the events of one batch to the rows, in one LMDB transaction. A row is the folded state, so this
// class has no business rules. Changes to the list models are collected, to be applied after the commit.
class ViewRows {
 public:
  // Both must outlive this object.
  ViewRows(const ViewTables& tables, MDB_txn* transaction);

  // The events follow the previous ones without a gap. They must live until the list changes have been
  // applied.
  void apply(const domain::RecordedEvent& event);
  // Call after the last event of the batch and before the commit.
  void finish();

  const ListChanges& list_changes() const { return changes_; }

  void operator()(const domain::ChargeEvent& event);
  void operator()(const domain::CustomerEvent& event);
  void operator()(const domain::RefusalEvent& event);
  // For operators only: in no feed.
  void operator()(const domain::PaymentEvent& event);
  void operator()(const domain::CheckoutEvent& event);
  // Read from their streams; their only rows are the feed's.
  void operator()(const domain::ProjectEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::ApiKeyEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::ChannelEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::BlocklistEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::BankConnectionEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::TeamEvent&) { list_in_feed(event_->stream.environment()); }

 private:
  // Nullopt: the event belongs to both environments; only live keys see it.
  void list_in_feed(std::optional<domain::Environment> environment);
  void index_block(std::uint32_t ordinal, const domain::Customer& customer);
  // Payments of a charge that are still to settle.
  void count_unapplied(std::uint32_t ordinal, const UnappliedSum& before, const domain::Charge& after);
  void index_partial_refund(std::uint32_t ordinal, bool was_partly_refunded, const domain::Charge& after);
  // Adds to the number under the key. A zero is stored as a missing row, so that rows do not depend on batch
  // boundaries.
  void add_to_meta(std::string_view key, std::int64_t delta);
  ProjectCounts& counts_of(const domain::ProjectId& project);
  void index_email(const domain::ProjectId& project, std::uint32_t ordinal,
                   const std::optional<domain::CustomerDetails>& before,
                   const std::optional<domain::CustomerDetails>& after);

  const ViewTables& tables_;
  MDB_txn* transaction_;
  // New charges are adjacent, and changed ones usually are too. Open until finish().
  std::optional<eventstore::LmdbCursor> new_charges_;
  std::optional<eventstore::LmdbCursor> changed_charges_;
  std::optional<eventstore::LmdbCursor> charges_in_order_;
  const domain::RecordedEvent* event_ = nullptr;
  using Counts = std::unordered_map<domain::ProjectId, ProjectCounts>;
  Counts counts_;
  Counts::value_type* count_ = nullptr;                                           // the last one used
  using Feed = std::map<std::pair<domain::ProjectId, std::uint64_t>, FeedChunk>;  // by chunk index
  Feed feed_;
  Feed::value_type* chunk_ = nullptr;  // of the previous event
  ChargeSumsBatch sums_;
  std::map<domain::Environment, std::int64_t> unapplied_deltas_;
  ListChanges changes_;
};

}  // namespace pixledger::projections
