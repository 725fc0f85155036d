#include "stores/deliveries/delivery_rows.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/platform/faults.h"
#include "stores/deliveries/delivery.h"
#include "stores/deliveries/delivery_schema.h"

namespace pixledger::stores {
namespace {

constexpr std::int64_t kTestEvent = -1;

template <class Id>
Id to_id(const std::string& text) {
  auto id = Id::parse(text);
  if (!id) throw DataDamaged("a row of the deliveries is damaged");
  return *std::move(id);
}

std::optional<domain::ChargeId> to_charge(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return to_id<domain::ChargeId>(text);
}

std::optional<domain::WebhookEvent> to_event(std::int64_t number) {
  if (number == kTestEvent) return std::nullopt;
  return static_cast<domain::WebhookEvent>(number);
}

constexpr const char* kSelect =
    "SELECT number, id, channel, project, charge, environment, event, version, position, sequence, "
    "created_at, status, attempts, next_attempt_at, round_start FROM deliveries ";

Delivery to_delivery(const SqlRow& row) {
  const auto status = row.as<DeliveryStatus>(11);
  return {row.integer(0),
          to_id<DeliveryId>(row.text(1)),
          to_id<domain::ChannelId>(row.text(2)),
          to_id<domain::ProjectId>(row.text(3)),
          to_charge(row.text(4)),
          row.as<domain::Environment>(5),
          to_event(row.integer(6)),
          row.as<domain::WebhookVersion>(7),
          Position(row.as<std::uint64_t>(8)),
          row.as<std::uint32_t>(9),
          Timestamp(row.integer(10)),
          status,
          row.as<unsigned>(12),
          status == DeliveryStatus::kPending ? row.moment(13) : std::nullopt,
          row.as<unsigned>(14)};
}

constexpr const char* kInsert =
    "INSERT INTO deliveries (id, channel, project, charge, environment, event, version, position, sequence, "
    "created_at, status, attempts, next_attempt_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, "
    "$11) ON CONFLICT (id) DO NOTHING";

SqlValues to_row(const NewDelivery& delivery, const SqlValue& first_attempt_at) {
  return {delivery.id.text(),
          delivery.channel.text(),
          delivery.project.text(),
          delivery.charge ? delivery.charge->text() : std::string(),
          sql_number(delivery.environment),
          delivery.event ? sql_number(*delivery.event) : SqlValue(kTestEvent),
          sql_number(delivery.version),
          sql(delivery.position),
          sql_number(delivery.sequence),
          sql(delivery.created_at),
          first_attempt_at};
}

// Gives up deliveries without an attempt. Tests only if their channel was deleted.
void give_up(SqlDatabase& database, const std::vector<AttemptRecord>& records, Position read_up_to) {
  std::vector<SqlValues> rows;
  for (const auto& record : records) {
    if (record.attempt) continue;
    rows.push_back(
        {sql_number(record.status), record.delivery_number, sql_number(record.head > read_up_to ? 1U : 0U)});
  }
  database.run_each(
      "UPDATE deliveries SET status = $1 WHERE number = $2 AND status = 0 AND ($3 = 1 OR event = -1)", rows);
}

// In SQL.
std::string bits(unsigned count, unsigned from = 0) {
  return std::to_string(((std::uint64_t{1} << count) - 1) << from);
}
std::string attempts_before(const std::string& round) {
  return "(" + round + " & " + bits(kRoundAttemptsBits) + ")";
}
// True if a delivery was queued again during an attempt of round $A with $B redeliveries: by a recovery if it
// had failed, or by a redelivery in any case.
std::string was_queued_again(const std::string& redeliveries, const std::string& round,
                             const std::string& status) {
  return "status = 0 AND (round_start >> " + std::to_string(kRedeliveriesAt) + " <> " + redeliveries +
         " OR (round_start <> " + round + " AND " + status + " <> 1))";
}

// The attempt was the last one of the previous round.
void begin_round_behind_attempt(SqlDatabase& database, const std::vector<AttemptRecord>& records) {
  std::vector<SqlValues> rows;
  for (const auto& record : records) {
    if (!record.attempt) continue;
    rows.push_back({sql_number(record.attempt->number), record.delivery_number,
                    sql_number(redeliveries_in(record.round_start)), sql_number(record.round_start),
                    sql_number(record.status)});
  }
  database.run_each("UPDATE deliveries SET attempts = $1, round_start = round_start - " +
                        attempts_before("round_start") + " + $1 WHERE number = $2 AND " +
                        was_queued_again("$3", "$4", "$5"),
                    rows);
}

// Each condition is served by an index: pending and given up deliveries have small ones, and nearly all
// others were delivered.
std::string condition_of(std::optional<DeliveryStatus> status) {
  if (!status) return "";
  switch (*status) {
    case DeliveryStatus::kPending:
      return " AND status = 0";
    case DeliveryStatus::kDelivered:
      return " AND status = 1";
    case DeliveryStatus::kFailed:
      return " AND status > 1 AND status = 2";
    case DeliveryStatus::kExhausted:
      return " AND status > 1 AND status = 3";
  }
  return "";
}

constexpr std::int64_t kPositionMax = std::numeric_limits<std::int64_t>::max();

// An SQL expression with the channel as its parameter.
std::string count_where(const std::string& condition) {
  return "(SELECT count(*) FROM deliveries WHERE channel = $1" + condition + ")";
}

// A pending delivery; rows are ordered by lane, and within each by event.
struct Row {
  std::int64_t number;
  std::int64_t attempts;  // of this round
  std::string channel, charge;
  std::optional<Timestamp> first_failed_at, next_attempt_at;

