#include "stores/deliveries/delivery_changes.h"

#include <map>
#include <string>

#include "stores/deliveries/delivery_lane.h"
#include "stores/deliveries/delivery_queries.h"
#include "stores/deliveries/delivery_rows.h"
#include "stores/sql/cursor_table.h"

// What events and attempts do to the rows, each batch in one transaction with the cursor. New deliveries are
// gathered and inserted together, because nearly all changes are new deliveries and a statement costs more
// than a row; any other change first flushes them, so that the order of events is kept. After each batch the
// lanes that it touched get their times (delivery_lane.h).
namespace pixledger::stores {
namespace {

constexpr std::size_t kStoppedAtOnce = 5'000;

// Carries changes out in order; new deliveries, of which there are many, in bulk.
class Changes {
 public:
  explicit Changes(SqlDatabase& database) : database_(database) {}

  void operator()(const NewDelivery& delivery) { gathered_.push_back(delivery); }

  void operator()(const ChannelStopped& stopped) {
    flush();
    // Tests, whose event is -1, are sent to a channel that takes nothing else, too.
    database_.run("UPDATE deliveries SET status = 2 WHERE channel = $1 AND status = 0 AND event <> -1",
                  {stopped.channel.text()});
    if (stopped.is_deleted)
      database_.run("DELETE FROM recoveries WHERE channel = $1", {stopped.channel.text()});
    else
      database_.run("UPDATE recoveries SET done_up_to = $1 WHERE channel = $2",
                    {kRecoveryWaits, stopped.channel.text()});
  }

  void operator()(const ChannelResumed& resumed) {
    flush();
    database_.run(
        "UPDATE channel_health SET consecutive_failures = 0, failing_since = NULL WHERE channel = $1",
        {resumed.channel.text()});
    database_.run("UPDATE recoveries SET done_up_to = NULL WHERE channel = $1 AND done_up_to = $2",
                  {resumed.channel.text(), kRecoveryWaits});
  }

  void operator()(const Redelivery& again) {
    flush();
    const auto found = find_delivery(database_, again.id);
    if (!found || found->channel != again.channel) return;
    database_.run("UPDATE deliveries SET status = 0, round_start = " + next_round(Requeued::kRedelivery) +
                      ", next_attempt_at = $1, first_failed_at = NULL WHERE number = $2",
                  {found->charge ? SqlValue() : sql(again.at), found->number});
    if (found->charge) release(database_, {{found->channel, *found->charge}}, again.at);
  }

  void operator()(const Recovery& recovery) {
    flush();
    database_.run(
        "INSERT INTO recoveries (channel, project, requested_at, since, until) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (channel) DO UPDATE SET requested_at = excluded.requested_at, "
        "since = CASE WHEN excluded.since < recoveries.since THEN excluded.since ELSE recoveries.since END, "
        "until = CASE WHEN excluded.until > recoveries.until THEN excluded.until ELSE recoveries.until END, "
        "done_up_to = NULL",
        {recovery.channel.text(), recovery.project.text(), sql(recovery.requested_at), sql(recovery.since),
         sql(recovery.until)});
  }

  // Those behind others wait for them. A charge's first event has none before it.
  void flush() {
    insert_deliveries(database_, gathered_);
    LaneKeys lanes;
    for (const auto& delivery : gathered_) {
      if (delivery.charge && delivery.sequence > 1) lanes.emplace(delivery.channel, *delivery.charge);
    }
    hold_back(database_, lanes);
    gathered_.clear();
  }

