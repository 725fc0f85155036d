#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "domain/aggregates/event.h"
#include "domain/decisions/dispatch.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "projections/views/view_cursor.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {

// Compares the rows of a generation with folds of the log that somebody makes stream by stream. Reads only,
// so the generation's owner may go on meanwhile; what it says of rows that have gone on is as of position().
// ReadSet no memory that grows with them. Used by one thread.
class ViewAudit {
 public:
  // Throws LmdbError when the directory holds no generation.
  ViewAudit(const std::filesystem::path& generation, eventstore::LmdbOptions options);

  // Goes on with the rows as they are now. Folds are compared as of the position that the rows then have.
  void refresh();
  domain::Position position() const { return cursor_.position; }

  // Each event up to position(), or up to where the log is looked at if that comes first, once, in any order
  // of streams and each stream from its first event on: the feed and what has rows of its own are compared.
  void see(const domain::RecordedEvent& event);
  // What a stream comes to at position(). Returns how the rows differ.
  std::optional<std::string> difference(const domain::StreamName& stream,
                                        const domain::AggregateState& state);

  // Where a charge or customer began; nothing when the log has none.
  class Origins {
   public:
    virtual ~Origins() = default;
    // From here on the log as it is now.
    virtual void refresh() = 0;
    virtual std::optional<domain::Position> of_charge(std::string_view id) = 0;
    virtual std::optional<domain::Position> of_customer(std::string_view id) = 0;
    virtual std::optional<eventstore::Digest> leaf_hash(domain::Position position) = 0;
  };
  // Last: ordinals, rows that no stream has, sums and the cursor. `end`: no event after it has been seen.
  // Rows without a stream and sums are only told apart from new ones when the owner was not further than that
  // at the beginning, and has not gone on since; `complete` says so.
  struct Ending {
    std::optional<std::string> difference;
    bool complete = true;
  };
  Ending finish(Origins& origins, domain::Position end);

  // Whether the lists that were saved beside the rows are those of the rows; see difference_in_lists. Takes
  // the rows as they are: what it says, or throws, of damaged ones says nothing. On any thread, beside the
  // others.
  std::optional<std::string> difference_in_saved_lists(const eventstore::Log& log,
                                                       const std::filesystem::path& scratch) const;

 private:
  struct Order;
  struct Counted {
    std::uint64_t charges = 0;
    std::uint64_t customers = 0;
    std::uint64_t documents = 0;
    std::uint64_t emails = 0;
    std::uint64_t fraud_events = 0;
    std::uint64_t in_feed = 0;
    std::uint64_t in_sandbox_feed = 0;
    std::int64_t unapplied = 0;
  };

  void see_in_feed(const domain::RecordedEvent& event);
  void see_refusal(const domain::RecordedEvent& event, const domain::ChargeRefused& refused);
  std::optional<std::string> difference_of(const domain::Charge& charge);
  std::optional<std::string> difference_of(const domain::StreamName& stream,
                                           const domain::Customer& customer);
  using FindOrigin = std::optional<domain::Position> (Origins::*)(std::string_view id);
  std::optional<std::string> difference_in_order(MDB_dbi order, MDB_dbi rows, Origins& origins,
                                                 FindOrigin origin_of);
  bool has_last(MDB_dbi order, std::string_view project, std::uint32_t count) const;
  std::optional<std::string> difference_in_sums() const;
  std::optional<std::string> difference_in_counts() const;
  std::optional<std::string> difference_in_feed() const;
  std::uint64_t entries(MDB_dbi table) const;

  eventstore::LmdbEnvironment environment_;
  ViewTables tables_;
  std::unique_ptr<eventstore::LmdbRead> read_;
  // In that read; charges and their events come in the order of their ids, so the next one's rows are near.
  std::unique_ptr<eventstore::LmdbCursor> charges_;
  std::unique_ptr<eventstore::LmdbCursor> charges_in_order_;
  std::unique_ptr<eventstore::LmdbCursor> feed_;
  ViewCursor cursor_;
  std::optional<domain::Position> first_position_;
  Counted counted_;
  bool in_sandbox_charge_ = false;  // the stream whose events are being seen
  std::optional<std::string> difference_in_events_;
};

}  // namespace pixledger::projections
