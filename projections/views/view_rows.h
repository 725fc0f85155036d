#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "domain/aggregates/event.h"
#include "projections/list/project_lists.h"
#include "projections/views/feed_chunk.h"
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
  // After the last event of the batch.
  void finish();

  const ListChanges& list_changes() const { return changes_; }

  void operator()(const domain::ChargeEvent& event);
  void operator()(const domain::CustomerEvent& event);
  void operator()(const domain::RefusalEvent& event);
  // These are read from their streams, and have no rows besides the feed's.
  void operator()(const domain::ProjectEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::ApiKeyEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::ChannelEvent&) { list_in_feed(event_->stream.environment()); }
  void operator()(const domain::BlocklistEvent&) { list_in_feed(event_->stream.environment()); }

 private:
  // Nullopt: what belongs to both environments, and is told to live keys.
  void list_in_feed(std::optional<domain::Environment> environment);
  void index_block(std::uint32_t ordinal, const domain::Customer& customer);
  // Payments to settle, of a charge.
  void count_unapplied(std::uint32_t charge, domain::Environment environment, std::int64_t before,
                       std::int64_t after);
  void put_unapplied(domain::Environment environment, std::int64_t delta);
  ProjectCounts& counts_of(const domain::ProjectId& project);
  void index_email(const domain::ProjectId& project, std::uint32_t ordinal,
                   const std::optional<domain::CustomerDetails>& before,
                   const std::optional<domain::CustomerDetails>& after);

  const ViewTables& tables_;
  MDB_txn* transaction_;
  const domain::RecordedEvent* event_ = nullptr;
  std::unordered_map<domain::ProjectId, ProjectCounts> counts_;
  std::map<std::pair<domain::ProjectId, std::uint64_t>, FeedChunk> feed_;  // by number of the chunk
  std::map<domain::Environment, std::int64_t> unapplied_deltas_;
  ListChanges changes_;
};

}  // namespace pixledger::projections
