#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/targets/encrypted_source.h"
#include "eventstore/backup/target_layout.h"
#include "eventstore/log/ledger_log.h"

namespace pixledger::eventstore {

struct TargetCopyOptions {
  std::string host;                         // of this machine, for people
  bool take_over = false;                   // the target of another epoch of this ledger
  bool had_backup = false;                  // if nothing is there, it is a disk that is not mounted
  std::chrono::milliseconds keep_states{};  // daily ones
  ObjectEncryption encryption{};
};

// Keeps a target up to date with a log. Merges small files, so that a target has at most kNewestFiles files
// of events, and below them kSmallFilesMax and one for each kTargetSegmentBytesMax. One at a time may write
// to a target. Not thread-safe. All functions throw TargetError, and LogCorrupt if the ledger is damaged;
// after a TargetError the next call goes on where it failed.
class TargetCopy {
 public:
  static constexpr std::size_t kNewestFiles = 64;
  static constexpr std::size_t kSmallFilesMax = 20;

  // Claims an empty target, or finds what was copied before. Throws TargetError: kForeign if it holds another
  // ledger or no backup, or a history that is not the log's; kNewer; kFenced if another epoch has taken it.
  TargetCopy(const LedgerLog& log, Target& target, const Clock& clock, const TargetCopyOptions& options);

  // Copies all events up to the log's head as of the call. They count from then on. Throws kFenced if another
  // epoch has taken the target.
  void copy();
  // Copies a state's files from a directory, and gives them their names and facts at the target, below
  // `name`. Other threads may do that with a target of their own, while this one copies.
  static void write_state(Target& target, const ObjectEncryption& encryption, const std::string& name,
                          const std::filesystem::path& directory, KeptState& state);
  // The state must have been read after all that happened up to its position. It counts from the next call of
  // finish() on, if its events are there.
  void add_state(KeptState state);
  // Removes at the target what the log's erasures removed. `now_possible`: no erasure is under way on this
  // machine. Needs a state that was made after this call, which wants_state() asks for.
  void erase(bool now_possible);
  // Writes the manifest if it is due, or `at_once`, then removes what it no longer names.
  void finish(bool at_once);

  // All events up to this one are at the target.
  Position last() const { return manifest_.last; }
  // How many erasures of the log are not done at the target.
  std::size_t erasures_pending() const { return pending_erasures_.size(); }
  bool wants_state() const { return states_before_.has_value(); }
  // Until when the target keeps what erasures should have removed.
  std::optional<Timestamp> locked_until() const { return locked_until_; }

 private:
  void open(const TargetCopyOptions& options);
  void take_over(std::uint32_t epoch);
  void note_leftovers();
  void retire_other_epochs(Timestamp before);
  void check_fence() const;
  void copy_events();
  void encrypt_plain();
  bool merge_some();
  void replace(std::size_t begin, std::size_t end, std::uint32_t version);
  Segment write(const TargetSegment& segment, std::uint32_t version);
  void drop_old_states();
  void remove_retired();
  std::optional<Timestamp> remove_old_versions(const std::string& prefix, Timestamp before);
  void drop_old_versions();

  const LedgerLog& log_;
  Target& target_;
  const Clock& clock_;
  const std::string host_;
  const std::chrono::milliseconds keep_states_;
  const ObjectEncryption encryption_;
  BackupManifest manifest_;
  Position needs_;  // a manifest may be written once all events up to this one are there
  std::vector<KeptState> new_states_;
  std::set<std::string> retired_;  // removed once the manifest does not name them
  std::set<Position> pending_erasures_;
  std::set<Position> rewritten_erasures_;   // of these: no file of events has the person
  std::optional<Timestamp> states_before_;  // states from before then are not to stay
  std::optional<Timestamp> locked_until_;
  Timestamp versions_dropped_at_;
  Timestamp epochs_retired_at_;
  bool is_changed_ = true;
};

// Which of the states, in their order, stay: all of the last hour, hourly ones of a day, daily ones for
// `keep`, and the newest.
std::vector<bool> states_to_keep(const std::vector<Timestamp>& made_at, Timestamp now,
                                 std::chrono::milliseconds keep);

}  // namespace pixledger::eventstore
