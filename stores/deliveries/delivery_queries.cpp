#include "stores/deliveries/delivery_queries.h"

#include <limits>
#include <string>

#include "stores/deliveries/delivery_rows.h"

// Every look-up is served by an index, whatever has piled up: pending and given up deliveries have small
// partial indexes, and those that were delivered are counted as all of the channel less those two.
namespace pixledger::stores {
namespace {

// Each is a condition that an index serves: what is pending and what was given up have small indexes of their
// own, and nearly everything else was delivered.
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

// An expression with the channel as its parameter.
std::string count_where(const std::string& condition) {
  return "(SELECT count(*) FROM deliveries WHERE channel = $1" + condition + ")";
}

}  // namespace

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
  // One statement, so that all that it counts is of one moment: the worker goes on meanwhile.
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
  // The first condition is the index's, the second tells those of one event apart.
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
  // CROSS JOIN: in SQLite never the other way round.
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

}  // namespace pixledger::stores
