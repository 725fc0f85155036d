#include "eventstore/backup/log_restore.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/platform/big_endian.h"
#include "domain/aggregates/event.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/backup/manifest.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/idempotency_record.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/erasure.h"

namespace pixledger::eventstore {
namespace {

// Decides which personal data of a backup a restore omits because a later event, perhaps in a later piece,
// has erased it. A backup never has what was erased before it was made.
class ErasedPersonal {
 public:
  explicit ErasedPersonal(const LogRestoreOptions& options) : until_(options.until), at_(options.at) {}

  // Must be called with every event of all pieces, in order, before any is restored.
  void learn(const domain::RecordedEvent& event);
  // The last event of those learned that is restored. Times never go back from one event to the next.
  Position end() const { return end_; }

  // Must be called with every restored event, in order. Throws BackupRefused if an erasure after the cut has
  // removed its data: without the erasure nothing would explain the missing data, and restoring the data
  // would undo the erasure.
  bool takes(const domain::RecordedEvent& event);

  // Charges of erased customers, among the events so far.
  const std::vector<domain::ChargeId>& charges() const { return kept_.charges(); }

 private:
  void learn_of_session(const domain::RecordedEvent& event, const domain::CheckoutEvent& change);

  const std::optional<Position> until_;
  const std::optional<Timestamp> at_;
  Position end_;
  ErasedPersonalData kept_;    // erasures that are restored
  ErasedPersonalData beyond_;  // erasures that are not
  std::unordered_map<StreamName, Position> last_erasure_;
  std::unordered_set<StreamName> sessions_;  // with personal data of a payer who is not known yet
};

void ErasedPersonal::learn_of_session(const domain::RecordedEvent& event,
                                      const domain::CheckoutEvent& change) {
  const auto* created = std::get_if<domain::CheckoutSessionCreated>(&change);
  if (created && created->metadata) sessions_.insert(event.stream);
  const auto* added = std::get_if<domain::CheckoutChargeAdded>(&change);
  if (!added || sessions_.count(event.stream) == 0) return;
  kept_.add_payer(event.stream, added->customer);
  beyond_.add_payer(event.stream, added->customer);
}

void ErasedPersonal::learn(const domain::RecordedEvent& event) {
  if (event.position <= until_.value_or(kNoLimit) && event.recorded_at <= at_.value_or(kLastTimestamp))
    end_ = event.position;
  if (const auto* of_session = std::get_if<domain::CheckoutEvent>(&event.event))
    return learn_of_session(event, *of_session);
  const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
  const auto* erased = change ? std::get_if<domain::CustomerErased>(change) : nullptr;
  if (!erased) return;
  // All of the stream since the previous erasure is of this customer.
  auto& last = last_erasure_[event.stream];
  (event.position <= end_ ? kept_ : beyond_)
      .add({.customer = erased->id,
            .stream = event.stream,
            .registered = last.next(),
            .erased = event.position,
            .erased_at = event.recorded_at});
  last = event.position;
}

bool ErasedPersonal::takes(const domain::RecordedEvent& event) {
  if (beyond_.takes(event))
    throw BackupRefused("a customer's personal data of position " + std::to_string(event.position.value()) +
                        " were erased later, beyond position " + std::to_string(end_.value()) +
                        ": ending there would undo the erasure");
  return kept_.takes(event);
}

constexpr std::uint64_t kEventsPerProgress = 1000;

domain::RecordedEvent decode_event(const SegmentEvent& event) {
  return decode(to_stored_event(event.position, event.leaf, event.personal));
}

class Progress {
 public:
  Progress(const LogRestoreOptions& options, std::uint64_t total) : options_(options), total_(total) {}
  void step() {
    if (++done_ % kEventsPerProgress == 0 && options_.progress) options_.progress(done_, total_);
  }

