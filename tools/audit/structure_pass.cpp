#include "tools/audit/structure_pass.h"

#include <chrono>

#include "eventstore/codec/codec.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::tools {
namespace {

using domain::Position;
using eventstore::Digest;
using eventstore::LmdbCursor;

// One reading transaction lasts at most this long: it keeps all later pages alive.
constexpr std::chrono::milliseconds kReadMax{50};
constexpr unsigned kEventsPerLookAtClock = 256;
constexpr std::size_t kDigestBytes = 32;

// The entries of one database, in the order of positions.
class Rows {
 public:
  Rows(MDB_txn* transaction, MDB_dbi database, const std::string& from) : cursor_(transaction, database) {
    there_ = cursor_.seek(from);
  }
  bool is_at(const std::string& key) const { return there_ && cursor_.key() == key; }
  bool is_before(const std::string& key) const { return there_ && cursor_.key() < key; }
  std::string_view value() const { return cursor_.value(); }
  void advance() { there_ = cursor_.move(MDB_NEXT); }

 private:
  LmdbCursor cursor_;
  bool there_;
};

class Pass {
 public:
  Pass(const eventstore::LmdbLog& log, Position end, bool reads_envelopes)
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
    const auto deadline = std::chrono::steady_clock::now() + kReadMax;
    const eventstore::LmdbRead read(log_.environment());
    const auto& databases = log_.databases();
    const auto from = eventstore::big_endian(last_.next().value());
    Rows events(read.get(), databases.events, from);
    Rows personal(read.get(), databases.personal, from);
    Rows tree(read.get(), databases.tree, from);
    for (unsigned count = 1; last_ < end_; ++count) {
      const auto key = eventstore::big_endian(last_.next().value());
      if (!events.is_at(key)) {
        found("there is no event here");
        return;
      }
      if (!check_personal(key, events.value(), personal) || !check_event(key, events.value(), tree)) return;
      last_ = last_.next();
      events.advance();
      if (count % kEventsPerLookAtClock == 0 && std::chrono::steady_clock::now() > deadline) return;
    }
  }

  bool check_personal(const std::string& key, std::string_view event, Rows& personal) {
    if (event.size() <= kDigestBytes) return found("the event is too short");
    const auto digest = event.substr(event.size() - kDigestBytes);
    if (personal.is_before(key)) return found("there are personal data that belong to no event");
    if (!personal.is_at(key)) {
      if (digest != eventstore::bytes_of(none_)) ++result_.erased;
      return true;
    }
    if (personal.value().empty() || eventstore::bytes_of(eventstore::sha256(personal.value())) != digest)
      return found("the personal data are not those that were recorded");
    ++result_.personal;
    personal.advance();
    return true;
  }

  bool check_event(const std::string& key, std::string_view event, Rows& tree) {
    if (!tree.is_at(key)) return found("the Merkle tree has no leaf for this event");
    const Digest leaf = eventstore::leaf_hash(event);
    if (tree.value().substr(0, kDigestBytes) != eventstore::bytes_of(leaf))
      return found("the event is not what was recorded: its leaf hash differs");
    if (tree.value() != tree_.append(leaf))
      return found("the Merkle tree's nodes are not those of the events");
    tree.advance();
    if (!reads_envelopes_) return true;
    const auto envelope = event.substr(0, event.size() - kDigestBytes);
    const auto gist = eventstore::header_of(last_.next(), envelope);
    if (gist.recorded_at < result_.newest) return found("it was recorded before the event in front of it");
    result_.newest = gist.recorded_at;
    if (gist.erases) result_.erasures.push_back(last_.next());
    return true;
  }

  const eventstore::LmdbLog& log_;
  const Position end_;
  const bool reads_envelopes_;
  const Digest none_ = eventstore::sha256("");
  Structure result_;
  eventstore::Frontier tree_;
  Position last_;
};

}  // namespace

Structure check_structure(const eventstore::LmdbLog& log, Position end, bool reads_envelopes,
                          const VerifyProgress& progress) {
  return Pass(log, end, reads_envelopes).run(progress);
}

}  // namespace pixledger::tools
