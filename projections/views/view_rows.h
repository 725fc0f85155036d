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

// What the events of one batch do to the rows, in one LMDB transaction. A row is the folded state itself, so
// this knows no rule of its own. What it means to the list models is collected, to be applied once the
// transaction has committed.
class ViewRows {
 public:
  // Both outlive it.
  ViewRows(const ViewTables& tables, MDB_txn* transaction);

  // The events follow the last ones without a gap, and live until the list changes have been applied.
  void apply(const domain::RecordedEvent& event);
  // After the last event of the batch, and before the transaction commits.
  void finish();

  const ListChanges& list_changes() const { return changes_; }

  void operator()(const domain::ChargeEvent& event);
  void operator()(const domain::CustomerEvent& event);
  void operator()(const domain::RefusalEvent& event);
  // The operators' alone: in no feed.
  void operator()(const domain::PaymentEvent& event);
  void operator()(const domain::CheckoutEvent& event);
  // These are read from their streams, and have no rows besides the feed's.
  void operator()(const domain::ProjectEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::ApiKeyEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::ChannelEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::BlocklistEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::BankConnectionEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::TeamEvent&) { list_in_feed(event_->stream.environment()); }

 private:
  // Nullopt: what belongs to both environments, and is told to live keys.
  void list_in_feed(std::optional<domain::Environment> environment);
  void index_block(std::uint32_t ordinal, const domain::Customer& customer);
  // Payments to settle, of a charge.
  void count_unapplied(std::uint32_t ordinal, const UnappliedSum& before, const domain::Charge& after);
  // Adds to the number under the key. There is none instead of 0, so that the rows do not depend on the
  // batches they were made in.
  void add_to_meta(std::string_view key, std::int64_t delta);
  ProjectCounts& counts_of(const domain::ProjectId& project);
  void index_email(const domain::ProjectId& project, std::uint32_t ordinal,
                   const std::optional<domain::CustomerDetails>& before,
                   const std::optional<domain::CustomerDetails>& after);

  const ViewTables& tables_;
  MDB_txn* transaction_;
  // New charges lie behind one another, and so do those that change, as a rule. Open until finish().
  std::optional<eventstore::LmdbCursor> new_charges_;
  std::optional<eventstore::LmdbCursor> changed_charges_;
  std::optional<eventstore::LmdbCursor> charges_in_order_;
  const domain::RecordedEvent* event_ = nullptr;
  using Counts = std::unordered_map<domain::ProjectId, ProjectCounts>;
  Counts counts_;
  Counts::value_type* count_ = nullptr;                                           // that was asked for last
  using Feed = std::map<std::pair<domain::ProjectId, std::uint64_t>, FeedChunk>;  // by number of the chunk
  Feed feed_;
  Feed::value_type* chunk_ = nullptr;  // of the event before
  ChargeSumsBatch sums_;
  std::map<domain::Environment, std::int64_t> unapplied_deltas_;
  ListChanges changes_;
};

}  // namespace pixledger::projections
