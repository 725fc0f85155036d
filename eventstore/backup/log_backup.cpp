#include "eventstore/backup/log_backup.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "base/platform/durable_files.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/backup/manifest.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/needed_format.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

// Limits a copy's rate, to leave the disk to others. Not thread-safe.
class Throttle {
 public:
  // nullopt: no limit.
  explicit Throttle(std::optional<double> bytes_per_second) : bytes_per_second_(bytes_per_second) {}

  // Counts copied bytes, and sleeps if the copy is too fast.
  void pass(std::uint64_t bytes) {
    if (!bytes_per_second_) return;
    const auto due = std::chrono::duration<double>(static_cast<double>(bytes) / *bytes_per_second_);
    const auto now = std::chrono::steady_clock::now();
    // Unused time is not made up for.
    if (free_at_ < now) free_at_ = now;
    free_at_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(due);
    std::this_thread::sleep_until(free_at_);
  }

 private:
  std::optional<double> bytes_per_second_;
  std::chrono::steady_clock::time_point free_at_{};
};

constexpr std::size_t kEventsPerPart = 1000;
constexpr std::uint64_t kSegmentBytes = std::uint64_t{64} << 20;

// "events/00000000000000000001"
std::string segment_file(Position first) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%020llu", static_cast<unsigned long long>(first.value()));
  return std::string(kEventsInBackup) + '/' + digits;
}

// The progress of a run; each event is written and then read again.
class Course {
 public:
  Course(const LogBackupOptions& options, std::uint64_t events)
      : options_(options), throttle_(options.bytes_per_second), total_(2 * events) {}

  void go_further(std::uint64_t events) { total_ += 2 * events; }

  void pass(std::uint64_t events, std::uint64_t bytes) {
    done_ += events;
    if (options_.progress) options_.progress(done_, total_);
    throttle_.pass(bytes);
  }

 private:
  const LogBackupOptions& options_;
  Throttle throttle_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

class EventCopy {
 public:
  EventCopy(const Log& log, const std::filesystem::path& directory, Course& course, Position after)
      : log_(log),
        directory_(directory),
        course_(course),
        done_(after),
        tree_(after.value(), TreeOfLog(log)) {}

  void copy_up_to(Position last) {
    while (done_ < last) copy_segment(last);
  }

  const std::vector<Segment>& segments() const { return segments_; }
  Digest root() const { return tree_.root(); }
  std::uint64_t bytes() const { return bytes_; }
  // The lowest format that a ledger with these events can have.
  std::uint32_t format() const { return format_; }
  // Whether some of the events no longer have personal data.
  bool misses_personal() const { return misses_personal_; }

 private:
  void copy_segment(Position last) {
    Segment segment;
    segment.first = done_.next();
    segment.file = segment_file(segment.first);
    SegmentWriter writer(directory_ / segment.file, segment.first);
    while (done_ < last && writer.bytes() < kSegmentBytes) copy_some(writer, last);
    segment.last = done_;
    segment.facts = writer.finish();
    segment.root = tree_.root();
    bytes_ += segment.facts.bytes;
    segments_.push_back(std::move(segment));
  }

  void copy_some(SegmentWriter& writer, Position last) {
    const auto bytes_before = writer.bytes();
    const auto before = done_;
    const auto batch = log_.read_after(done_, kEventsPerPart);
    for (const auto& event : batch) {
      if (event.position > last) break;
      if (event.position != done_.next()) throw_missing();
      const auto leaf = leaf_hash(event.bytes, bytes_of(event.personal_digest));
      tree_.append(leaf);
      if (format_ < kLedgerFormat) format_ = std::max(format_, needed_format_of_stored(event));
      writer.add(event, leaf);
      misses_personal_ |= event.personal.empty() && event.personal_digest != none_;
      done_ = event.position;
    }
    if (batch.empty()) throw_missing();
    course_.pass(done_.value() - before.value(), writer.bytes() - bytes_before);
  }

  [[noreturn]] void throw_missing() const {
    throw LogCorrupt("there is no event at position " + std::to_string(done_.value() + 1));
  }

