#include "tools/audit/structure_pass.h"

#include <chrono>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/short_snapshots.h"
#include "eventstore/tree/merkle.h"

// Three cursors go through the positions side by side: events, personal data and tree records. The tree is
// made anew on the way, so that each record is compared with what it must be, and at the end its root is
// known. Short snapshots take turns; events never change, so the next one goes on where the last one ended.
namespace pixledger::tools {
namespace {

constexpr unsigned kEventsPerLookAtClock = 256;
constexpr std::size_t kDigestBytes = 32;

// What lies at the positions from one on, of one kind.
class Rows {
 public:
  Rows(std::unique_ptr<eventstore::PositionCursor> cursor, Position from) : cursor_(std::move(cursor)) {
    there_ = cursor_->seek(from);
  }
  bool is_at(Position position) const { return there_ && cursor_->position() == position; }
  bool is_before(Position position) const { return there_ && cursor_->position() < position; }
  std::string_view value() const { return cursor_->value(); }
  void advance() { there_ = cursor_->next(); }

 private:
  std::unique_ptr<eventstore::PositionCursor> cursor_;
  bool there_;
};

class StructurePass {
 public:
  StructurePass(const eventstore::LedgerLog& log, Position end, bool reads_envelopes)
      : log_(log), end_(end), reads_envelopes_(reads_envelopes) {}

  Structure run(const VerifyProgress& progress) {
    while (!result_.finding && last_ < end_) {
      const auto before = last_;
      try {
        read_some();
      } catch (const eventstore::LogCorrupt& corrupt) {
        found(corrupt.what());
      }
      progress(last_.value() - before.value());
    }
    result_.events = last_.value();
    result_.root = tree_.root();
    return std::move(result_);
  }

 private:
  bool found(std::string problem) {
    result_.finding = {last_.next(), std::move(problem)};
    return false;
  }

  void read_some() {
    const auto deadline = std::chrono::steady_clock::now() + eventstore::kSnapshotMax;
    const auto snapshot = log_.snapshot();
    Rows events(snapshot->events(), last_.next());
    Rows personal(snapshot->personal(), last_.next());
    Rows tree(snapshot->tree(), last_.next());
    for (unsigned count = 1; last_ < end_; ++count) {
      if (!events.is_at(last_.next())) {
        found("there is no event here");
        return;
      }
      if (!check_personal(events.value(), personal) || !check_event(events.value(), tree)) return;
      last_ = last_.next();
      events.advance();
      if (count % kEventsPerLookAtClock == 0 && std::chrono::steady_clock::now() > deadline) return;
    }
  }

  bool check_personal(std::string_view event, Rows& personal) {
    if (event.size() <= kDigestBytes) return found("the event is too short");
    const auto digest = event.substr(event.size() - kDigestBytes);
    if (personal.is_before(last_.next())) return found("there are personal data that belong to no event");
    if (!personal.is_at(last_.next())) {
      if (digest != bytes_of(none_)) ++result_.erased;
      return true;
    }
    if (personal.value().empty() || bytes_of(sha256(personal.value())) != digest)
      return found("the personal data are not those that were recorded");
    ++result_.personal;
    personal.advance();
    return true;
  }

  bool check_event(std::string_view event, Rows& tree) {
    if (!tree.is_at(last_.next())) return found("the Merkle tree has no leaf for this event");
    const Digest leaf = eventstore::leaf_hash(event);
    if (tree.value().substr(0, kDigestBytes) != bytes_of(leaf))
      return found("the event is not what was recorded: its leaf hash differs");
    if (tree.value() != tree_.append(leaf))
      return found("the Merkle tree's nodes are not those of the events");
    tree.advance();
    if (!reads_envelopes_) return true;
    const auto envelope = event.substr(0, event.size() - kDigestBytes);
    const auto header = eventstore::header_of(last_.next(), envelope);
    if (header.recorded_at < result_.newest) return found("it was recorded before the event in front of it");
    result_.newest = header.recorded_at;
    if (header.erases) result_.erasures.push_back(last_.next());
    return true;
  }

  const eventstore::LedgerLog& log_;
  const Position end_;
  const bool reads_envelopes_;
  const Digest none_ = sha256("");
  Structure result_;
  eventstore::Frontier tree_;
  Position last_;
};

}  // namespace

Structure check_structure(const eventstore::LedgerLog& log, Position end, bool reads_envelopes,
                          const VerifyProgress& progress) {
  return StructurePass(log, end, reads_envelopes).run(progress);
}

}  // namespace pixledger::tools
