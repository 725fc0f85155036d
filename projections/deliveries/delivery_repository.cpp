#include "projections/deliveries/delivery_repository.h"

#include <Poco/Data/Statement.h>
#include <Poco/Nullable.h>
#include <string>

#include "projections/deliveries/delivery_changes.h"
#include "projections/deliveries/delivery_queries.h"
#include "projections/deliveries/delivery_rows.h"
#include "projections/deliveries/delivery_schema.h"
#include "projections/storage/cursor_table.h"
#include "projections/storage/damage.h"
#include "projections/storage/sqlite_session.h"

namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;
using OptionalInteger = Poco::Nullable<Integer>;

// Rolls back unless committed. May write from its beginning on, since SQLite waits for another writer only
// there: it refuses the first change of a transaction that has read already, at once.
class Transaction {
 public:
  explicit Transaction(Poco::Data::Session& session) : session_(session) {
    session_ << "BEGIN IMMEDIATE", now;
  }
  ~Transaction() {
    if (!open_) return;
    try {
      session_.rollback();
    } catch (const Poco::Exception&) {
      // SQLite has rolled back by itself; what failed is being thrown already.
    }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    session_.commit();
    open_ = false;
  }

 private:
  Poco::Data::Session& session_;
  bool open_ = true;
};

}  // namespace

DeliveryRepository::DeliveryRepository(const std::filesystem::path& file)
    : session_(std::make_unique<Poco::Data::Session>(open_sqlite(file, "rwc"))) {
  std::string mode;
  *session_ << "PRAGMA journal_mode = WAL", into(mode), now;
  *session_ << "PRAGMA synchronous = NORMAL", now;
  // What is deleted is overwritten: answers may name customers, who may be erased.
  int overwrites = 0;
  *session_ << "PRAGMA secure_delete = ON", into(overwrites), now;
  make_delivery_tables(*session_);
  make_working_tables(*session_);
}

DeliveryRepository::~DeliveryRepository() = default;

std::optional<LogCursor> DeliveryRepository::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*session_);
}

void DeliveryRepository::add(const std::vector<DeliveryChange>& changes, const LogCursor& cursor) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*session_);
  apply_changes(*session_, changes);
  save_cursor(*session_, cursor);
  transaction.commit();
}

void DeliveryRepository::record(const std::vector<AttemptRecord>& records, domain::Timestamp now) {
  if (records.empty()) return;
  const std::lock_guard lock(mutex_);
  Transaction transaction(*session_);
  record_attempts(*session_, records, now);
  transaction.commit();
}

std::optional<RecoveryProgress> DeliveryRepository::next_recovery(
    const std::optional<domain::ProjectId>& after) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> requested_at, since, until;
  std::vector<std::string> channel, project;
  std::vector<OptionalInteger> done;
  *session_ << "SELECT requested_at, channel, project, since, until, done_up_to FROM recoveries "
               "ORDER BY project <= ?, project, requested_at LIMIT 1",
      into(requested_at), into(channel), into(project), into(since), into(until), into(done),
      bind(after ? after->text() : std::string()), now;
  if (requested_at.empty()) return std::nullopt;
  auto id = domain::ChannelId::parse(channel.front());
  auto owner = domain::ProjectId::parse(project.front());
  if (!id || !owner) throw WorkerDatabaseDamaged("a row of the recoveries is damaged");
  RecoveryProgress progress{
      .recovery = {.channel = *std::move(id),
                   .project = *std::move(owner),
                   .requested_at = domain::Position(static_cast<std::uint64_t>(requested_at.front())),
                   .since = domain::Timestamp(since.front()),
                   .until = domain::Timestamp(until.front())},
      .done_up_to = {}};
  if (!done.front().isNull())
    progress.done_up_to = domain::Position(static_cast<std::uint64_t>(done.front().value()));
  return progress;
}

void DeliveryRepository::advance(const Recovery& recovery, const std::vector<NewDelivery>& missed,
                                 std::optional<domain::Position> done_up_to, domain::Timestamp now) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*session_);
  apply_missed(*session_, missed, now);
  const auto request = static_cast<Integer>(recovery.requested_at.value());
  if (done_up_to) {
    *session_ << "UPDATE recoveries SET done_up_to = ? WHERE channel = ? AND requested_at = ?",
        bind(static_cast<Integer>(done_up_to->value())), bind(recovery.channel.text()),
        bind(Integer{request}), Poco::Data::Keywords::now;
  } else {
    *session_ << "DELETE FROM recoveries WHERE channel = ? AND requested_at = ?",
        bind(recovery.channel.text()), bind(Integer{request}), Poco::Data::Keywords::now;
  }
  transaction.commit();
}

