#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/backup/segment.h"
#include "eventstore/log/ledger_log.h"

// The file MANIFEST makes a directory a backup, and is written last. docs/reference/backup-format.md defines
// it.
namespace pixledger::eventstore {

// A file with the state at the ledger's end, written anew by every run: idempotency records, a worker's
// state, keys.
struct StateFile {
  std::string file;  // its path in the backup's directory
  FileFacts facts;
};

// In a target: the state as of a position, one of several.
struct KeptState {
  std::string directory;  // "state/1-20"
  Position position;
  Timestamp made_at;
  std::vector<StateFile> files;
};

struct BackupManifest {
  LogIdentity ledger;
  std::uint32_t run = 1;  // 1, 2, 3… of this directory or target
  Timestamp made_at;
  Position first{1};  // of the events in it; `last` + 1 if there are none
  Position last;
  Digest root_before{};  // of the tree of the events before the first
  Digest root{};         // of the tree up to the last
  Timestamp head_time;   // of the ledger's head when `last` was the newest event
  std::uint32_t id_counter = 0;
  std::optional<Digest> keyring;  // the digest by which the ledger recognizes its keys
  std::vector<EndedEpoch> ended_epochs;
  std::uint32_t format = kLedgerFormatVersion;  // of the ledger, as one of one machine
  std::vector<Segment> segments;                // in the order of their events
  std::vector<StateFile> files;
  // A target's manifest; the members below and `directory_of_state` are of such a one alone.
  bool is_of_target = false;
  Position erased;                   // no file of the target has what erasures up to this event removed
  std::vector<KeptState> states;     // in the order of their positions
  std::string directory_of_state{};  // of the state in `files`, which a restore has chosen

  // "state-3"
  std::string state_directory() const {
    return directory_of_state.empty() ? "state-" + std::to_string(run) : directory_of_state;
  }
  const StateFile* find(const std::string& file) const;
};

inline constexpr const char* kManifestFile = "MANIFEST";
// In a manifest's state_directory().
inline constexpr const char* kIdempotencyFile = "idempotency";
inline constexpr const char* kKeysInBackup = "keys";

std::string manifest_text(const BackupManifest& manifest);
// Returns nullopt unless it is an unchanged text of this format. Throws BackupRefused if a newer release
// wrote it.
std::optional<BackupManifest> parse_manifest(std::string_view text);

// Returns nullopt if the directory has no finished backup. Throws BackupRefused if its manifest is damaged.
std::optional<BackupManifest> find_manifest(const std::filesystem::path& directory);

// Throws BackupRefused, naming the file, if one is missing or is not as written.
void check_state_files(const std::filesystem::path& directory, const BackupManifest& manifest);

// Writes the idempotency records valid at `last` and `now`, the backup's head, to the manifest's
// kIdempotencyFile. Omits records of that time that are written meanwhile. Returns their number.
std::uint64_t copy_idempotency(const LedgerLog& log, Position last, Timestamp now,
                               const std::filesystem::path& directory, BackupManifest& manifest);

// Visits the records in the order of their times; each is valid during the call. The file must have passed
// check_state_files. Throws BackupRefused if it is malformed.
void read_idempotency(const std::filesystem::path& file,
                      const std::function<void(const IdempotencyEntry&)>& visit);

}  // namespace pixledger::eventstore
