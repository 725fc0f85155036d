#include "eventstore/postgres/shared_write.h"

#include <cassert>
#include <thread>

#include "eventstore/log/log.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/copy_follower.h"
#include "eventstore/postgres/lost_commits.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {
namespace {

using Monotonic = std::chrono::steady_clock;

// One number for all nodes; a database has one ledger. The lock is a statement of its own, since a statement
// sees what was there when it began. All three are sent together.
constexpr const char* kTakeTurn = "BEGIN; SELECT pg_advisory_xact_lock(1886156908)";
const std::string kTakeTurnAtHead =
    "BEGIN; SELECT pg_advisory_xact_lock(1886156908); SELECT batch, position, root, (extract(epoch FROM "
    "clock_timestamp()) * 1000)::bigint, "
    "current_setting('synchronous_standby_names'), " +
    std::string(kOpenLosses) + " FROM head FOR UPDATE";
// This many commits are taken in while others wait; more of them are taken in before the turn.
constexpr std::uint64_t kBatchesInTurnMax = 50;
constexpr int kTurnsMax = 5;

// The caller waits for this, too, and needs an answer before its own timeout.
constexpr std::chrono::seconds kFindOutMax{3};
constexpr std::chrono::milliseconds kAskAgainAfter{200};

}  // namespace

SharedWrite::SharedWrite(Parts parts, std::unique_lock<std::recursive_mutex> lock)
    : parts_(std::move(parts)), lock_(std::move(lock)) {}

SharedWrite::~SharedWrite() {
  if (is_in_turn_) parts_.client->roll_back();
}

void SharedWrite::take_turn() {
  auto& client = *parts_.client;
  for (int turn = 1;; ++turn) {
    is_in_turn_ = true;
    const auto row = client.run(kTakeTurnAtHead).at(0);
    if (row.at(4).as<std::string>().empty()) throw no_synchronous_standby();
    if (parts_.stops_for_losses)
      if (const auto stop = reason_of_stop(parse_losses(row.at(5).as<std::string>())); !stop.empty())
        throw LogUnavailable(stop);
    time_ = Timestamp(row.at(3).as<std::int64_t>());
    const auto batch = row.at(0).as<std::uint64_t>();
    if (batch <= parts_.copy.copied().batch + kBatchesInTurnMax || turn == kTurnsMax)
      return parts_.guard.watch([&] { take_in_until(batch, digest_of(row.at(2))); });
    client.run("ROLLBACK");
    parts_.guard.watch([&] { take_in_batches(client, parts_.copy); });
  }
}

void SharedWrite::take_in_until(std::uint64_t batch, const Digest& root) {
  in_copy_ = parts_.copy.begin_copy_write();
  try {
    take_in_rest(batch);
    if (in_copy_->batch() == batch && in_copy_->root() == root) return;
    refuse_head(batch, root);
  } catch (const WrongRoot& error) {
    check_copy(*parts_.client, parts_.copy);
    throw SharedLedgerDamaged(error.what());
  }
}

void SharedWrite::take_in_rest(std::uint64_t batch) {
  while (in_copy_->batch() < batch) {
    auto batches = find_batches(*parts_.client, in_copy_->batch(), in_copy_->head().position);
    if (batches.empty()) return;
    read_events(*parts_.client, in_copy_->head().position, batches);
    for (auto& next : batches) in_copy_->take_in(decided(std::move(next)));
  }
}

// If the copy matches the newest commit's own row, the head's row is wrong, and another copy would not help.
void SharedWrite::refuse_head(std::uint64_t batch, const Digest& root) {
  const auto here = in_copy_->batch();
  const auto text = "the copy's tree after commit " + std::to_string(here) + ", at position " +
                    std::to_string(in_copy_->head().position.value()) + ", has the root " +
                    to_hex(in_copy_->root()) + ", and PostgreSQL's head after commit " +
                    std::to_string(batch) + " " + to_hex(root);
  const auto there = parts_.client->run("SELECT root FROM batch WHERE number = " + std::to_string(here));
  if (here <= batch && !there.empty() && digest_of(there.at(0).at(0)) == in_copy_->root())
    throw SharedLedgerDamaged(text);
  throw CopyAstray(text);
}

