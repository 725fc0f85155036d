#include "http/metrics/worker_metrics.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "base/http/metrics/families.h"
#include "eventstore/codec/codec.h"
#include "stores/status/follow_status.h"
#include "stores/status/operations_record.h"
#include "stores/status/provider_state.h"
#include "stores/status/worker_state.h"

namespace pixledger::http {
namespace {

using prometheus::MetricFamily;
using stores::BankCounter;

constexpr double kMsPerSecond = 1000;

double seconds_of(std::int64_t ms) { return static_cast<double>(ms) / kMsPerSecond; }

double seconds_between(Timestamp from, Timestamp to) {
  return std::max(0.0, seconds_of(to.millis() - from.millis()));
}

// `counted` is by the bucket's upper bound in ms, "more" and "sum".
void add_durations(Families& families, const std::string& connection,
                   const std::map<std::string, std::int64_t>& counted) {
  const auto count_of = [&](const std::string& name) {
    const auto found = counted.find(name);
    return found == counted.end() ? 0 : found->second;
  };
  std::vector<std::int64_t> counts;
  for (const auto bound_ms : stores::kDurationBoundsMs) counts.push_back(count_of(std::to_string(bound_ms)));
  counts.push_back(count_of("more"));
  families.add_histogram(Metrics::kProviderRequestDurationSeconds, stores::kDurationBoundsMs, kMsPerSecond,
                         counts, seconds_of(count_of("sum")), {connection});
}

void add(Families& families, const stores::BankState& bank, Timestamp now) {
  const LabelValues labels{bank.connection};
  families.add(Metrics::kProviderBreakerOpen, bank.is_left_alone ? 1 : 0, labels);
  // The worker's positions are in the bank's time.
  const auto seen_up_to =
      bank.looked_up_to ? bank.looked_up_to->plus_millis(-bank.ahead_ms.value_or(0)) : bank.since;
  families.add(Metrics::kProviderPollAgeSeconds, seconds_between(seen_up_to, now), labels);
  if (bank.ahead_ms) families.add(Metrics::kProviderClockSkewSeconds, seconds_of(*bank.ahead_ms), labels);
  if (bank.window_ms) families.add(Metrics::kProviderWindowSeconds, seconds_of(*bank.window_ms), labels);
  if (bank.certificate_ends_at)
    families.add(Metrics::kProviderCertificateEndTimeSeconds, seconds_of(bank.certificate_ends_at->millis()),
                 labels);
}

void add(Families& families, const stores::BankLook& look, Timestamp now) {
  families.add(Metrics::kProviderUnreadSeconds, std::max(0.0, seconds_of(look.unread_ms(now))),
               {look.connection, stores::back_of(look.look)});
}

void add(Families& families, const stores::BankBacklog& backlog, Timestamp now) {
  const LabelValues labels{backlog.connection, backlog.kind};
  families.add(Metrics::kProviderOpenWork, static_cast<double>(backlog.open), labels);
  families.add(Metrics::kProviderOpenWorkOldestSeconds, seconds_between(backlog.oldest, now), labels);
}

void add(Families& families, const std::vector<stores::BankCount>& counts) {
  std::map<std::string, std::map<std::string, std::int64_t>> durations_of;
  for (const auto& count : counts) {
    const auto add_count = [&](const Metric& metric) {
      families.add(metric, static_cast<double>(count.value), {count.connection, count.first});
    };
    switch (count.counter) {
      case BankCounter::kRequests:
        families.add(Metrics::kProviderRequestsTotal, static_cast<double>(count.value),
                     {count.connection, count.first, count.second});
        break;
      case BankCounter::kDuration:
        durations_of[count.connection][count.first] = count.value;
        break;
      case BankCounter::kCodes:
        add_count(Metrics::kProviderCodesTotal);
        break;
      case BankCounter::kCallbacks:
        add_count(Metrics::kProviderCallbacksTotal);
        break;
      case BankCounter::kMisfits:
        add_count(Metrics::kProviderMisfitsTotal);
        break;
      case BankCounter::kLeftAside:
        add_count(Metrics::kProviderLeftAsideTotal);
        break;
    }
  }
  for (const auto& [connection, counted] : durations_of) add_durations(families, connection, counted);
}

double age_s(const std::optional<Timestamp>& since, Timestamp now) {
  return since ? seconds_between(*since, now) : 0;
}

// When the event after a position was recorded; nullopt at the head.
std::optional<Timestamp> next_after(Position position, const eventstore::Log& log) {
  const auto next = log.read_after(position, 1);
  if (next.empty()) return std::nullopt;
  return eventstore::header_of(next.front().position, next.front().bytes).recorded_at;
}

void add(Families& families, const stores::FollowedTarget& target, bool is_at_work,
         const eventstore::Log& log, Timestamp now) {
  const LabelValues labels{target.name};
  families.add(Metrics::kFollowUp, target.is_up && is_at_work ? 1 : 0, labels);
  families.add(Metrics::kFollowPosition, static_cast<double>(target.position.value()), labels);
  const auto head = std::max(log.head().position, target.position);
  families.add(Metrics::kFollowLagEvents, static_cast<double>(head.value() - target.position.value()),
               labels);
  families.add(Metrics::kFollowLagSeconds, age_s(next_after(target.position, log), now), labels);
  for (const auto& [reason, count] : target.failures)
    families.add(Metrics::kFollowFailuresTotal, static_cast<double>(count), {target.name, reason});
  families.add(Metrics::kFollowErasuresPending, static_cast<double>(target.erasures_pending), labels);
}

}  // namespace

std::vector<MetricFamily> BankMetrics::Collect() const {
  Families families{Metrics::kProviderRequestsTotal,         Metrics::kProviderRequestDurationSeconds,
                    Metrics::kProviderBreakerOpen,           Metrics::kProviderCodesTotal,
                    Metrics::kProviderPollAgeSeconds,        Metrics::kProviderCallbacksTotal,
                    Metrics::kProviderMisfitsTotal,          Metrics::kProviderOpenWork,
                    Metrics::kProviderOpenWorkOldestSeconds, Metrics::kProviderUnreadSeconds,
                    Metrics::kProviderLeftAsideTotal,        Metrics::kProviderWindowSeconds,
                    Metrics::kProviderClockSkewSeconds,      Metrics::kProviderCertificateEndTimeSeconds};
  faults_.attempt("banks", [&] {
    const auto now = clock_.now();
    const auto states = stores::bank_states(workers_);
    for (const auto& bank : states.banks) add(families, bank, now);
    for (const auto& look : states.looks) add(families, look, now);
    for (const auto& backlog : states.backlogs) add(families, backlog, now);
    add(families, states.counts);
  });
  return families.take();
}

std::vector<MetricFamily> WorkerMetrics::Collect() const {
  Families families{Metrics::kWorkerRunning,
                    Metrics::kWorkerLagEvents,
                    Metrics::kWorkerOldestUnreadAgeSeconds,
                    Metrics::kDeliveriesPending,
                    Metrics::kDeliveriesOldestPendingAgeSeconds,
                    Metrics::kDeliveriesOverdueSeconds,
                    Metrics::kWebhookAttemptsTotal,
                    Metrics::kFailingChannels,
                    Metrics::kLongestFailingChannelSeconds,
                    Metrics::kEmailsUnsent,
                    Metrics::kEmailsOldestUnsentAgeSeconds,
                    Metrics::kEmailsGivenUp,
                    Metrics::kSandboxMailsCappedTotal,
                    Metrics::kExpiredChargesWaiting,
                    Metrics::kExpiredChargesOldestAgeSeconds,
                    Metrics::kFollowUp,
                    Metrics::kFollowPosition,
                    Metrics::kFollowLagEvents,
                    Metrics::kFollowLagSeconds,
                    Metrics::kFollowFailuresTotal,
                    Metrics::kFollowErasuresPending};
  const auto now = clock_.now();
  const std::lock_guard lock(mutex_);
  for (const std::string name : stores::kWorkerNames) {
    faults_.attempt("worker " + name, [&] {
      const auto worker = stores::find_worker(databases_, name, lmdb_);
      if (!worker) return;
      families.add(Metrics::kWorkerRunning, worker->running ? 1 : 0, {name});
      if (!worker->cursor) return;
      const auto head = log_.head().position;
      // Another machine's worker may have read what this one's copy has not got yet.
      if (databases_.are_shared() && worker->cursor->position > head)
        return families.add(Metrics::kWorkerLagEvents, 0, {name});
      if (!eventstore::is_cursor_of(log_, *worker->cursor)) return;
      families.add(Metrics::kWorkerLagEvents,
                   static_cast<double>(head.value() - worker->cursor->position.value()), {name});
      families.add(Metrics::kWorkerOldestUnreadAgeSeconds,
                   age_s(next_after(worker->cursor->position, log_), now), {name});
    });
  }
  faults_.attempt("pending deliveries", [&] {
    const auto backlog = stores::delivery_backlog(databases_);
    families.add(Metrics::kDeliveriesPending, static_cast<double>(backlog.pending));
    families.add(Metrics::kDeliveriesOldestPendingAgeSeconds, age_s(backlog.oldest, now));
    families.add(Metrics::kDeliveriesOverdueSeconds, age_s(backlog.due_since, now));
  });
  faults_.attempt("attempts to deliver", [&] {
    for (const auto& total : stores::attempt_totals(databases_))
      families.add(Metrics::kWebhookAttemptsTotal, static_cast<double>(total.attempts), {total.outcome});
  });
  faults_.attempt("failing channels", [&] {
    const auto channels = stores::failing_channels(databases_);
    families.add(Metrics::kFailingChannels, static_cast<double>(channels.size()));
    families.add(Metrics::kLongestFailingChannelSeconds,
                 age_s(channels.empty() ? std::nullopt : std::optional(channels.front().since), now));
  });
  faults_.attempt("e-mails", [&] {
    const auto backlog = stores::email_backlog(databases_);
    families.add(Metrics::kEmailsUnsent, static_cast<double>(backlog.unsent));
    families.add(Metrics::kEmailsOldestUnsentAgeSeconds, age_s(backlog.oldest, now));
    families.add(Metrics::kEmailsGivenUp, static_cast<double>(backlog.given_up));
    families.add(Metrics::kSandboxMailsCappedTotal, static_cast<double>(backlog.capped_ever));
  });
  faults_.attempt("expired charges", [&] {
    const auto backlog = stores::expiry_backlog(databases_.workers(), now, lmdb_);
    families.add(Metrics::kExpiredChargesWaiting, static_cast<double>(backlog.waiting));
    families.add(Metrics::kExpiredChargesOldestAgeSeconds, age_s(backlog.oldest, now));
  });
  faults_.attempt("targets", [&] {
    const auto status = stores::read_follow_status(databases_.workers());
    if (!status) return;
    const bool is_at_work = now.millis() - status->written_at.millis() <= stores::kFollowStatusMaxMs;
    for (const auto& target : status->targets) add(families, target, is_at_work, log_, now);
  });
  auto all = families.take();
  auto of_banks = banks_.Collect();
  std::move(of_banks.begin(), of_banks.end(), std::back_inserter(all));
  return all;
}

std::vector<MetricFamily> OperationsMetrics::Collect() const {
  const auto record = stores::read_operations(data_);
  const auto& backup = record.backup;
  const auto& verification = record.verification;
  const bool has_backup = backup && backup->last_success_at;
  Families families;
  families.add(Metrics::kLastBackupTimestampSeconds,
               has_backup ? seconds_of(backup->last_success_at->millis()) : 0);
  families.add(Metrics::kLastVerifyTimestampSeconds,
               verification ? seconds_of(verification->ended_at.millis()) : 0);
  families.add(Metrics::kLastVerifyResult);
  if (verification) families.add(Metrics::kLastVerifyResult, verification->sound ? 1 : 0);
  return families.take();
}

KeptMetrics::KeptMetrics(const prometheus::Collectable& source, bool slow) : source_(source) {
  if (slow) thread_.emplace(Periodic::kAtOnce, kLookEvery, [this] { look(); });
}

std::vector<prometheus::MetricFamily> KeptMetrics::Collect() const {
  if (!thread_) return source_.Collect();
  const std::lock_guard lock(mutex_);
  return kept_;
}

void KeptMetrics::look() {
  auto seen = source_.Collect();
  const std::lock_guard lock(mutex_);
  kept_ = std::move(seen);
}

}  // namespace pixledger::http