  bool is_of_lane_of(const Row& other) const { return channel == other.channel && charge == other.charge; }
};

std::vector<Row> read_lanes(SqlDatabase& database, const LaneKeys& lanes) {
  std::vector<std::pair<std::string, std::string>> keys;
  keys.reserve(lanes.size());
  for (const auto& [channel, charge] : lanes) keys.emplace_back(channel.text(), charge.text());
  std::vector<Row> rows;
  for (const auto& row : select_lanes(database, keys))
    rows.push_back({row.integer(0), row.integer(1), row.text(2), row.text(3), row.moment(4), row.moment(5)});
  return rows;
}

// The new times from which deliveries may be attempted.
class NewTimes {
 public:
  void set(const Row& row, Timestamp moment) { times_.push_back({sql(moment), row.number}); }
  void write(SqlDatabase& database) const {
    database.run_each("UPDATE deliveries SET next_attempt_at = $1 WHERE number = $2", times_);
  }
  void clear(const Row& row) { times_.push_back({SqlValue(), row.number}); }

 private:
  std::vector<SqlValues> times_;
};

// Calls `judge` with each row and the earlier ones in its lane.
template <class Judge>
void for_each_of_lanes(const std::vector<Row>& rows, Judge judge) {
  std::vector<LaneEntry> earlier;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && !rows[i].is_of_lane_of(rows[i - 1])) earlier.clear();
    judge(rows[i], earlier);
    earlier.push_back({rows[i].first_failed_at});
  }
}

}  // namespace

std::string next_round(Requeued by) {
  // Each count wraps around by itself, without a carry into the next.
  const auto recoveries = bits(kRoundRecoveriesBits, kRoundAttemptsBits);
  const auto redeliveries = bits(kRoundRedeliveriesBits, kRedeliveriesAt);
  const auto of = [](const std::string& mask, const std::string& more) {
    return "((round_start" + more + ") & " + mask + ")";
  };
  const bool is_redelivery = by == Requeued::kRedelivery;
  return "(attempts + " + of(recoveries, is_redelivery ? "" : " + " + bits(1, kRoundAttemptsBits)) + " + " +
         of(redeliveries, is_redelivery ? " + " + bits(1, kRedeliveriesAt) : "") + ")";
}

std::string attempts_of_round(const std::string& deliveries) {
  return deliveries + "attempts - " + attempts_before(deliveries + "round_start");
}

std::vector<Delivery> select_deliveries(SqlDatabase& database, const std::string& tail,
                                        const SqlValues& values) {
  std::vector<Delivery> deliveries;
  for (const auto& row : database.run(kSelect + tail, values).rows) deliveries.push_back(to_delivery(row));
  return deliveries;
}

void insert_deliveries(SqlDatabase& database, const std::vector<NewDelivery>& deliveries) {
  std::vector<SqlValues> rows;
  rows.reserve(deliveries.size());
  for (const auto& delivery : deliveries) rows.push_back(to_row(delivery, sql(delivery.first_attempt_at)));
  database.run_each(kInsert, rows);
}

void insert_missed(SqlDatabase& database, const std::vector<NewDelivery>& deliveries, Timestamp now) {
  std::vector<SqlValues> rows, again;
  for (const auto& delivery : deliveries) {
    const auto due_at = delivery.charge ? SqlValue() : sql(now);
    rows.push_back(to_row(delivery, due_at));
    again.push_back({due_at, delivery.id.text()});
  }
  database.run_each(kInsert, rows);
  database.run_each("UPDATE deliveries SET status = 0, round_start = " + next_round(Requeued::kRecovery) +
                        ", next_attempt_at = $1, first_failed_at = NULL WHERE id = $2 AND status <> 1",
                    again);
}

