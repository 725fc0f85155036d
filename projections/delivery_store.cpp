#include "projections/delivery_store.h"

#include <Poco/Data/SQLite/Connector.h>
#include <Poco/Data/Statement.h>
#include <Poco/Nullable.h>
#include <set>
#include <stdexcept>
#include <string>

#include "projections/delivery_lane.h"
#include "projections/delivery_rows.h"

namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;
using OptionalInteger = Poco::Nullable<Integer>;

Poco::Data::Session open_session(const std::filesystem::path& file) {
  Poco::Data::SQLite::Connector::registerConnector();
  return {Poco::Data::SQLite::Connector::KEY, file.string()};
}

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Poco::Data::Session& session) : session_(session) { session_.begin(); }
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

// The pending deliveries of one charge and channel, in order.
struct Lane {
  std::vector<Integer> numbers;
  std::vector<Integer> attempts;
  std::vector<OptionalInteger> first_failed_at;

  LaneEntry entry(std::size_t i) const {
    if (first_failed_at[i].isNull()) return {};
    return {domain::Timestamp(first_failed_at[i].value())};
  }
};

// Those before a position.
Lane read_lane(Poco::Data::Session& session, const domain::ChannelId& channel, const domain::ChargeId& charge,
               std::uint64_t before) {
  Lane lane;
  session << "SELECT number, attempts, first_failed_at FROM deliveries "
             "WHERE channel = ? AND charge = ? AND position < ? AND status = 0 ORDER BY position",
      into(lane.numbers), into(lane.attempts), into(lane.first_failed_at), bind(channel.text()),
      bind(charge.text()), bind(static_cast<Integer>(before)), now;
  return lane;
}

}  // namespace

DeliveryStore::DeliveryStore(const std::filesystem::path& file) : session_(open_session(file)) {
  std::string mode;
  session_ << "PRAGMA journal_mode = WAL", into(mode), now;
  session_ << "PRAGMA synchronous = NORMAL", now;
  make_delivery_tables(session_);
}

DeliveryStore::~DeliveryStore() = default;

std::optional<LogCursor> DeliveryStore::cursor() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  session_ << "SELECT text FROM cursor", into(texts), now;
  if (texts.empty()) return std::nullopt;
  auto cursor = LogCursor::parse(texts.front());
  if (!cursor) throw std::runtime_error("the cursor of the deliveries is damaged");
  return cursor;
}

void DeliveryStore::write_cursor(const LogCursor& cursor) {
  session_ << "INSERT OR REPLACE INTO cursor VALUES (1, ?)", bind(cursor.text()), now;
}

std::optional<domain::Timestamp> DeliveryStore::first_attempt_of(const NewDelivery& delivery) const {
  // The first event of a charge has none before it.
  if (delivery.sequence == 1) return delivery.first_attempt_at;
  const auto lane = read_lane(session_, delivery.channel, delivery.charge, delivery.position.value());
  std::vector<LaneEntry> earlier;
  for (std::size_t i = 0; i < lane.numbers.size(); ++i) earlier.push_back(lane.entry(i));
  return release_time(earlier, delivery.first_attempt_at);
}

void DeliveryStore::add(const std::vector<NewDelivery>& deliveries, const LogCursor& cursor) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(session_);
  // Two of one charge in a batch: the second must find the first, so what was gathered goes in before it.
  std::vector<NewDelivery> gathered;
  std::vector<std::optional<domain::Timestamp>> first_attempts;
  std::set<std::pair<std::string, std::string>> lanes;
  const auto flush = [&] {
    if (!gathered.empty()) insert_deliveries(session_, gathered, first_attempts);
    gathered.clear();
    first_attempts.clear();
    lanes.clear();
  };
  for (const auto& delivery : deliveries) {
    if (!lanes.emplace(delivery.channel.text(), delivery.charge.text()).second) {
      flush();
      lanes.emplace(delivery.channel.text(), delivery.charge.text());
    }
    first_attempts.push_back(first_attempt_of(delivery));
    gathered.push_back(delivery);
  }
  flush();
  write_cursor(cursor);
  transaction.commit();
}