 private:
  SqlDatabase& database_;
  std::vector<NewDelivery> gathered_;
};

// What a channel's attempts in one batch do to its health.
ChannelHealth after(ChannelHealth health, const AttemptRecord& record) {
  if (record.status == DeliveryStatus::kDelivered) {
    health.last_success_at = record.attempt->at;
    health.consecutive_failures = 0;
    health.failing_since.reset();
    return health;
  }
  health.last_failure_at = record.attempt->at;
  ++health.consecutive_failures;
  if (!health.failing_since) health.failing_since = record.attempt->at;
  return health;
}

void update_health(SqlDatabase& database, const std::vector<AttemptRecord>& records) {
  std::map<domain::ChannelId, ChannelHealth> healths;
  for (const auto& record : records) {
    if (!record.attempt) continue;
    auto found = healths.find(record.channel);
    if (found == healths.end())
      found = healths.emplace(record.channel, select_health(database, record.channel)).first;
    found->second = after(found->second, record);
  }
  std::vector<SqlValues> rows;
  for (const auto& [channel, health] : healths) {
    rows.push_back({channel.text(), sql_number(health.consecutive_failures), sql(health.last_success_at),
                    sql(health.last_failure_at), sql(health.failing_since)});
  }
  database.run_each(
      "INSERT INTO channel_health (channel, consecutive_failures, last_success_at, last_failure_at, "
      "failing_since) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (channel) DO UPDATE SET "
      "consecutive_failures = $2, last_success_at = $3, last_failure_at = $4, failing_since = $5",
      rows);
}

std::string_view outcome_of(const AttemptRecord& record) {
  if (record.status == DeliveryStatus::kDelivered) return kAttemptOutcomes[0];
  return record.attempt->http_status != 0 ? kAttemptOutcomes[1] : kAttemptOutcomes[2];
}

void count_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records) {
  std::map<std::string_view, std::int64_t> counts;
  for (const auto& record : records) {
    if (record.attempt) ++counts[outcome_of(record)];
  }
  std::vector<SqlValues> rows;
  for (const auto& [outcome, count] : counts) rows.push_back({std::string(outcome), count});
  database.run_each(
      "INSERT INTO attempt_totals (outcome, attempts) VALUES ($1, $2) ON CONFLICT (outcome) DO UPDATE SET "
      "attempts = attempt_totals.attempts + excluded.attempts",
      rows);
}

// What retention has removed may have been delivered. A recovery may have begun long before.
std::vector<NewDelivery> without_removed(SqlDatabase& database, std::vector<NewDelivery> missed) {
  if (const auto before = select_pruned_before(database))
    std::erase_if(missed, [&](const NewDelivery& delivery) { return delivery.created_at < *before; });
  return missed;
}

}  // namespace

void apply_changes(SqlDatabase& database, const std::vector<DeliveryChange>& changes) {
  Changes apply(database);
  for (const auto& change : changes) std::visit(apply, change);
  apply.flush();
}

void stop_in_steps(SqlDatabase& database, const std::vector<DeliveryChange>& changes) {
  if (!database.is_shared()) return;
  const auto stop_some = [&](const ChannelStopped& stopped) {
    SqlTransaction transaction(database);
    const auto done = database.run(
        "UPDATE deliveries SET status = 2 WHERE number IN (SELECT number FROM deliveries "
        "WHERE channel = $1 AND status = 0 AND event <> -1 LIMIT $2)",
        {stopped.channel.text(), sql_number(kStoppedAtOnce)});
    transaction.commit();
    return done.changed;
  };
  for (const auto& change : changes) {
    const auto* stopped = std::get_if<ChannelStopped>(&change);
    while (stopped && stop_some(*stopped) == kStoppedAtOnce) continue;
  }
}

void apply_missed(SqlDatabase& database, const std::vector<NewDelivery>& missed, Timestamp now) {
  const auto kept = without_removed(database, missed);
  insert_missed(database, kept, now);
  LaneKeys lanes;
  for (const auto& delivery : kept) {
    if (delivery.charge) lanes.emplace(delivery.channel, *delivery.charge);
  }
  release(database, lanes, now);
}

void record_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records, Timestamp now) {
  insert_attempts(database, records);
  const auto cursor = select_cursor(database);
  update_outcomes(database, records, cursor ? cursor->position : Position());
  update_health(database, records);
  count_attempts(database, records);
  LaneKeys lanes;
  for (const auto& record : records) {
    if (record.charge) lanes.emplace(record.channel, *record.charge);
  }
  release(database, lanes, now);
}

}  // namespace pixledger::stores
