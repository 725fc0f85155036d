#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// The reader of the oldest snapshot, unless that is the newest commit.
struct OldReader {
  int pid = 0;
  std::uint64_t transaction = 0;
  std::uint64_t behind = 0;  // commits since

  bool is_same_as(const OldReader& other) const {
    return pid == other.pid && transaction == other.transaction;
  }
};

// What there is to know of a database without changing anything, not even the slots of readers that died.
struct DatabaseFacts {
  std::uint64_t page_bytes = 0;
  std::uint64_t map_bytes = 0;  // as given to the call, or what the file needs
  std::uint64_t used_bytes = 0;
  std::optional<OldReader> old_reader;
  std::optional<std::vector<int>> dead_readers;  // process ids; none: nobody has it open
};
struct LedgerFacts {
  DatabaseFacts database;
  std::uint64_t format = 0;
  LogIdentity identity;
  Head head;
  std::optional<Digest> keyring;         // code of the keys that it is bound to (Keyring::code_of_ledger)
  std::optional<ClockReading> accepted;  // how the clock went when an operator last accepted it
};

// Throw LmdbError when it cannot be opened, std::runtime_error when something is missing in it.
DatabaseFacts inspect_database(const std::filesystem::path& directory, std::size_t map_bytes);
LedgerFacts inspect_ledger(const std::filesystem::path& directory, std::size_t map_bytes);
// The leaf hash stored at a position; nothing when there is none.
std::optional<Digest> leaf_hash_in(const std::filesystem::path& ledger, std::size_t map_bytes,
                                   Position position);
// The events of all streams whose names begin with a text, in the order of names and versions, without what
// is personal. For the few streams of a kind that there are few of.
std::vector<StoredEvent> stream_events_in(const std::filesystem::path& ledger, std::size_t map_bytes,
                                          const std::string& name_begin);

}  // namespace pixledger::eventstore
