#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventstore/log/copy_write.h"
#include "eventstore/postgres/pg_client.h"

// Commits of a shared ledger as its tables have them.
namespace pixledger::eventstore {

// A commit as it was read: what its events say is not looked at yet.
struct ReadBatch {
  struct Event {
    std::string leaf;
    std::string personal;
  };

  std::uint64_t number = 0;
  Position last;
  Timestamp time;
  std::uint32_t id_counter = 0;
  Digest root{};
  std::vector<Event> events;
  std::string idempotency;
};
// Those after that commit, whose last event has that position, in their order and without their events: as
// many as are quickly read, and at least one, if there is one. Cheap where there is none. Throws
// LogUnavailable.
std::vector<ReadBatch> find_batches(PgClient& client, std::uint64_t after, Position last);
// Theirs, the first of which is after `last`. Throws LogUnavailable, and SharedLedgerDamaged where one is
// missing.
void read_events(PgClient& client, Position last, std::vector<ReadBatch>& batches);
// Throws SharedLedgerDamaged for what cannot be what was written, personal data included, and
// WrittenByNewerRelease.
DecidedBatch decided(ReadBatch batch);

// What a commit adds.
struct BatchRow {
  std::uint64_t number;  // the one before it + 1
  Position last;
  Timestamp time;
  std::uint32_t id_counter;
  Digest root;
  std::vector<DecidedRecord> idempotency;
  std::vector<std::string_view> leaves;  // of the positions that end with `last`
  std::vector<std::pair<Position, std::string_view>> personal;
};
// Adds it and moves the head, in one statement. Whether it followed the head; if not, nothing was added.
bool append(PgClient& client, const BatchRow& row);

// Removes idempotency records that nobody may repeat any more, some of them. Cheap where there are none.
// Throws LogUnavailable.
void prune_records(PgClient& client);

// Idempotency records, as a row of `records` keeps those of a batch: one after the other, each its key, its
// time, that of the record that it takes the place of (all ones where there is none), its length (4 bytes)
// and its bytes.
std::string pack(const std::vector<DecidedRecord>& records);
// Throws SharedLedgerDamaged.
std::vector<DecidedRecord> unpack(std::string_view packed);

}  // namespace pixledger::eventstore
