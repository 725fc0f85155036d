#include "http/metrics/command_metrics.h"

#include <algorithm>
#include <variant>

#include "http/metrics/metrics_page.h"

namespace pixledger::http {
namespace {

using eventstore::Completed;
using prometheus::Histogram;

const Histogram::BucketBoundaries kCommandBounds = {1, 2, 4, 8, 16, 32, 64, 128, 256};
const Histogram::BucketBoundaries kWaitingBounds = {0, 16, 64, 256, 1024, 4096};
const Histogram::BucketBoundaries kSecondBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                   0.025,  0.05,    0.1,    0.25,  0.5,    1,     2.5};

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

// A payer's refusals are recorded only a few times a day; the others leave no event.
bool is_unrecorded_refusal(const eventstore::Result& result) {
  const auto* completed = std::get_if<eventstore::Completed>(&result);
  if (!completed || completed->count > 0 || completed->replayed) return false;
  const auto rejection = completed->outcome.rejection;
  return rejection == domain::Rejection::kCustomerBlocked || rejection == domain::Rejection::kBlocklisted;
}

// The fault of the batch, or of its first command that failed or has an unknown outcome; empty if none did.
std::string_view fault_of(const eventstore::BatchReport& report) {
  if (!report.fault.empty()) return report.fault;
  for (const auto& result : report.results) {
    if (const auto fault = eventstore::fault_of(result); !fault.empty()) return fault;
  }
  return {};
}

bool is_unknown(const eventstore::BatchReport& report) {
  return std::any_of(report.results.begin(), report.results.end(), [](const eventstore::Result& result) {
    return std::holds_alternative<eventstore::OutcomeUnknown>(result);
  });
}

}  // namespace

struct CommandMetrics::OutcomeOf {
  Outcome operator()(const Completed& completed) const {
    if (completed.replayed) return Outcome::kReplayed;
    if (completed.outcome.rejection) return Outcome::kRejected;
    return completed.outcome.flag ? Outcome::kFlagged : Outcome::kDone;
  }
  Outcome operator()(const eventstore::KeyReused&) const { return Outcome::kKeyReused; }
  Outcome operator()(const eventstore::KeyInFlight&) const { return Outcome::kKeyInFlight; }
  Outcome operator()(const eventstore::Unavailable&) const { return Outcome::kUnavailable; }
  Outcome operator()(const eventstore::OutcomeUnknown&) const { return Outcome::kUnknown; }
};

CommandMetrics::CommandMetrics(prometheus::Registry& registry, const Clock& clock)
    : clock_(clock),
      events_(http::counter(registry, Metrics::kRecordedEventsTotal)),
      replays_(http::counter(registry, Metrics::kIdempotentReplaysTotal)),
      failed_batches_(http::counter(registry, Metrics::kFailedBatchesTotal)),
      batch_commands_(histogram(registry, Metrics::kBatchCommands, kCommandBounds)),
      waiting_commands_(histogram(registry, Metrics::kBatchLeftWaitingCommands, kWaitingBounds)),
      batch_seconds_(histogram(registry, Metrics::kBatchDurationSeconds, kSecondBounds)),
      commit_seconds_(histogram(registry, Metrics::kCommitDurationSeconds, kSecondBounds)) {
  const std::array<const char*, kOutcomes> names = {"done",        "flagged",    "rejected",
                                                    "replayed",    "key_reused", "key_in_flight",
                                                    "unavailable", "unknown",    "queue_full"};
  for (std::size_t i = 0; i < kOutcomes; ++i)
    commands_[i] = &http::counter(registry, Metrics::kCommandsTotal, {names[i]});
}

void CommandMetrics::note(const eventstore::Result& result) {
  counter(std::visit(OutcomeOf{}, result)).Increment();
  const auto* completed = std::get_if<Completed>(&result);
  if (completed && completed->replayed) replays_.Increment();
}

void CommandMetrics::on_batch(const eventstore::BatchReport& report) {
  for (const auto& result : report.results) note(result);
  events_.Increment(static_cast<double>(report.events));
  batch_commands_.Observe(static_cast<double>(report.results.size()));
  waiting_commands_.Observe(static_cast<double>(report.waiting));
  batch_seconds_.Observe(seconds(report.duration));
  if (report.commit.count() > 0) commit_seconds_.Observe(seconds(report.commit));
  if (!report.fault.empty()) failed_batches_.Increment();
  const std::lock_guard lock(mutex_);
  fault_ = report.fault;
  if (!fault_.empty()) fault_at_ms_ = clock_.boot_millis();
}

void CommandMetrics::on_queue_full() { counter(Outcome::kQueueFull).Increment(); }

std::string CommandMetrics::recent_fault() const {
  const std::lock_guard lock(mutex_);
  return clock_.boot_millis() - fault_at_ms_ < kFaultStandsMs ? fault_ : std::string();
}

RefusalMetrics::RefusalMetrics(prometheus::Registry& registry)
    : live_(counter(registry, Metrics::kRefusalsNotRecordedTotal, {"live"})),
      sandbox_(counter(registry, Metrics::kRefusalsNotRecordedTotal, {"sandbox"})) {}

void RefusalMetrics::note(domain::Environment environment, const eventstore::Result& result) {
  if (!is_unrecorded_refusal(result)) return;
  (environment == domain::Environment::kLive ? live_ : sandbox_).Increment();
}

void CommandFaultLog::on_batch(const eventstore::BatchReport& report) {
  const auto fault = fault_of(report);
  if (is_unknown(report)) {
    if (pause_.due()) logger_.error("it is not known yet whether commands were done", {{"fault", fault}});
  } else if (!fault.empty()) {
    log_refused(fault);
  }
  next_.on_batch(report);
}

void CommandFaultLog::on_queue_full() {
  log_refused("too many commands are waiting");
  next_.on_queue_full();
}

void CommandFaultLog::log_refused(std::string_view fault) {
  if (pause_.due()) logger_.error("commands are refused, nothing of them is done", {{"fault", fault}});
}

}  // namespace pixledger::http
