#include "projections/deliveries/delivery_changes.h"

#include <Poco/Data/Statement.h>
#include <Poco/Nullable.h>
#include <map>
#include <string>

#include "projections/deliveries/delivery_lane.h"
#include "projections/deliveries/delivery_queries.h"
#include "projections/deliveries/delivery_rows.h"
#include "projections/storage/cursor_table.h"

// What events and attempts do to the rows, each batch in one transaction with the cursor. New deliveries are
// gathered and inserted together, because nearly all changes are new deliveries and a statement costs more
// than a row; any other change first flushes them, so that the order of events is kept. After each batch the
// lanes that it touched get their times (delivery_lane.h).
namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;
using OptionalInteger = Poco::Nullable<Integer>;

OptionalInteger to_row(const std::optional<domain::Timestamp>& moment) {
  return moment ? OptionalInteger(moment->millis()) : OptionalInteger();
}

// Carries changes out in order; new deliveries, of which there are many, in bulk.
class Changes {
 public:
  explicit Changes(Poco::Data::Session& session) : session_(session) {}

  void operator()(const NewDelivery& delivery) { gathered_.push_back(delivery); }

  void operator()(const ChannelStopped& stopped) {
    flush();
    session_ << "UPDATE deliveries SET status = 2 WHERE channel = ? AND status = 0",
        bind(stopped.channel.text()), now;
    session_ << "DELETE FROM recoveries WHERE channel = ?", bind(stopped.channel.text()), now;
  }

  void operator()(const ChannelResumed& resumed) {
    flush();
    session_ << "UPDATE channel_health SET consecutive_failures = 0, failing_since = NULL WHERE channel = ?",
        bind(resumed.channel.text()), now;
  }

  void operator()(const Redelivery& again) {
    flush();
    const auto found = find_delivery(session_, again.id);
    if (!found || found->channel != again.channel) return;
    session_ << "UPDATE deliveries SET status = 0, round_start = attempts, next_attempt_at = ?, "
                "first_failed_at = NULL WHERE number = ?",
        bind(found->charge ? OptionalInteger() : OptionalInteger(again.at.millis())),
        bind(Integer{found->number}), now;
    if (found->charge) release(session_, {{found->channel, *found->charge}}, again.at);
  }

  void operator()(const Recovery& recovery) {
    flush();
    session_ << "INSERT INTO recoveries VALUES (?, ?, ?, ?, ?, NULL) ON CONFLICT (channel) DO UPDATE SET "
                "requested_at = excluded.requested_at, since = MIN(since, excluded.since), "
                "until = MAX(until, excluded.until), done_up_to = NULL",
        bind(recovery.channel.text()), bind(recovery.project.text()),
        bind(static_cast<Integer>(recovery.requested_at.value())), bind(Integer{recovery.since.millis()}),
        bind(Integer{recovery.until.millis()}), now;
  }

  // Those behind others wait for them. A charge's first event has none before it.
  void flush() {
    insert_deliveries(session_, gathered_);
    LaneKeys lanes;
    for (const auto& delivery : gathered_) {
      if (delivery.charge && delivery.sequence > 1) lanes.emplace(delivery.channel, *delivery.charge);
    }
    hold_back(session_, lanes);
    gathered_.clear();
  }

 private:
  Poco::Data::Session& session_;
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

void update_health(Poco::Data::Session& session, const std::vector<AttemptRecord>& records) {
  std::map<domain::ChannelId, ChannelHealth> healths;
  for (const auto& record : records) {
    if (!record.attempt) continue;
    auto found = healths.find(record.channel);
    if (found == healths.end())
      found = healths.emplace(record.channel, select_health(session, record.channel)).first;
    found->second = after(found->second, record);
  }
  for (const auto& [channel, health] : healths) {
    session << "INSERT OR REPLACE INTO channel_health VALUES (?, ?, ?, ?, ?)", bind(channel.text()),
        bind(static_cast<Integer>(health.consecutive_failures)), bind(to_row(health.last_success_at)),
        bind(to_row(health.last_failure_at)), bind(to_row(health.failing_since)), now;
  }
}

std::string_view outcome_of(const AttemptRecord& record) {
  if (record.status == DeliveryStatus::kDelivered) return kAttemptOutcomes[0];
  return record.attempt->http_status != 0 ? kAttemptOutcomes[1] : kAttemptOutcomes[2];
}

void count_attempts(Poco::Data::Session& session, const std::vector<AttemptRecord>& records) {
  std::map<std::string_view, Integer> counts;
  for (const auto& record : records) {
    if (record.attempt) ++counts[outcome_of(record)];
  }
  for (const auto& [outcome, count] : counts)
    session << "INSERT INTO attempt_totals VALUES (?1, ?2) "
               "ON CONFLICT (outcome) DO UPDATE SET attempts = attempts + ?2",
        bind(std::string(outcome)), bind(Integer{count}), now;
}

// What retention has removed may have been delivered. A recovery may have begun long before.
std::vector<NewDelivery> without_removed(Poco::Data::Session& session, std::vector<NewDelivery> missed) {
  if (const auto before = select_pruned_before(session))
    std::erase_if(missed, [&](const NewDelivery& delivery) { return delivery.created_at < *before; });
  return missed;
}

}  // namespace

void apply_changes(Poco::Data::Session& session, const std::vector<DeliveryChange>& changes) {
  Changes apply(session);
  for (const auto& change : changes) std::visit(apply, change);
  apply.flush();
}

void apply_missed(Poco::Data::Session& session, const std::vector<NewDelivery>& missed,
                  domain::Timestamp now) {
  const auto kept = without_removed(session, missed);
  insert_missed(session, kept, now);
  LaneKeys lanes;
  for (const auto& delivery : kept) {
    if (delivery.charge) lanes.emplace(delivery.channel, *delivery.charge);
  }
  release(session, lanes, now);
}

void record_attempts(Poco::Data::Session& session, const std::vector<AttemptRecord>& records,
                     domain::Timestamp now) {
  insert_attempts(session, records);
  const auto cursor = select_cursor(session);
  update_outcomes(session, records, cursor ? cursor->position : domain::Position());
  update_health(session, records);
  count_attempts(session, records);
  LaneKeys lanes;
  for (const auto& record : records) {
    if (record.charge) lanes.emplace(record.channel, *record.charge);
  }
  release(session, lanes, now);
}

}  // namespace pixledger::projections
