#include "stores/deliveries/delivery_rows.h"

#include "base/platform/damage.h"
#include "stores/deliveries/delivery_round.h"

namespace pixledger::stores {
namespace {

constexpr std::int64_t kTestEvent = -1;

template <class Id>
Id to_id(const std::string& text) {
  auto id = Id::parse(text);
  if (!id) throw WorkerDatabaseDamaged("a row of the deliveries is damaged");
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

// Those that no attempt was made of. A test only where its channel is gone, for good.
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
// Whether a delivery was queued again during an attempt of the round $A, which had redeliveries $B: by a
// recovery where that failed, by a redelivery in any case.
std::string was_queued_again(const std::string& redeliveries, const std::string& round,
                             const std::string& status) {
  return "status = 0 AND (round_start >> " + std::to_string(kRedeliveriesAt) + " <> " + redeliveries +
         " OR (round_start <> " + round + " AND " + status + " <> 1))";
}

// The attempt was the last one of the round before.
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

}  // namespace

std::string next_round(Requeued by) {
  // Each count begins anew by itself: none carries into the next.
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

}  // namespace pixledger::stores
