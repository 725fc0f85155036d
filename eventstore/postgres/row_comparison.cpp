#include "eventstore/postgres/row_comparison.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/pg_values.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

constexpr std::uint64_t kEventsPerPage = 1'000;
constexpr std::chrono::milliseconds kPauseMax{200};

constexpr PreparedStatement kBatches{
    "batches to compare",
    "SELECT number, last, time, root FROM batch WHERE number > $1::bigint AND number <= $1::bigint + 1000 "
    "AND number <= $2::bigint ORDER BY number"};

// In one statement, which sees one moment.
constexpr const char* kEnds =
    "SELECT head.position, "
    "batch.number IS NOT NULL AND (batch.last, batch.time, batch.id_counter, batch.root) = "
    "(head.position, head.time, head.id_counter, head.root) AND head.batch = (SELECT max(number) FROM "
    "batch), "
    "(SELECT coalesce(max(position), 0) FROM event), (SELECT coalesce(max(position), 0) FROM personal), "
    "(SELECT coalesce(min(position), 1) FROM event), (SELECT coalesce(min(position), 1) FROM personal) "
    "FROM head LEFT JOIN batch ON batch.number = head.batch";

// The hashes of the leaves, and whether the personal bytes, where there are some, have the digest that ends
// the leaf. The bounds are numbers in the text, for the planner.
std::string digests_between(Position after, Position last) {
  const auto in_range = [&](const std::string& column) {
    return column + " > " + std::to_string(after.value()) + " AND " + column +
           " <= " + std::to_string(last.value());
  };
  return "SELECT e.position, sha256('\\x00'::bytea || e.leaf), CASE WHEN p.position IS NOT NULL THEN "
         "sha256(p.bytes) = substr(e.leaf, length(e.leaf) - 31) END "
         "FROM event e LEFT JOIN personal p ON p.position = e.position AND " +
         in_range("p.position") + " WHERE " + in_range("e.position") + " ORDER BY 1";
}

// What the copy has at a position.
struct Held {
  std::string leaf;  // its hash
  bool has_personal;
};

class Comparison {
 public:
  Comparison(PgSession& session, const LmdbLog& copy, const RowComparisonOptions& options)
      : session_(session), copy_(copy), options_(options), copied_(copy.copied()) {}

  std::optional<RowDifference> run() {
    if (auto found = compare_ledger()) return found;
    for (std::uint64_t number = 0; number < copied_.batch;) {
      const auto batches = session_.run_prepared(kBatches, number, copied_.batch);
      for (const auto& row : batches) {
        if (row.at(0).as<std::uint64_t>() != number + 1) break;
        if (auto found = compare_batch(++number, row)) return found;
      }
      if (number < copied_.batch && !is_last_of_page(number, batches)) return no_commit(number + 1);
    }
    if (done_ != copied_.last) return difference(done_.next(), "no commit has the event");
    return compare_ends();
  }

 private:
  static RowDifference difference(Position position, std::string problem) {
    return {position, std::move(problem)};
  }
  static bool is_last_of_page(std::uint64_t number, const pqxx::result& batches) {
    return !batches.empty() && batches.back().at(0).as<std::uint64_t>() == number;
  }
  RowDifference no_commit(std::uint64_t number) const {
    return difference(done_.next(), "commit " + std::to_string(number) + " is missing");
  }

  // Its id and epoch were compared when the session began.
  std::optional<RowDifference> compare_ledger() {
    const auto there = find_shared_ledger(session_);
    const auto here = copy_.snapshot()->end();
    if (there && there->keyring == here.keyring && there->ended_epochs == here.ended_epochs)
      return std::nullopt;
    return difference({}, "what it says of the ledger's keys and earlier epochs is not what the copy has");
  }

  std::optional<RowDifference> compare_batch(std::uint64_t number, const pqxx::row& row) {
    const auto commit = "commit " + std::to_string(number);
    const Position last(static_cast<std::uint64_t>(row.at(1).as<std::int64_t>()));
    if (last < done_ || copied_.last < last)
      return difference(done_.next(),
                        commit + " ends with position " + std::to_string(last.value()) + ", as none does");
    while (done_ < last) {
      if (auto found = compare_next()) return found;
    }
    const Timestamp time(row.at(2).as<std::int64_t>());
    if (time < newest_) return difference(last, commit + " has a time before that of the one in front of it");
    newest_ = time;
    if (bytes_in(row.at(3)) == bytes_of(tree_.root())) return std::nullopt;
    return difference(last, commit + " has another root than its events");
  }

