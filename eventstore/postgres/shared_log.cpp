#include "eventstore/postgres/shared_log.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/cluster.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/cluster_look.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/lost_commits.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"
#include "eventstore/postgres/shared_write.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

constexpr std::uint64_t kEventsPerPage = 1'000;
constexpr std::chrono::milliseconds kPauseMax{200};

constexpr PreparedStatement kBatches{
    "batches to compare",
    "SELECT number, last, time, root FROM batch WHERE number > $1::bigint AND number <= $1::bigint + 1000 "
    "AND number <= $2::bigint ORDER BY number"};

// Reads from the newest commit back.
constexpr PreparedStatement kLastBatchUpTo{
    "last batch not to compare",
    "SELECT number, time FROM batch WHERE last <= $1::bigint ORDER BY number DESC LIMIT 1"};

// One statement, which sees one moment.
constexpr const char* kEnds =
    "SELECT head.position, "
    "batch.number IS NOT NULL AND (batch.last, batch.time, batch.id_counter, batch.root) = "
    "(head.position, head.time, head.id_counter, head.root) AND head.batch = (SELECT max(number) FROM "
    "batch), "
    "(SELECT coalesce(max(position), 0) FROM event), (SELECT coalesce(max(position), 0) FROM personal), "
    "(SELECT coalesce(min(position), 1) FROM event), (SELECT coalesce(min(position), 1) FROM personal) "
    "FROM head LEFT JOIN batch ON batch.number = head.batch";