  const Log& log_;
  const std::filesystem::path& directory_;
  Course& course_;
  Position done_;
  Frontier tree_;
  std::vector<Segment> segments_;
  std::uint64_t bytes_ = 0;
  const Digest none_ = sha256("");
  bool misses_personal_ = false;
  std::uint32_t format_ = kLedgerFormatVersion;
};

void read_again(const Log& log, const std::filesystem::path& directory, const std::vector<Segment>& segments,
                Course& course) {
  if (segments.empty()) return;
  Frontier tree(segments.front().first.value() - 1, TreeOfLog(log));
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  for (const auto& segment : segments) {
    read_segment(directory, segment, tree, [&](const SegmentEvent& event) {
      bytes += event.leaf.size() + event.personal.size();
      if (++events < kEventsPerPart && event.position < segment.last) return;
      course.pass(std::exchange(events, 0), std::exchange(bytes, 0));
    });
  }
}

bool has_erasure_after(const Log& log, Position position) {
  for (auto batch = log.read_after(position, kEventsPerPart); !batch.empty();
       batch = log.read_after(batch.back().position, kEventsPerPart)) {
    for (const auto& event : batch) {
      if (header_of(event.position, event.bytes).erases) return true;
    }
  }
  return false;
}

// Writes the log's current end into the manifest.
void note_end(const LedgerLog& log, BackupManifest& manifest) {
  const auto end = log.snapshot()->end();
  manifest.last = end.head.position;
  manifest.head_time = end.head.time;
  manifest.id_counter = end.id_counter;
  manifest.ledger = log.identity();
  manifest.keyring = end.keyring;
  manifest.ended_epochs = end.ended_epochs;
}

}  // namespace

void check_continues(const BackupManifest& manifest, const Log& log) {
  if (manifest.ledger.ledger_id != log.identity().ledger_id)
    throw BackupRefused("the backup is of ledger " + manifest.ledger.ledger_id + ", this is ledger " +
                        log.identity().ledger_id);
  if (manifest.ledger.epoch != log.identity().epoch)
    throw BackupRefused("the backup is of the ledger's epoch " + std::to_string(manifest.ledger.epoch) +
                        ", this is its epoch " + std::to_string(log.identity().epoch) +
                        ": a restore lies between them, and both may go on. Back this one up into another "
                        "directory");
  const auto last = manifest.last.value();
  if (last > log.head().position.value())
    throw BackupRefused("the backup goes up to position " + std::to_string(last) +
                        ", where this ledger has not come to: its files are of an earlier state. Begin a new "
                        "backup in another directory");
  if (tree_root(last, TreeOfLog(log)) != manifest.root)
    throw BackupRefused("the events up to position " + std::to_string(last) +
                        " are not those in the backup: this ledger has gone another way since its files were "
                        "of an earlier state. Begin a new backup in another directory");
}

BackupManifest manifest_of_nothing(const Log& log, Position first) {
  BackupManifest manifest;
  manifest.run = 0;
  manifest.first = first;
  manifest.last = Position(first.value() - 1);
  manifest.root_before = tree_root(manifest.last.value(), TreeOfLog(log));
  manifest.root = manifest.root_before;
  return manifest;
}

LogBackupResult back_up_log(const LedgerLog& log, const std::filesystem::path& directory,
                            BackupManifest& manifest, const LogBackupOptions& options) {
  const auto after = manifest.last;
  note_end(log, manifest);
  Course course(options, manifest.last.value() - after.value());
  EventCopy copy(log, directory, course, after);
  copy.copy_up_to(manifest.last);
  // If an erasure removed data during the copy, the copy must include the erasure.
  while (copy.misses_personal() && has_erasure_after(log, manifest.last)) {
    const auto before = manifest.last;
    note_end(log, manifest);
    course.go_further(manifest.last.value() - before.value());
    copy.copy_up_to(manifest.last);
  }
  manifest.format = std::max(manifest.format, copy.format());
  manifest.root = tree_root(manifest.last.value(), TreeOfLog(log));
  if (copy.root() != manifest.root)
    throw LogCorrupt("the events are not those of the ledger's own tree (see: pixledger verify)");

  LogBackupResult result;
  result.events = manifest.last.value() - after.value();
  result.bytes = copy.bytes();
  result.idempotency_records = copy_idempotency(log, manifest.last, manifest.head_time, directory, manifest);
  sync_directory(directory / kEventsInBackup);
  const auto& segments = copy.segments();
  read_again(log, directory, segments, course);
  manifest.segments.insert(manifest.segments.end(), segments.begin(), segments.end());
  return result;
}

}  // namespace pixledger::eventstore
