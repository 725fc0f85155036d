#include "eventstore/postgres/shared_log.h"

#include <algorithm>
#include <future>
#include <thread>

#include "base/platform/clock.h"
#include "eventstore/postgres/cluster_look.h"
#include "eventstore/postgres/lost_commits.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/node_place.h"
#include "eventstore/postgres/pg_values.h"
#include "eventstore/postgres/row_comparison.h"
#include "eventstore/postgres/session_start.h"
#include "eventstore/postgres/shared_write.h"

namespace pixledger::eventstore {
namespace {

// Of a session that only finds out what a commit came to, while somebody waits.
constexpr PgTimes kHasty{.connect = std::chrono::seconds(2),
                         .answer = std::chrono::seconds(4),
                         .commit = std::chrono::seconds(4),
                         .lock = std::chrono::seconds(3)};

// Of one that looks for what is new: later than that nobody waits for it.
constexpr std::chrono::seconds kPatience{5};
constexpr PgTimes kLooking{.answer = kPatience, .commit = kPatience};

// Of one that reads all of it, a page in each statement.
constexpr PgTimes kComparing{.answer = std::chrono::seconds(30)};

// Each process of the node sees within a second that it has to scrub its buffers.
constexpr std::chrono::milliseconds kLookForScrubsEvery{50};

}  // namespace

SharedLog::SharedLog(std::unique_ptr<LmdbLog> copy, SharedNode node)
    : node_(std::move(node)), copy_(std::move(copy)), guard_(node_, *copy_, last_words_) {
  presence_ = std::make_unique<NodePresence>(
      node_, *copy_, guard_, [this] { return start_session(node_, copy_.get(), watch_); },
      [this] {
        PgSession session(node_.uri, kHasty, watch_);
        return missing_standby(session);
      },
      // Otherwise two nodes with one name would go on writing.
      [this](const std::string& problem) {
        last_words_.end("the process ends, as another has taken over: " + problem);
      });
  follower_ = std::make_unique<CopyFollower>(
      *copy_, guard_, own_commit_,
      CopyFollower::Sessions{
          .connect = [this] { return connect(kLooking); },
          .is_current = [this](const PgSession& session) { return presence_->is_current(session); }});
}

SharedLog::~SharedLog() = default;

// Its start is a synchronous write.
std::unique_ptr<PgSession> SharedLog::connect(const PgTimes& times, Use use) const {
  const auto begun_at = std::chrono::steady_clock::now();
  auto node = node_;
  node.times = times;
  // Whether another is at work is for the presence to find out, while whoever wants this one waits.
  node.times.standstill = std::chrono::milliseconds(0);
  auto session = guard_.watch([&] { return start_session(node, copy_.get(), watch_); });
  if (use == Use::kWriting) check_ends(*session, node.uri);
  presence_->confirm(begun_at, *session);
  return session;
}

std::shared_ptr<PgSession> SharedLog::session() const {
  // One that broke off while nothing was asked of it would fail the next write, long after all is well again.
  if (!session_ || !session_->is_usable() || session_->has_broken_off() ||
      !presence_->is_current(*session_)) {
    session_.reset();
    session_ = connect(node_.times, Use::kWriting);
  }
  return session_;
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
  const auto session = this->session();
  replicated_ = std::max(replicated_.load(), presence_->seen().batch);
  auto write = std::make_unique<SharedWrite>(SharedWrite::Parts{.copy = *copy_,
                                                                .guard = guard_,
                                                                .session = session,
                                                                .connect = [this] { return connect(kHasty); },
                                                                .on_unknown = [this] { ++unknown_commits_; },
                                                                .own_commit = own_commit_,
                                                                .replicated = replicated_,
                                                                .stops_for_losses = stops_for_losses_},
                                             std::move(lock));
  write->take_turn();
  // What is decided may come to nothing that would be committed, and so be believed of a former primary.
  if (!presence_->is_current(*session))
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
  const auto row = session()->run("SELECT clock_acceptances, clock_head_time FROM ledger").at(0);
  return {.count = row.at(0).as<std::uint64_t>(),
          .head_time = Timestamp(row.at(1).as<std::int64_t>()),
          .clock = std::nullopt};
}

void SharedLog::accept_clock(const ClockReading&) {
  const std::lock_guard lock(mutex_);
  const auto session = this->session();
  session->run("BEGIN");
  session->run(
      "UPDATE ledger SET clock_acceptances = clock_acceptances + 1, clock_head_time = (SELECT time FROM "
      "head)");
  session->commit();
}

void SharedLog::remove_personal(const std::vector<Position>& positions) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> numbers;
    for (const auto position : positions) numbers.push_back(position.value());
    const auto session = this->session();
    session->run("BEGIN");
    session->run("DELETE FROM personal WHERE position = ANY ('" + bigint_array(numbers) + "')");
    session->commit();
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

// Where another has taken its name over, what it did is not what that one has done.
std::string SharedLog::own_row() const {
  return " WHERE name = " + literal(node_.name) + " AND directory LIKE " +
         literal("%#" + mark_of_place(place_of(node_))) + " AND boot = " + literal(SystemClock().boot_id());
}

pqxx::result SharedLog::change_node(const std::string& change) {
  const std::lock_guard lock(mutex_);
  const auto session = this->session();
  session->run("BEGIN");
  auto changed = session->run("UPDATE node SET " + change + own_row() + " RETURNING scrubs");
  session->commit();
  if (changed.empty()) throw LogUnavailable("PostgreSQL does not know the node " + node_.name + " any more");
  return changed;
}

Position SharedLog::erased() const {
  const std::lock_guard lock(mutex_);
  const auto row = session()->run("SELECT erased FROM node" + own_row());
  if (row.empty()) throw LogUnavailable("PostgreSQL does not know the node " + node_.name + " any more");
  return Position(row.at(0).at(0).as<std::uint64_t>());
}

void SharedLog::note_erased(Position position) {
  change_node("erased = greatest(erased, " + std::to_string(position.value()) + ")");
}

std::vector<NodeState> SharedLog::nodes() const {
  const std::lock_guard lock(mutex_);
  return read_nodes(*session());
}

std::string SharedLog::excess_rights() const {
  const std::lock_guard lock(mutex_);
  return eventstore::excess_rights(*session());
}

std::optional<RowDifference> SharedLog::find_difference(const RowComparisonOptions& options) const {
  const auto session = connect(kComparing);
  auto found = guard_.watch([&] { return compare_rows(*session, *copy_, options); });
  // A primary that was replaced may lack what was committed since.
  if (!presence_->is_current(*session)) throw LogUnavailable("PostgreSQL has got another primary meanwhile");
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