void DeliveryStore::record(const std::vector<AttemptRecord>& records, domain::Timestamp now) {
  if (records.empty()) return;
  const std::lock_guard lock(mutex_);
  Transaction transaction(session_);
  insert_attempts(session_, records);
  update_outcomes(session_, records);
  for (const auto& record : records) release_lane(record.channel, record.charge, now);
  transaction.commit();
}

void DeliveryStore::release_lane(const domain::ChannelId& channel, const domain::ChargeId& charge,
                                 domain::Timestamp moment) {
  const auto lane = read_lane(session_, channel, charge, INT64_MAX);
  std::vector<LaneEntry> earlier;
  for (std::size_t i = 0; i < lane.numbers.size(); ++i) {
    const auto release = release_time(earlier, moment);
    if (!release) return;
    if (lane.attempts[i] == 0) {
      session_ << "UPDATE deliveries SET next_attempt_at = ? WHERE number = ?",
          bind(Integer{release->millis()}), bind(lane.numbers[i]), now;
    }
    earlier.push_back(lane.entry(i));
  }
}

std::vector<Delivery> DeliveryStore::due(const domain::ChannelId& channel, domain::Timestamp now,
                                         std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_deliveries(session_, {"WHERE channel = ? AND status = 0 AND next_attempt_at IS NOT NULL "
                                      "AND next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ?",
                                      {channel.text()},
                                      {now.millis(), static_cast<std::int64_t>(limit)}});
}

std::optional<domain::Timestamp> DeliveryStore::next_due(const domain::ChannelId& channel,
                                                         domain::Timestamp moment) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> times;
  session_ << "SELECT next_attempt_at FROM deliveries WHERE channel = ? AND status = 0 "
              "AND next_attempt_at IS NOT NULL AND next_attempt_at > ? ORDER BY next_attempt_at LIMIT 1",
      into(times), bind(channel.text()), bind(Integer{moment.millis()}), now;
  if (times.empty()) return std::nullopt;
  return domain::Timestamp(times.front());
}

std::vector<std::pair<domain::ChannelId, domain::Timestamp>> DeliveryStore::channels_with_work() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> channels;
  std::vector<Integer> times;
  session_ << "SELECT channel, MIN(next_attempt_at) FROM deliveries "
              "WHERE status = 0 AND next_attempt_at IS NOT NULL GROUP BY channel",
      into(channels), into(times), now;
  std::vector<std::pair<domain::ChannelId, domain::Timestamp>> work;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (auto id = domain::ChannelId::parse(channels[i])) work.emplace_back(*std::move(id), times[i]);
  }
  return work;
}

std::optional<Delivery> DeliveryStore::find(const DeliveryId& id) const {
  const std::lock_guard lock(mutex_);
  auto found = select_deliveries(session_, {"WHERE id = ?", {id.text()}, {}});
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<Delivery> DeliveryStore::deliveries_of(const domain::ChannelId& channel,
                                                   std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_deliveries(session_, {"WHERE channel = ? ORDER BY position DESC LIMIT ?",
                                      {channel.text()},
                                      {static_cast<std::int64_t>(limit)}});
}

std::vector<Delivery> DeliveryStore::read_after(std::int64_t number, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_deliveries(
      session_, {"WHERE number > ? ORDER BY number LIMIT ?", {}, {number, static_cast<std::int64_t>(limit)}});
}

std::vector<DeliveryAttempt> DeliveryStore::attempts_of(const DeliveryId& id) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> number, at, http_status, latency_ms;
  std::vector<std::string> error;
  session_ << "SELECT attempts.number, at, http_status, latency_ms, error FROM attempts "
              "JOIN deliveries ON deliveries.number = attempts.delivery WHERE deliveries.id = ? "
              "ORDER BY attempts.number",
      into(number), into(at), into(http_status), into(latency_ms), into(error), bind(id.text()), now;
  std::vector<DeliveryAttempt> attempts;
  for (std::size_t i = 0; i < number.size(); ++i) {
    attempts.push_back({static_cast<unsigned>(number[i]), domain::Timestamp(at[i]),
                        static_cast<int>(http_status[i]), latency_ms[i], error[i]});
  }
  return attempts;
}

}  // namespace pixledger::projections