bool DeliveryRepository::prune(domain::Timestamp before, std::size_t rows_max) {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> number, created_at, status;
  *session_ << "SELECT number, created_at, status FROM deliveries WHERE number > ? ORDER BY number LIMIT ?",
      into(number), into(created_at), into(status), bind(Integer{pruned_up_to_}),
      bind(static_cast<Integer>(rows_max)), now;
  std::vector<Integer> old;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (created_at[i] < before.millis() && status[i] != 0) old.push_back(number[i]);
  }
  // Rows are in the order in which they were made: behind one that is young there are no old ones, but for
  // what was recovered, whose turn comes later.
  const bool more = number.size() == rows_max && created_at.back() < before.millis();
  pruned_up_to_ = more ? number.back() : 0;
  if (old.empty()) return more;

  Transaction transaction(*session_);
  *session_ << "INSERT INTO retention VALUES (1, ?1) "
               "ON CONFLICT (only_row) DO UPDATE SET pruned_before = MAX(pruned_before, ?1)",
      bind(Integer{before.millis()}), now;
  *session_ << "DELETE FROM attempts WHERE delivery = ?", use(old), now;
  *session_ << "DELETE FROM deliveries WHERE number = ?", use(old), now;
  transaction.commit();
  return more;
}

void DeliveryRepository::erase_answers(const std::vector<domain::ChargeId>& charges) {
  if (charges.empty()) return;
  std::vector<std::string> ids;
  ids.reserve(charges.size());
  for (const auto& charge : charges) ids.push_back(charge.text());
  const std::lock_guard lock(mutex_);
  Transaction transaction(*session_);
  *session_ << "INSERT OR IGNORE INTO erased_charges VALUES (?)", use(ids), now;
  *session_ << "UPDATE attempts SET answer = '' WHERE answer <> '' AND delivery IN "
               "(SELECT number FROM deliveries WHERE charge IN (SELECT charge FROM erased_charges))",
      now;
  transaction.commit();
}

bool DeliveryRepository::empty_write_ahead_log() {
  const std::lock_guard lock(mutex_);
  int busy = 0, pages = 0, moved = 0;
  *session_ << "PRAGMA wal_checkpoint(TRUNCATE)", into(busy), into(pages), into(moved), now;
  return busy == 0;
}

std::optional<domain::Timestamp> DeliveryRepository::pruned_before() const {
  const std::lock_guard lock(mutex_);
  return select_pruned_before(*session_);
}

std::vector<Delivery> DeliveryRepository::due(const domain::ChannelId& channel, domain::Timestamp now,
                                              std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_deliveries(*session_, {"WHERE channel = ? AND status = 0 AND next_attempt_at IS NOT NULL "
                                       "AND next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ?",
                                       {channel.text()},
                                       {now.millis(), static_cast<std::int64_t>(limit)}});
}

std::optional<domain::Timestamp> DeliveryRepository::next_due(const domain::ChannelId& channel,
                                                              domain::Timestamp moment) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> times;
  *session_ << "SELECT next_attempt_at FROM deliveries WHERE channel = ? AND status = 0 "
               "AND next_attempt_at IS NOT NULL AND next_attempt_at > ? ORDER BY next_attempt_at LIMIT 1",
      into(times), bind(channel.text()), bind(Integer{moment.millis()}), now;
  if (times.empty()) return std::nullopt;
  return domain::Timestamp(times.front());
}

std::vector<std::pair<domain::ChannelId, domain::Timestamp>> DeliveryRepository::channels_with_work() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> channels;
  std::vector<Integer> times;
  *session_ << "SELECT channel, MIN(next_attempt_at) FROM deliveries "
               "WHERE status = 0 AND next_attempt_at IS NOT NULL GROUP BY channel",
      into(channels), into(times), now;
  std::vector<std::pair<domain::ChannelId, domain::Timestamp>> work;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    auto id = domain::ChannelId::parse(channels[i]);
    if (!id) throw WorkerDatabaseDamaged("a delivery of the webhook worker is to a channel that is none");
    work.emplace_back(*std::move(id), times[i]);
  }
  return work;
}

std::optional<Delivery> DeliveryRepository::find(const DeliveryId& id) const {
  const std::lock_guard lock(mutex_);
  return find_delivery(*session_, id);
}

std::vector<Delivery> DeliveryRepository::deliveries_of(const domain::ChannelId& channel,
                                                        std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_page(*session_, channel, std::nullopt, 0, limit);
}

std::vector<DeliveryAttempt> DeliveryRepository::attempts_of(const DeliveryId& id) const {
  const std::lock_guard lock(mutex_);
  const auto delivery = find_delivery(*session_, id);
  if (!delivery) return {};
  return select_attempts(*session_, delivery->number);
}

ChannelHealth DeliveryRepository::health(const domain::ChannelId& channel) const {
  const std::lock_guard lock(mutex_);
  return select_health(*session_, channel);
}

}  // namespace pixledger::projections