// Selects the leaves' hashes, and whether existing personal bytes have the digest that ends the leaf. The
// bounds are literals, for the planner.
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
  Comparison(PgClient& client, const LmdbLog& copy, const RowComparisonOptions& options)
      : client_(client),
        copy_(copy),
        options_(options),
        copied_(copy.copied()),
        tree_(options.after.value(), TreeOfLog(copy)),
        done_(options.after) {}

  std::optional<RowDifference> run() {
    if (auto found = compare_ledger()) return found;
    for (auto number = skip_batches(); number < copied_.batch;) {
      const auto batches = client_.run_prepared(kBatches, number, copied_.batch);
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

  // Returns the number of the last commit whose events are not compared, or 0.
  std::uint64_t skip_batches() {
    if (done_ == Position()) return 0;
    const auto found = client_.run_prepared(kLastBatchUpTo, done_.value());
    if (found.empty()) return 0;
    newest_ = Timestamp(found.at(0).at(1).as<std::int64_t>());
    return found.at(0).at(0).as<std::uint64_t>();
  }

  // Id and epoch were compared when the client began.
  std::optional<RowDifference> compare_ledger() {
    const auto there = find_shared_ledger(client_);
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

  // The copy first, since an erasure removes data from PostgreSQL first.
  void read_page() {
    const Position last(std::min(copied_.last.value(), done_.value() + kEventsPerPage));
    const auto held = read_copy(last);
    const auto begun_at = std::chrono::steady_clock::now();
    const auto rows = client_.run(digests_between(done_, last));
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

  // Includes what came after the copy's newest commit; its rows are compared when they are taken in.
  std::optional<RowDifference> compare_ends() {
    const auto found = client_.run(kEnds);
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

  PgClient& client_;
  const LmdbLog& copy_;
  const RowComparisonOptions& options_;
  const LmdbLog::Copied copied_;
  Frontier tree_;
  Position done_;
  Timestamp newest_;
  std::deque<Digest> page_;                     // the leaves after `done_` that are equal
  std::optional<RowDifference> found_on_page_;  // after them
};

// Compares the ledger in the tables with what the copy has taken in: each event's leaf, its personal data,
// each commit and its root, and that the tables end with their head. PostgreSQL sends digests, to save
// network traffic, a page in each statement and outside of transactions. After each page it pauses for as
// long as the page took. Throws LogUnavailable, and what reading the copy throws.
std::optional<RowDifference> compare_rows(PgClient& client, const LmdbLog& copy,
                                          const RowComparisonOptions& options) {
  return Comparison(client, copy, options).run();
}

// For a client that finds out a commit's outcome while a caller waits.
constexpr PgTimeouts kHasty{.connect = std::chrono::seconds(2),
                            .answer = std::chrono::seconds(4),
                            .commit = std::chrono::seconds(4),
                            .lock = std::chrono::seconds(3)};

// For a client that looks for new commits: no caller waits for longer.
constexpr std::chrono::seconds kPatience{5};
constexpr PgTimeouts kLooking{.answer = kPatience, .commit = kPatience};

// For a client that reads everything, a page in each statement.
constexpr PgTimeouts kComparing{.answer = std::chrono::seconds(30)};

// Each process of the node sees within a second that it must scrub its buffers.
constexpr std::chrono::milliseconds kLookForScrubsEvery{50};

}  // namespace

SharedLog::SharedLog(std::unique_ptr<LmdbLog> copy, SharedNode node)
    : node_(std::move(node)), copy_(std::move(copy)), guard_(node_, *copy_, last_words_) {
  presence_ = std::make_unique<NodePresence>(
      node_, *copy_, guard_, [this] { return start_client(node_, copy_.get(), watch_); },
      [this] {
        PgClient client(node_.uri, kHasty, watch_);
        return missing_standby(client);
      },
      // Otherwise two nodes with one name would both write.
      [this](const std::string& problem) {
        last_words_.end("the process ends, as another has taken over: " + problem);
      });
  follower_ = std::make_unique<CopyFollower>(
      *copy_, guard_, own_commit_,
      CopyFollower::Clients{
          .connect = [this] { return connect(kLooking); },
          .is_current = [this](const PgClient& client) { return presence_->is_current(client); }});
}

SharedLog::~SharedLog() = default;

// Starts with a synchronous write.
std::unique_ptr<PgClient> SharedLog::connect(const PgTimeouts& times, Use use) const {
  const auto begun_at = std::chrono::steady_clock::now();
  auto node = node_;
  node.times = times;
  // NodePresence checks for another node with this name; a caller waits for this client.
  node.times.standstill = std::chrono::milliseconds(0);
  auto client = guard_.watch([&] { return start_client(node, copy_.get(), watch_); });
  if (use == Use::kWriting) check_ends(*client, node.uri);
  presence_->confirm(begun_at, *client);
  return client;
}

std::shared_ptr<PgClient> SharedLog::client() const {
  // A client that broke off while idle would fail the next write, long after the cause has gone.
  if (!client_ || !client_->is_usable() || client_->has_broken_off() || !presence_->is_current(*client_)) {
    client_.reset();
    client_ = connect(node_.times, Use::kWriting);
  }
  return client_;
}

std::optional<Head> SharedLog::begin_catch_up(TellHead told) const {
  if (auto fault = presence_->fault(); !fault.empty()) {
    told({{}, std::move(fault)});
    return std::nullopt;
  }
  follower_->ask([this, told = std::move(told)](const CaughtUp& seen) {
    if (!seen.fault.empty()) return told(seen);
    told({seen.head, presence_->fault()});
  });
  return std::nullopt;
}

Head SharedLog::catch_up() const {
  const auto answer = std::make_shared<std::promise<CaughtUp>>();
  auto seen = answer->get_future();
  begin_catch_up([answer](const CaughtUp& told) { answer->set_value(told); });
  if (seen.wait_for(kPatience) != std::future_status::ready)
    throw LogUnavailable("PostgreSQL does not tell in time what the ledger's head is");
  const auto [head, fault] = seen.get();
  if (!fault.empty()) throw LogUnavailable(fault);
  return head;
}

std::unique_ptr<LogWrite> SharedLog::begin_write() {
  std::unique_lock lock(mutex_);
  presence_->check();
  const auto begun_at = std::chrono::steady_clock::now();
  const auto client = this->client();
  replicated_ = std::max(replicated_.load(), presence_->seen().batch);
  auto write = std::make_unique<SharedWrite>(SharedWrite::Parts{.copy = *copy_,
                                                                .guard = guard_,
                                                                .client = client,
                                                                .connect = [this] { return connect(kHasty); },
                                                                .on_unknown = [this] { ++unknown_commits_; },
                                                                .own_commit = own_commit_,
                                                                .replicated = replicated_,
                                                                .stops_for_losses = stops_for_losses_},
                                             std::move(lock));
  write->take_turn();
  // The decision may need no commit, and would then rest on a former primary's data.
  if (!presence_->is_current(*client))
    throw LogUnavailable("PostgreSQL has got another primary; nothing was written");
  count_turn(std::chrono::steady_clock::now() - begun_at);
  return write;
}

std::vector<StoredEvent> SharedLog::read_after(Position after, std::size_t max) const {
  return guard_.watch([&] {
    auto events = copy_->read_after(after, max);
    copy_->check(events);
    return events;
  });
}

StreamBatch SharedLog::read_stream(const StreamName& stream, std::uint32_t after_version,
                                   Position up_to) const {
  return guard_.watch([&] {
    auto batch = copy_->read_stream(stream, after_version, up_to);
    copy_->check(batch.events);
    return batch;
  });
}

ClockAcceptance SharedLog::clock_acceptance() const {
  const std::lock_guard lock(mutex_);
  const auto row = client()->run("SELECT clock_acceptances, clock_head_time FROM ledger").at(0);
  return {.count = row.at(0).as<std::uint64_t>(),
          .head_time = Timestamp(row.at(1).as<std::int64_t>()),
          .clock = std::nullopt};
}

void SharedLog::accept_clock(const ClockReading&) {
  const std::lock_guard lock(mutex_);
  const auto client = this->client();
  client->run("BEGIN");
  client->run(
      "UPDATE ledger SET clock_acceptances = clock_acceptances + 1, clock_head_time = (SELECT time FROM "
      "head)");
  client->commit();
}

void SharedLog::remove_personal(const std::vector<Position>& positions) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> numbers;
    for (const auto position : positions) numbers.push_back(position.value());
    const auto client = this->client();
    client->run("BEGIN");
    client->run("DELETE FROM personal WHERE position = ANY ('" + bigint_array(numbers) + "')");
    client->commit();
  }
  guard_.watch([&] { copy_->remove_personal(positions); });
}

void SharedLog::scrub(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto scrubs = change_node("scrubs = scrubs + 1").at(0).at(0).as<std::int64_t>();
  guard_.watch([&] { copy_->scrub_buffers(); });
  guard_.note_scrubbed(scrubs);
  while (!guard_.have_all_scrubbed(scrubs)) {
    if (std::chrono::steady_clock::now() >= deadline)
      throw SnapshotInUse("a program of this node that has the ledger open stands still");
    std::this_thread::sleep_for(kLookForScrubsEvery);
  }
  guard_.watch([&] { copy_->scrub(patience); });
}

// Matches our own row only: after a takeover the new node's progress is not ours.
std::string SharedLog::own_row() const {
  return " WHERE name = " + literal(node_.name) + " AND directory LIKE " +
         literal("%#" + mark_of_place(place_of(node_))) + " AND boot = " + literal(SystemClock().boot_id());
}

pqxx::result SharedLog::change_node(const std::string& change) {
  const std::lock_guard lock(mutex_);
  const auto client = this->client();
  client->run("BEGIN");
  auto changed = client->run("UPDATE node SET " + change + own_row() + " RETURNING scrubs");
  client->commit();
  if (changed.empty()) throw LogUnavailable("PostgreSQL does not know the node " + node_.name + " any more");
  return changed;
}

Position SharedLog::erased() const {
  const std::lock_guard lock(mutex_);
  const auto row = client()->run("SELECT erased FROM node" + own_row());
  if (row.empty()) throw LogUnavailable("PostgreSQL does not know the node " + node_.name + " any more");
  return Position(row.at(0).at(0).as<std::uint64_t>());
}

void SharedLog::note_erased(Position position) {
  change_node("erased = greatest(erased, " + std::to_string(position.value()) + ")");
}

std::vector<NodeState> SharedLog::nodes() const {
  const std::lock_guard lock(mutex_);
  return read_nodes(*client());
}

std::string SharedLog::excess_rights() const {
  const std::lock_guard lock(mutex_);
  return eventstore::excess_rights(*client());
}

std::optional<RowDifference> SharedLog::find_difference(const RowComparisonOptions& options) const {
  const auto client = connect(kComparing);
  auto found = guard_.watch([&] { return compare_rows(*client, *copy_, options); });
  // A primary that was replaced may lack later commits.
  if (!presence_->is_current(*client)) throw LogUnavailable("PostgreSQL has got another primary meanwhile");
  return found;
}

std::string SharedLog::fault() const {
  auto fault = presence_->fault();
  return fault.empty() ? follower_->fault() : fault;
}

std::string SharedLog::write_stop() const {
  return stops_for_losses_ ? reason_of_stop(lost_histories()) : std::string();
}

Redundancy SharedLog::redundancy() const { return look_at_redundancy(node_.uri); }

std::uint64_t SharedLog::lag_events() const {
  const auto there = presence_->seen().head.value();
  return there - std::min(there, copy_->head().position.value());
}

void SharedLog::count_turn(std::chrono::steady_clock::duration waited) {
  const auto seconds = std::chrono::duration<double>(waited).count();
  const auto& bounds = TurnWaits::kBoundsSeconds;
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), seconds) - bounds.begin();
  const std::lock_guard lock(waits_mutex_);
  ++waits_.counts[static_cast<std::size_t>(bound)];
  waits_.sum_seconds += seconds;
}

TurnWaits SharedLog::turn_waits() const {
  const std::lock_guard lock(waits_mutex_);
  return waits_;
}

}  // namespace pixledger::eventstore