void insert_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records) {
  std::vector<SqlValues> rows;
  for (const auto& record : records) {
    if (!record.attempt) continue;
    const auto& attempt = *record.attempt;
    rows.push_back({record.delivery_number, sql_number(attempt.number), sql(attempt.at),
                    sql_number(attempt.http_status), attempt.latency_ms, attempt.error, attempt.answer});
  }
  database.run_each(
      "INSERT INTO attempts (delivery, number, at, http_status, latency_ms, error, answer) "
      "VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN EXISTS (SELECT 1 FROM erased_charges WHERE charge = "
      "(SELECT d.charge FROM deliveries AS d WHERE d.number = $1)) THEN '' ELSE $7 END) ON CONFLICT "
      "(delivery, number) DO UPDATE "
      "SET at = excluded.at, http_status = excluded.http_status, latency_ms = excluded.latency_ms, "
      "error = excluded.error, answer = excluded.answer",
      rows);
}

void update_outcomes(SqlDatabase& database, const std::vector<AttemptRecord>& records, Position read_up_to) {
  give_up(database, records, read_up_to);
  begin_round_behind_attempt(database, records);
  std::vector<SqlValues> rows;
  for (const auto& record : records) {
    if (!record.attempt) continue;
    rows.push_back({sql_number(record.status), sql_number(record.attempt->number),
                    sql(record.next_attempt_at), sql(record.attempt->at), record.delivery_number,
                    sql_number(redeliveries_in(record.round_start)), sql_number(record.round_start)});
  }
  database.run_each(
      "UPDATE deliveries SET status = CASE WHEN status <> 0 AND $1 = 0 THEN status ELSE $1 END, "
      "attempts = $2, next_attempt_at = $3, first_failed_at = COALESCE(first_failed_at, $4) "
      "WHERE number = $5 AND NOT (" +
          was_queued_again("$6", "$7", "$1") + ")",
      rows);
}

// Indexes serve every lookup, whatever has accumulated. Pending and given up deliveries have small partial
// indexes. Delivered ones are counted as all of the channel minus those two.

