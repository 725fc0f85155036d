#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "eventstore/lmdb/journal_record.h"

namespace pixledger::eventstore {

// The place in checkpoints of a copy of a shared ledger.
inline constexpr JournalPlace kPlaceOfCopy{0, 1};

// A state of an LMDB environment that the disk has, although LMDB writes it without syncs.
struct LmdbCheckpoint {
  std::uint64_t sequence = 0;     // grows with each checkpoint
  std::uint64_t transaction = 0;  // LMDB's number of the commit
  std::uint64_t number = 0;       // of the newest batch in it, as the environment's owner counts them
  JournalPlace place;             // where the journal goes on; {} without a journal
  // CRC-32C of the pages that begin the root and its databases: shows that the data file is the checkpoint's.
  std::uint32_t roots_check = 0;
  // LMDB's meta page, without its header. Empty: none was made yet, and LMDB's own syncs make the file's
  // state durable.
  std::string meta;
};

// The file `checkpoint` beside data.mdb: two slots, written alternately, so that an interrupted write leaves
// the other one, which is then overwritten: its state is not held any longer, so it may not count if the
// newer one decays. docs/reference/event-format.md has its bytes.
class CheckpointFile {
 public:
  // `owner`: the ledger of the environment, which each slot names.
  CheckpointFile(const std::filesystem::path& directory, LogIdentity owner);

  static bool exists(const std::filesystem::path& directory);
  // Creates the file, durably, with a checkpoint that has no meta page.
  void create() const;

  // The newest one. Throws LogCorrupt if the file has none, or is of another ledger.
  LmdbCheckpoint newest() const;
  // The same, which the disk has on return: its writer may not have synced it.
  LmdbCheckpoint newest_durable() const;
  // newest() without knowing the ledger.
  static LmdbCheckpoint newest_in(const std::filesystem::path& directory);
  // Durable on return, and the only one. Throws std::system_error: the previous one may still count.
  void write(const LmdbCheckpoint& checkpoint) const;
  // Overwrites the slot beside the newest one, durably. Throws std::system_error.
  void forget_before(const LmdbCheckpoint& newest) const;

 private:
  void put_slot(std::uint64_t sequence, std::string slot) const;

  const std::filesystem::path file_;
  const LogIdentity owner_;
};

// The newer of a data file's meta pages, without its header; nullopt if it has none.
std::optional<LmdbCheckpoint> newest_meta_in(const std::filesystem::path& directory);

// Lets the kernel write what data.mdb has in memory, without waiting: a sync that finds little left keeps the
// disk for a shorter time from the syncs of others.
void begin_writeback(const std::filesystem::path& directory);

// Sets both meta pages of data.mdb to the checkpoint's, durably. May be interrupted at any moment and
// repeated. No process may have the environment open. Throws LogCorrupt, before it changes anything, if the
// data file is not the checkpoint's or is older, and std::system_error.
void go_back_to(const LmdbCheckpoint& checkpoint, const std::filesystem::path& directory);

}  // namespace pixledger::eventstore
