#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventstore/log/copy_write.h"
#include "eventstore/postgres/pg_client.h"

// Commits of a shared ledger as its tables hold them.
namespace pixledger::eventstore {

// A commit as read; its events are not parsed yet.
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
// Returns the commits after `after`, whose last event is at `last`, in order and without their events: as
// many as can be read quickly, at least one if there are any. Cheap if there are none. Throws LogUnavailable.
std::vector<ReadBatch> find_batches(PgClient& client, std::uint64_t after, Position last);
// Reads the events of the batches, which begin after `last`. Throws LogUnavailable, and SharedLedgerDamaged
// if one is missing.
void read_events(PgClient& client, Position last, std::vector<ReadBatch>& batches);
// Parses a commit. Throws SharedLedgerDamaged if its bytes, personal data included, are not as written, and
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
// Adds the row and moves the head, in one statement. Returns false, and adds nothing, if it does not follow
// the head.
bool append(PgClient& client, const BatchRow& row);

// Removes some of the idempotency records that can no longer be repeated. Cheap if there are none. Throws
// LogUnavailable.
void prune_records(PgClient& client);

// Packs idempotency records as a row of `records` holds those of a batch. Each has its key, its time, the
// time of the record that it replaces (all ones if none), its length (4 bytes) and its bytes.
std::string pack(const std::vector<DecidedRecord>& records);
// Throws SharedLedgerDamaged.
std::vector<DecidedRecord> unpack(std::string_view packed);

}  // namespace pixledger::eventstore
