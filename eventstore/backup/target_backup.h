#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto/age.h"
#include "base/targets/target.h"
#include "eventstore/backup/target_layout.h"

namespace pixledger::eventstore {

// What a target has of one epoch of a ledger: what the manifest names, and the files of events that continue
// it. Can be read while a follower goes on. Thread-safe if the target is.
//
// Encrypted files need an identity: what reads their contents throws TargetError without one that opens them.
class TargetBackup {
 public:
  // Of the epoch that may write there, unless another is given. Throws TargetError, also kForeign if there is
  // no backup or not that epoch's; BackupRefused for damage.
  explicit TargetBackup(std::shared_ptr<const Target> target, std::optional<std::uint32_t> epoch = {},
                        std::vector<AgeIdentity> identities = {});

  const Target& target() const { return *target_; }
  // Includes the files that continue it; encrypted ones only with identities.
  const BackupManifest& manifest() const { return manifest_; }

  // Whether some file is encrypted.
  bool is_encrypted() const { return is_encrypted_; }
  // Whether contents can be read, if the identities are right.
  bool is_readable() const { return !is_encrypted_ || !identities_.empty(); }

  // As read_segment(), for a segment of manifest(). Throws TargetError, too.
  void read(const Segment& segment, Frontier& tree,
            const std::function<void(const SegmentEvent&)>& visit) const;
  // Throws BackupRefused unless a file is as written; of an encrypted one its contents, too, if
  // is_readable().
  void check(const StateFile& file) const;
  // Copies the newest state that is not after a position into a directory, and makes it that of `manifest`.
  // Without such a state it has none. Throws TargetError and BackupRefused.
  void fetch_state(Position end, const std::filesystem::path& directory, BackupManifest& manifest) const;

 private:
  bool try_to_open(std::uint32_t epoch);
  void add_continuing(const std::map<Position, EventsName>& longest);
  bool keep_small();
  std::string bytes_of_segment(const Segment& segment) const;
  void read_file(const StateFile& file, const std::function<void(std::string_view)>& visit) const;
  std::string opened(const std::string& file, std::string bytes) const;
  [[noreturn]] void fail_to_open(const std::string& file, const AgeError& error) const;
  std::filesystem::path path_of(const std::string& file) const;

  const std::shared_ptr<const Target> target_;
  const std::vector<AgeIdentity> identities_;
  BackupManifest manifest_;
  // The small files of events, which a follower merges and then removes.
  std::map<std::string, std::string> kept_;
  bool is_encrypted_ = false;
};

}  // namespace pixledger::eventstore
