#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/targets/target.h"
#include "eventstore/backup/manifest.h"

// How a target of `pixledger follow` is laid out: format 3 of docs/reference/backup-format.md. Functions that
// take a Target throw TargetError, and BackupRefused for damage.
namespace pixledger::eventstore {

inline constexpr const char* kMarkFile = "LEDGER";
inline constexpr const char* kEventsOfTarget = "events/";
inline constexpr const char* kStatesOfTarget = "state/";
// Of the name of an encrypted file.
inline constexpr const char* kAgeSuffix = ".age";
inline constexpr std::uint32_t kTargetFormat = 3;

// The object LEDGER: which ledger, and which of its epochs, may write there.
struct TargetMark {
  LogIdentity ledger;
  Timestamp taken_at;
  std::string host;
};
// nullopt: it is missing. Throws kNewer for a later format.
std::optional<TargetMark> find_mark(const Target& target);
void write_mark(Target& target, const TargetMark& mark);

std::string manifest_name(std::uint32_t epoch);
// nullopt: it is missing. Throws BackupRefused if it is damaged.
std::optional<BackupManifest> find_manifest(const Target& target, std::uint32_t epoch);

// "events/<first>-<last>-<epoch>", then "-<version>" if those events have been written anew without a person,
// then ".age" if they are encrypted.
struct EventsName {
  Position first, last;
  std::uint32_t epoch = 0;
  std::uint32_t version = 0;
  bool is_encrypted = false;

  std::string text() const;
  static std::optional<EventsName> parse(std::string_view name);
};

// Which epoch wrote an object; nullopt for kMarkFile and others.
std::optional<std::uint32_t> epoch_of(std::string_view name);

// "state/<epoch>-<position>-<time>": workers go on without events, too.
std::string state_name(std::uint32_t epoch, Position position, Timestamp made_at);

// A file of events of a target, which says itself what it has, so that it counts before a manifest names it.
inline constexpr std::size_t kTargetSegmentBytesMax = (std::size_t{16} << 20) - (std::size_t{16} << 10);
struct TargetSegment {
  Position first, last;
  Timestamp last_time;  // when the last event was recorded
  // It lacks personal data that an erasure at or before this position has removed: without that event it
  // would be a damaged one. Zero: it lacks none.
  Position needs;
  Digest root_before{};
  Digest root{};
  std::string bytes;
  // The next two are of segment_of_log() alone.
  std::vector<Position> erasures{};             // the CustomerErased in it
  std::uint32_t format = kLedgerFormatVersion;  // the lowest that a ledger with these events can have
};
// Reads the events from `first` on, up to `last` or as many as fit. Throws LogCorrupt.
TargetSegment segment_of_log(const Log& log, Position first, Position last);
// Reads the head of such a file; `bytes` stay empty. Throws BackupRefused, naming `path`.
TargetSegment head_of_segment(const std::filesystem::path& path, std::string_view bytes);
// As read_segment().
void read_target_segment(const std::filesystem::path& path, std::string_view bytes, const Segment& segment,
                         Frontier& tree, const std::function<void(const SegmentEvent&)>& visit);

}  // namespace pixledger::eventstore