std::optional<Delivery> find_delivery(SqlDatabase& database, const DeliveryId& id) {
  auto found = select_deliveries(database, "WHERE id = $1", {id.text()});
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<Delivery> select_page(SqlDatabase& database, const domain::ChannelId& channel,
                                  std::optional<DeliveryStatus> status, std::size_t offset,
                                  std::size_t limit) {
  return select_deliveries(
      database,
      "WHERE channel = $1" + condition_of(status) + " ORDER BY position DESC, number DESC LIMIT $2 OFFSET $3",
      {channel.text(), sql_number(limit), sql_number(offset)});
}

std::vector<Delivery> select_of_event(SqlDatabase& database, const domain::ChannelId& channel,
                                      Position position) {
  return select_deliveries(database, "WHERE channel = $1 AND position = $2 ORDER BY number DESC",
                           {channel.text(), sql(position)});
}

std::size_t count_deliveries(SqlDatabase& database, const domain::ChannelId& channel,
                             std::optional<DeliveryStatus> status) {
  // One statement, so that all counts are from one snapshot while the worker runs.
  const auto expression =
      status == DeliveryStatus::kDelivered
          ? count_where("") + " - " + count_where(" AND status = 0") + " - " + count_where(" AND status > 1")
          : count_where(condition_of(status));
  return static_cast<std::size_t>(database.integer("SELECT " + expression, {channel.text()}));
}

std::uint64_t count_not_due(SqlDatabase& database, const domain::ChannelId& channel, Timestamp since,
                            Timestamp until, Timestamp now) {
  return static_cast<std::uint64_t>(database.integer(
      "SELECT count(*) FROM deliveries WHERE channel = $1 AND status = 0 "
      "AND created_at BETWEEN $2 AND $3 AND (next_attempt_at IS NULL OR next_attempt_at > $4)",
      {channel.text(), sql(since), sql(until), sql(now)}));
}

std::vector<DeliveryAttempt> select_attempts(SqlDatabase& database, std::int64_t delivery_number) {
  std::vector<DeliveryAttempt> attempts;
  const auto found = database.run(
      "SELECT number, at, http_status, latency_ms, error, answer FROM attempts WHERE delivery = $1 "
      "ORDER BY number",
      {delivery_number});
  for (const auto& row : found.rows)
    attempts.push_back({row.as<unsigned>(0), Timestamp(row.integer(1)), row.as<int>(2), row.integer(3),
                        row.text(4), row.text(5)});
  return attempts;
}

RecentAttempts select_recent_attempts(SqlDatabase& database, const domain::ChannelId& channel,
                                      Timestamp since, const std::optional<OlderThan>& than,
                                      std::size_t deliveries_max) {
  // The first condition uses the index; the second orders deliveries of one event.
  const std::string older =
      " FROM deliveries WHERE channel = $1 AND position <= $2 AND (position < $2 OR number < $3) "
      "ORDER BY position DESC, number DESC LIMIT ";
  const SqlValues from{channel.text(), than ? sql(than->position) : kPositionMax, than ? than->number : 0};
  RecentAttempts recent;
  const SqlMoment moment(database);
  auto last_of = from;
  last_of.push_back(sql_number(deliveries_max - 1));
  const auto last = database.run("SELECT position, number, created_at" + older + "1 OFFSET $4", last_of);
  if (!last.rows.empty())
    recent.next = OlderThan{Position(last.rows.front().as<std::uint64_t>(0)), last.rows.front().integer(1),
                            Timestamp(last.rows.front().integer(2))};
  // CROSS JOIN fixes the join order in SQLite.
  auto all = from;
  all.insert(all.end(), {sql_number(deliveries_max), sql(since)});
  const auto found =
      database.run("SELECT a.number, a.at, a.http_status, a.latency_ms, a.error FROM (SELECT number" + older +
                       "$4) AS d CROSS JOIN attempts AS a WHERE a.delivery = d.number AND a.at >= $5",
                   all);
  recent.attempts.reserve(found.rows.size());
  for (const auto& row : found.rows)
    recent.attempts.push_back({.number = row.as<unsigned>(0),
                               .at = Timestamp(row.integer(1)),
                               .http_status = row.as<int>(2),
                               .latency_ms = row.integer(3),
                               .error = row.text(4)});
  return recent;
}

std::optional<Timestamp> select_pruned_before(SqlDatabase& database) {
  const auto found = database.run("SELECT pruned_before FROM retention");
  if (found.rows.empty()) return std::nullopt;
  return found.rows.front().moment(0);
}

ChannelHealth select_health(SqlDatabase& database, const domain::ChannelId& channel) {
  const auto found = database.run(
      "SELECT consecutive_failures, last_success_at, last_failure_at, failing_since "
      "FROM channel_health WHERE channel = $1",
      {channel.text()});
  if (found.rows.empty()) return {};
  const auto& row = found.rows.front();
  return {row.as<std::uint64_t>(0), row.moment(1), row.moment(2), row.moment(3)};
}

// A lane is the pending deliveries of one charge for one channel, in order of events. Only its first delivery
// has a time. The others have NULL and are not in the index of due deliveries, so a search for work skips
// them. When a delivery ends, or has failed long enough to release later ones, the same transaction sets the
// lane's times again.
//
// Lanes are looked up in bulk: their keys drive a join with one lookup each in the partial index of pending
// deliveries (select_lanes).

std::optional<Timestamp> release_time(const std::vector<LaneEntry>& earlier, Timestamp now) {
  auto release = now;
  for (const auto& entry : earlier) {
    if (!entry.first_failed_at) return std::nullopt;
    release = std::max(release, entry.first_failed_at->plus_millis(kHoldBackMaxMs));
  }
  return release;
}

void hold_back(SqlDatabase& database, const LaneKeys& lanes) {
  if (lanes.empty()) return;
  NewTimes times;
  for_each_of_lanes(read_lanes(database, lanes), [&](const Row& row, const std::vector<LaneEntry>& earlier) {
    if (row.attempts != 0 || !row.next_attempt_at) return;
    const auto release = release_time(earlier, *row.next_attempt_at);
    if (!release)
      times.clear(row);
    else if (*release != *row.next_attempt_at)
      times.set(row, *release);
  });
  times.write(database);
}

void release(SqlDatabase& database, const LaneKeys& lanes, Timestamp now) {
  if (lanes.empty()) return;
  NewTimes times;
  for_each_of_lanes(read_lanes(database, lanes), [&](const Row& row, const std::vector<LaneEntry>& earlier) {
    const auto free_at = release_time(earlier, now);
    if (row.attempts == 0 && free_at && (!row.next_attempt_at || *row.next_attempt_at > *free_at))
      times.set(row, *free_at);
  });
  times.write(database);
}

}  // namespace pixledger::stores