 private:
  const LogRestoreOptions& options_;
  const std::uint64_t total_;
  std::uint64_t done_ = 0;
};

// The result of the first pass over the whole backup.
struct Checked {
  ErasedPersonal erased;
  Digest root{};  // of the tree up to the last restored event
};

Checked check_pieces(const std::vector<BackupPiece>& pieces, const LogRestoreOptions& options,
                     Progress& progress) {
  Checked checked{ErasedPersonal(options), empty_root()};
  Frontier tree;
  for (const auto& piece : pieces) {
    for (const auto& segment : piece.manifest.segments) {
      read_events(piece, segment, tree, [&](const SegmentEvent& event) {
        checked.erased.learn(decode_event(event));
        if (event.position == checked.erased.end()) checked.root = tree.root();
        progress.step();
      });
    }
    if (tree.root() != piece.manifest.root)
      throw damaged(piece.directory / kManifestFile, "its events are not those of the tree that it names");
    check_state_files(piece.directory, piece.manifest);
  }
  return checked;
}

// Builds the new log, and counts what it restores.
class Making {
 public:
  explicit Making(LogImport& log) : log_(log) {}

  void append(const SegmentEvent& event, ErasedPersonal& erased) {
    auto recorded = decode_event(event);
    const auto personal = erased.takes(recorded) ? std::string_view() : event.personal;
    note(recorded, personal);
    const auto stream = recorded.stream;
    const auto claims = domain::claims_of(
        {std::move(recorded.stream), std::move(recorded.project), std::move(recorded.event)});
    log_.append({.stream = stream,
                 .version = recorded.version,
                 .leaf = event.leaf,
                 .personal = personal,
                 .claims = claims});
    restored_.last = event.position;
    restored_.leaf_hash = event.leaf_hash;
  }

  void add_idempotency(const std::filesystem::path& file, Position end) {
    read_idempotency(file, [&](const IdempotencyEntry& entry) {
      if (decode_idempotency_record(entry.record).as_of() > end) {
        ++restored_.idempotency_left_out;
        return;
      }
      log_.add(entry);
      newest_ = std::max(newest_, entry.time);
      ++restored_.idempotency_records;
    });
  }

  // If the log is cut, its head has the newest restored time: the manifest's head is later.
  RestoredLog finish(const BackupManifest& manifest, std::uint32_t epoch) {
    const auto time = restored_.last < manifest.last ? newest_ : manifest.head_time;
    restored_.identity = {manifest.ledger.ledger_id, epoch};
    restored_.root = log_.finish(restored_.identity, {.head = {restored_.last, time},
                                                      .id_counter = manifest.id_counter,
                                                      .keyring = manifest.keyring,
                                                      .ended_epochs = ended_epochs(manifest)});
    restored_.channels = channels_.size();
    return restored_;
  }

 private:
  // The backup's own epoch ends here, and so does an earlier one if this restore cuts before its end.
  std::vector<EndedEpoch> ended_epochs(const BackupManifest& manifest) const {
    auto ended = manifest.ended_epochs;
    for (auto& epoch : ended) epoch.last = std::min(epoch.last, restored_.last);
    ended.push_back({manifest.ledger.epoch, restored_.last});
    return ended;
  }

  void note(const domain::RecordedEvent& event, std::string_view personal) {
    newest_ = std::max(newest_, event.recorded_at);
    if (!personal.empty()) ++restored_.personal;
    const auto* channel_event = std::get_if<domain::ChannelEvent>(&event.event);
    if (!channel_event) return;
    if (std::holds_alternative<domain::ChannelDeleted>(*channel_event))
      channels_.erase(event.stream);
    else
      channels_.insert(event.stream);
  }