  std::optional<RowDifference> compare_next() {
    if (page_.empty() && !found_on_page_) read_page();
    if (page_.empty()) return found_on_page_;
    tree_.append(page_.front());
    page_.pop_front();
    done_ = done_.next();
    return std::nullopt;
  }

  // The copy first: where an erasure takes something away, PostgreSQL's goes first.
  void read_page() {
    const Position last(std::min(copied_.last.value(), done_.value() + kEventsPerPage));
    const auto held = read_copy(last);
    const auto begun_at = std::chrono::steady_clock::now();
    const auto rows = session_.run(digests_between(done_, last));
    const auto took = std::chrono::steady_clock::now() - begun_at;
    auto position = done_;
    auto row = rows.begin();
    for (const auto& here : held) {
      position = position.next();
      if (row == rows.end() || row.at(0).as<std::uint64_t>() != position.value())
        found_on_page_ = difference(position, "the event is missing");
      else
        found_on_page_ = compare_event(position, here, row++);
      if (found_on_page_) break;
      page_.push_back(digest_from_bytes(here.leaf));
    }
    if (options_.progress) options_.progress(last.value(), copied_.last.value());
    std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(took, kPauseMax));
  }

  std::vector<Held> read_copy(Position last) const {
    const auto snapshot = copy_.snapshot();
    const auto tree = snapshot->tree();
    const auto personal = snapshot->personal();
    std::vector<Held> held;
    for (auto position = done_.next(); position <= last; position = position.next()) {
      const auto record = tree->find(position);
      if (!record || record->size() < sizeof(Digest))
        throw LogCorrupt("the Merkle tree has no record of position " + std::to_string(position.value()));
      held.push_back({std::string(record->substr(0, sizeof(Digest))), personal->find(position).has_value()});
    }
    return held;
  }

  std::optional<RowDifference> compare_event(Position position, const Held& here,
                                             const pqxx::row& row) const {
    if (bytes_in(row.at(1)) != here.leaf)
      return difference(position, "the event is another than the copy has");
    const auto& is_as_recorded = row.at(2);
    if (is_as_recorded.is_null()) {
      if (!here.has_personal || (options_.is_erased && options_.is_erased(position))) return std::nullopt;
      return difference(position, "its personal data are missing, and no customer's erasure explains it");
    }
    if (!here.has_personal)
      return difference(position, "it has personal data there, which the copy has not, or not any more");
    if (is_as_recorded.as<bool>()) return std::nullopt;
    return difference(position, "its personal data are not those that were recorded");
  }

  // Of what came after the copy's newest commit, too: that is compared when it is taken in.
  std::optional<RowDifference> compare_ends() {
    const auto found = session_.run(kEnds);
    if (found.empty()) return difference({}, "it has no head");
    const auto row = found.at(0);
    const auto head = row.at(0).as<std::uint64_t>();
    if (!row.at(1).as<bool>()) return difference({}, "its head is not that of its newest commit");
    const auto newest = row.at(2).as<std::uint64_t>();
    if (newest > head)
      return difference(Position(newest),
                        "behind its head it has events that belong to no commit: nothing "
                        "was recorded in them, and the tables' owner may delete them");
    if (newest != head || row.at(4).as<std::int64_t>() < 1)
      return difference({}, "it has events that belong to no commit");
    if (row.at(3).as<std::uint64_t>() > head || row.at(5).as<std::int64_t>() < 1)
      return difference({}, "it has personal data that belong to no event");
    return std::nullopt;
  }

  PgSession& session_;
  const LmdbLog& copy_;
  const RowComparisonOptions& options_;
  const LmdbLog::Copied copied_;
  Frontier tree_;
  Position done_;
  Timestamp newest_;
  std::deque<Digest> page_;                     // the leaves after `done_` that are the same
  std::optional<RowDifference> found_on_page_;  // behind them
};

}  // namespace

std::optional<RowDifference> compare_rows(PgSession& session, const LmdbLog& copy,
                                          const RowComparisonOptions& options) {
  return Comparison(session, copy, options).run();
}

}  // namespace pixledger::eventstore
