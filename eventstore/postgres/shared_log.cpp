#include "eventstore/postgres/shared_log.h"

#include <cassert>

#include "eventstore/log/stored_leaf.h"
#include "eventstore/postgres/batch_rows.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/pg_values.h"
#include "eventstore/postgres/session_start.h"

namespace pixledger::eventstore {
namespace {

// One number for all nodes; a database has one ledger.
constexpr const char* kTakeTurn = "BEGIN; SELECT pg_advisory_xact_lock(1886156908)";
// The lock is a statement of its own before it, since a statement sees what was there when it began.
constexpr const char* kHead =
    "SELECT batch, position, root, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, "
    "current_setting('synchronous_standby_names') FROM head FOR UPDATE";
// So many commits are taken in while others wait; more of them before the turn is taken.
constexpr std::uint64_t kBatchesInTurnMax = 50;
constexpr int kTurnsMax = 5;

}  // namespace

// One turn, in which the copy is written as far as PostgreSQL is.
class SharedLog::Write final : public LogWrite {
 public:
  Write(LmdbLog& copy, PgSession& session, std::unique_lock<std::recursive_mutex> lock)
      : copy_(copy), session_(session), lock_(std::move(lock)) {}
  ~Write() override {
    if (is_in_turn_) session_.roll_back();
  }

  // To be called first. Once it is begun the turn ends with this write, whatever goes wrong in it.
  void take_turn() {
    for (int turn = 1;; ++turn) {
      is_in_turn_ = true;
      session_.run(kTakeTurn);
      const auto row = session_.run(kHead).at(0);
      if (row.at(4).as<std::string>().empty())
        throw LogUnavailable("PostgreSQL has no synchronous standby (synchronous_standby_names is empty)");
      time_ = Timestamp(row.at(3).as<std::int64_t>());
      const auto batch = row.at(0).as<std::uint64_t>();
      if (batch <= copy_.copied().batch + kBatchesInTurnMax || turn == kTurnsMax)
        return take_in_until(batch, digest_of(row.at(2)));
      session_.run("ROLLBACK");
      take_in_batches(session_, copy_);
    }
  }

  Head head() const override { return in_copy_->head(); }
  std::uint32_t id_counter() const override { return in_copy_->id_counter(); }
  std::uint32_t version_of(const StreamName& stream) const override { return in_copy_->version_of(stream); }
  Loaded load(const LoadSet& set) const override { return in_copy_->load(set); }
  std::optional<Timestamp> time_there() const override { return time_; }

  void append(const Batch& batch) override {
    assert(!row_);
    const auto before = in_copy_->head().position;
    in_copy_->append(batch);
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

  void commit() override {
    assert(row_);
    if (!eventstore::append(session_, *row_))
      throw LogUnavailable("another node has written in this one's turn; nothing was written");
    is_in_turn_ = false;
    session_.commit();
    try {
      in_copy_->commit();
    } catch (const LogUnavailable&) {
      // It is durable where the order is decided. Where the copy has no room the next turn says so.
    }
  }

 private:
  void take_in_until(std::uint64_t batch, const Digest& root) {
    in_copy_ = copy_.begin_copy_write();
    while (in_copy_->batch() < batch) {
      auto batches = read_batches(session_, in_copy_->batch(), in_copy_->head().position);
      if (batches.empty()) break;
      for (auto& next : batches) in_copy_->take_in(decided(std::move(next)));
    }
    if (in_copy_->batch() != batch || in_copy_->root() != root)
      throw CopyAstray("the copy's tree at position " + std::to_string(in_copy_->head().position.value()) +
                       " has the root " + to_hex(in_copy_->root()) + ", and " + to_hex(root) +
                       " in PostgreSQL");
  }

  LmdbLog& copy_;
  PgSession& session_;
  std::unique_lock<std::recursive_mutex> lock_;
  std::unique_ptr<CopyWrite> in_copy_;
  Timestamp time_;
  std::optional<BatchRow> row_;
  std::vector<std::string> leaves_;
  std::vector<std::string> personal_;
  bool is_in_turn_ = false;
};

SharedLog::SharedLog(std::unique_ptr<LmdbLog> copy, SharedNode node)
    : node_(std::move(node)),
      copy_(std::move(copy)),
      follower_(std::make_unique<CopyFollower>(
          *copy_, [this] { return start_session(node_, copy_.get(), watch_); },
          end_with_astray_copy(node_))) {}

SharedLog::~SharedLog() = default;

PgSession& SharedLog::session() const {
  if (!session_ || !session_->is_usable()) {
    session_.reset();
    session_ = start_session(node_, copy_.get(), watch_);
    prepare_append(*session_);
  }
  return *session_;
}

std::unique_ptr<LogWrite> SharedLog::begin_write() {
  std::unique_lock lock(mutex_);
  try {
    auto& session = this->session();
    auto write = std::make_unique<Write>(*copy_, session, std::move(lock));
    write->take_turn();
    return write;
  } catch (const CopyAstray& error) {
    end_with_astray_copy(node_)(error.what());
    throw;
  }
}

ClockAcceptance SharedLog::clock_acceptance() const {
  const std::lock_guard lock(mutex_);
  const auto row = session().run("SELECT clock_acceptances, clock_head_time FROM ledger").at(0);
  return {.count = row.at(0).as<std::uint64_t>(),
          .head_time = Timestamp(row.at(1).as<std::int64_t>()),
          .clock = std::nullopt};
}

void SharedLog::accept_clock(const ClockReading&) {
  const std::lock_guard lock(mutex_);
  session().run("BEGIN");
  session().run(
      "UPDATE ledger SET clock_acceptances = clock_acceptances + 1, clock_head_time = (SELECT time FROM "
      "head)");
  session().commit();
}

void SharedLog::remove_personal(const std::vector<Position>& positions) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> numbers;
    for (const auto position : positions) numbers.push_back(position.value());
    session().run("BEGIN");
    session().run("DELETE FROM personal WHERE position = ANY ('" + bigint_array(numbers) + "')");
    session().commit();
  }
  copy_->remove_personal(positions);
}

}  // namespace pixledger::eventstore