  LogImport& log_;
  RestoredLog restored_;
  Timestamp newest_;
  std::set<domain::StreamName> channels_;
};

void append_segment(const BackupPiece& piece, const Segment& segment, Frontier& tree, Position end,
                    ErasedPersonal& erased, Making& making, Progress& progress) {
  read_events(piece, segment, tree, [&](const SegmentEvent& event) {
    progress.step();
    if (event.position > end) return;
    try {
      making.append(event, erased);
    } catch (const ImportConflict& conflict) {
      throw damaged(piece.directory / segment.file, conflict.what(), event.position);
    }
  });
}

// A fixed step would give every restore of these pieces the same epoch, and diverging ledgers would look the
// same to the holder of a cursor or a checkpoint. A random step of up to a quarter of the remaining numbers
// has 2^30 choices at first, and leaves room for more than seventy successive restores.
std::uint32_t next_epoch(const std::vector<BackupPiece>& pieces, Entropy& entropy) {
  constexpr std::uint32_t kEpochMax = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t newest = 0;
  for (const auto& piece : pieces) newest = std::max(newest, piece.manifest.ledger.epoch);
  if (newest == kEpochMax) throw BackupRefused("the ledger has been restored too often: no epoch is left");
  const auto number = from_big_endian(entropy.bytes(sizeof(std::uint64_t)));
  return newest + 1 + static_cast<std::uint32_t>(number % ((kEpochMax - newest - 1) / 4 + 1));
}

}  // namespace

void read_events(const BackupPiece& piece, const Segment& segment, Frontier& tree,
                 const std::function<void(const SegmentEvent&)>& visit) {
  if (piece.target)
    piece.target->read(segment, tree, visit);
  else
    read_segment(piece.directory, segment, tree, visit);
}

std::vector<BackupPiece> read_pieces(const std::vector<std::filesystem::path>& directories) {
  std::vector<BackupPiece> pieces;
  for (const auto& directory : directories) {
    auto manifest = find_manifest(directory);
    if (!manifest)
      throw BackupRefused("there is no finished backup in " + directory.string() + " (it has no " +
                          kManifestFile + ")");
    pieces.push_back({directory, *std::move(manifest)});
  }
  std::sort(pieces.begin(), pieces.end(), [](const BackupPiece& a, const BackupPiece& b) {
    return std::pair(a.manifest.first, a.manifest.last) < std::pair(b.manifest.first, b.manifest.last);
  });
  Position last;
  Digest root = empty_root();
  for (const auto& [directory, manifest, target] : pieces) {
    if (manifest.ledger.ledger_id != pieces.front().manifest.ledger.ledger_id)
      throw BackupRefused(directory.string() + " is of another ledger than " +
                          pieces.front().directory.string());
    if (manifest.first != last.next())
      throw BackupRefused(directory.string() + " begins with position " +
                          std::to_string(manifest.first.value()) + ", wanted is one that begins with " +
                          std::to_string(last.value() + 1));
    if (manifest.root_before != root)
      throw BackupRefused(directory.string() +
                          " does not go on from the piece before it: its ledger had another history up to "
                          "position " +
                          std::to_string(last.value()));
    last = manifest.last;
    root = manifest.root;
  }
  return pieces;
}

RestoredLog restore_log(std::vector<BackupPiece>& pieces, LogImport& log, Entropy& entropy,
                        const LogRestoreOptions& options) {
  auto& newest = pieces.back();
  const auto all = newest.manifest.last;
  Progress progress(options, 2 * all.value());
  auto checked = check_pieces(pieces, options, progress);
  const auto end = checked.erased.end();
  if (options.at && end == Position())
    throw BackupRefused("the backup has no event of " + to_iso8601(*options.at) + " or before");
  if (newest.target) newest.target->fetch_state(end, newest.directory, newest.manifest);

  Making making(log);
  Frontier tree;
  for (const auto& piece : pieces) {
    for (const auto& segment : piece.manifest.segments) {
      if (segment.first <= end) append_segment(piece, segment, tree, end, checked.erased, making, progress);
    }
  }
  const auto idempotency = newest.manifest.state_directory() + '/' + kIdempotencyFile;
  // A target may have no state from before the end.
  if (newest.manifest.find(idempotency)) making.add_idempotency(newest.directory / idempotency, end);
  auto restored = making.finish(newest.manifest, next_epoch(pieces, entropy));
  if (restored.last != end || restored.root != checked.root)
    throw BackupRefused("what was restored has another tree than the backup: it was changed meanwhile");
  restored.left_out = all.value() - end.value();
  restored.erased_charges = checked.erased.charges();
  return restored;
}

}  // namespace pixledger::eventstore