void SharedWrite::append(const Batch& batch) {
  assert(!row_);
  const auto before = in_copy_->head().position;
  parts_.guard.watch([&] { in_copy_->append(batch); });
  row_ = BatchRow{.number = in_copy_->batch(),
                  .last = in_copy_->head().position,
                  .time = batch.time,
                  .id_counter = batch.id_counter,
                  .root = in_copy_->root(),
                  .idempotency = {},
                  .leaves = {},
                  .personal = {}};
  for (const auto& record : batch.idempotency) row_->idempotency.push_back({batch.time, record});
  personal_.reserve(batch.records.size());
  leaves_.reserve(batch.records.size());
  auto position = before;
  for (const auto& record : batch.records) {
    position = position.next();
    leaves_.push_back(record.bytes + std::string(bytes_of(sha256(record.personal))));
    row_->leaves.emplace_back(leaves_.back());
    if (record.personal.empty()) continue;
    personal_.push_back(record.personal);
    row_->personal.emplace_back(position, personal_.back());
  }
}

void SharedWrite::commit() {
  assert(row_);
  if (!eventstore::append(*parts_.client, *row_))
    throw LogUnavailable("another node has written in this one's turn; nothing was written");
  is_in_turn_ = false;
  const auto begun_at = Monotonic::now();
  parts_.own_commit = row_->number;
  try {
    parts_.client->commit();
  } catch (const LogOutcomeUnknown&) {
    parts_.own_commit = 0;
    // A commit without an answer for this long is still waiting there.
    if (Monotonic::now() - begun_at > kFindOutMax) {
      parts_.on_unknown();
      throw;
    }
    return find_out();
  } catch (...) {
    parts_.own_commit = 0;
    throw;
  }
  parts_.replicated = row_->number;
  commit_copy();
  parts_.own_commit = 0;
}

void SharedWrite::confirm() {
  assert(!row_);
  if (in_copy_->batch() <= parts_.replicated) return;
  // The row is locked by this turn already.
  parts_.client->run("UPDATE head SET batch = batch");
  is_in_turn_ = false;
  eventstore::confirm(*parts_.client);
  parts_.replicated = in_copy_->batch();
}

void SharedWrite::commit_copy() {
  try {
    parts_.guard.watch([&] { in_copy_->commit(); });
  } catch (const LogUnavailable&) {
    // PostgreSQL has it durably. If the copy has no room, the next turn reports it.
  }
}

// Takes the turn once more, which waits for the end of the client that had it: its commit is visible then.
// The new client has written synchronously, so that what it sees is replicated.
bool SharedWrite::is_durable() const {
  const auto client = parts_.connect();
  client->run(kTakeTurn);
  const auto found = client->run("SELECT root FROM batch WHERE number = " + std::to_string(row_->number));
  client->run("ROLLBACK");
  return !found.empty() && digest_of(found.at(0).at(0)) == row_->root;
}

void SharedWrite::find_out() {
  const auto deadline = Monotonic::now() + kFindOutMax;
  std::optional<bool> is_there;
  while (!is_there) {
    try {
      is_there = is_durable();
    } catch (const LogUnavailable& away) {
      if (Monotonic::now() >= deadline) {
        parts_.on_unknown();
        throw LogOutcomeUnknown(away.what());
      }
      std::this_thread::sleep_for(kAskAgainAfter);
    } catch (const std::exception& other) {
      // No other error says anything about the commit.
      parts_.on_unknown();
      throw LogOutcomeUnknown(other.what());
    }
  }
  if (!*is_there)
    throw LogUnavailable("the session with PostgreSQL broke off at the commit, and nothing was written");
  commit_copy();
}

}  // namespace pixledger::eventstore
