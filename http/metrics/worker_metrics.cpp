#include "http/metrics/worker_metrics.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "eventstore/codec/codec.h"
#include "stores/status/worker_state.h"

namespace pixledger::http {
namespace {

using prometheus::MetricFamily;

class WorkerFamilies {
 public:
  // Returns its place.
  std::size_t add(const char* name, const char* help,
                  prometheus::MetricType type = prometheus::MetricType::Gauge) {
    families_.push_back({name, help, type, {}});
    return families_.size() - 1;
  }
  void sample(std::size_t family, double value) {
    auto& metric = families_[family].metric.emplace_back();
    const bool counts = families_[family].type == prometheus::MetricType::Counter;
    (counts ? metric.counter.value : metric.gauge.value) = value;
  }
  void sample(std::size_t family, const char* label, const std::string& label_value, double value) {
    auto& metric = families_[family].metric.emplace_back();
    metric.label = {{label, label_value}};
    metric.gauge.value = value;
    metric.counter.value = value;
  }
  std::vector<MetricFamily> take() { return std::move(families_); }

 private:
  std::vector<MetricFamily> families_;
};

double age_s(const std::optional<Timestamp>& since, Timestamp now) {
  if (!since) return 0;
  return std::max(0.0, static_cast<double>(now.millis() - since->millis()) / 1000);
}

// When the event after the cursor was recorded; nothing at the head.
std::optional<Timestamp> next_after(const eventstore::LogCursor& cursor, const eventstore::Log& log) {
  const auto next = log.read_after(cursor.position, 1);
  if (next.empty()) return std::nullopt;
  return eventstore::header_of(next.front().position, next.front().bytes).recorded_at;
}

bool is_of(const eventstore::LogCursor& cursor, const eventstore::Log& log) {
  try {
    eventstore::check_cursor(cursor, log);
    return true;
  } catch (const eventstore::CursorMismatch&) {
    return false;
  }
}

}  // namespace

std::vector<MetricFamily> WorkerMetrics::Collect() const {
  WorkerFamilies families;
  const auto running = families.add("pixledger_worker_running", "1 while a process holds the worker's lock");
  const auto lag =
      families.add("pixledger_worker_lag_events", "Events of the ledger that the worker has not read yet");
  const auto unread_age = families.add("pixledger_worker_oldest_unread_age_seconds",
                                       "Age of the oldest event that the worker has not read yet");
  const auto pending = families.add("pixledger_deliveries_pending",
                                    "Deliveries that have neither succeeded nor been given up");
  const auto pending_age = families.add("pixledger_deliveries_oldest_pending_age_seconds",
                                        "Age of the oldest pending delivery, since its event");
  const auto overdue = families.add("pixledger_deliveries_overdue_seconds",
                                    "For how long the delivery that is due the longest has been due");
  const auto attempts =
      families.add("pixledger_webhook_attempts_total", "Attempts to deliver a webhook, by what they came to",
                   prometheus::MetricType::Counter);
  const auto failing =
      families.add("pixledger_failing_channels", "Channels with webhooks pending whose last attempt failed");
  const auto failing_age =
      families.add("pixledger_longest_failing_channel_seconds",
                   "For how long the one that fails the longest has had nothing but failures");
  const auto unsent = families.add("pixledger_emails_unsent", "E-mails that are neither sent nor given up");
  const auto unsent_age = families.add("pixledger_emails_oldest_unsent_age_seconds",
                                       "Age of the oldest unsent e-mail, since its payment");
  const auto given_up = families.add("pixledger_emails_given_up",
                                     "E-mails that were refused for good, or failed at every attempt");
  const auto capped = families.add(
      "pixledger_sandbox_mails_capped_total",
      "E-mails of the sandbox that were not sent, since their project or recipient had its share of the day",
      prometheus::MetricType::Counter);
  const auto waiting =
      families.add("pixledger_expired_charges_waiting",
                   "Charges past their expiry that are not recorded as expired yet, at most 10,000");
  const auto waiting_age = families.add("pixledger_expired_charges_oldest_age_seconds",
                                        "For how long the oldest of them has been past its expiry");
  const auto now = clock_.now();
  const std::lock_guard lock(mutex_);
  for (const std::string name : stores::kWorkerNames) {
    faults_.attempt("worker " + name, [&] {
      const auto worker = stores::find_worker(stores_, name, lmdb_);
      if (!worker) return;
      families.sample(running, "worker", name, worker->running ? 1 : 0);
      if (!worker->cursor) return;
      const auto head = log_.head().position;
      // Another machine's worker may have read what this one's copy has not got yet.
      if (stores_.are_shared() && worker->cursor->position > head)
        return families.sample(lag, "worker", name, 0);
      if (!is_of(*worker->cursor, log_)) return;
      families.sample(lag, "worker", name,
                      static_cast<double>(head.value() - worker->cursor->position.value()));
      families.sample(unread_age, "worker", name, age_s(next_after(*worker->cursor, log_), now));
    });
  }
  faults_.attempt("pending deliveries", [&] {
    const auto backlog = stores::delivery_backlog(stores_);
    families.sample(pending, static_cast<double>(backlog.pending));
    families.sample(pending_age, age_s(backlog.oldest, now));
    families.sample(overdue, age_s(backlog.due_since, now));
  });
  faults_.attempt("attempts to deliver", [&] {
    for (const auto& total : stores::attempt_totals(stores_))
      families.sample(attempts, "outcome", total.outcome, static_cast<double>(total.attempts));
  });
  faults_.attempt("failing channels", [&] {
    const auto channels = stores::failing_channels(stores_);
    families.sample(failing, static_cast<double>(channels.size()));
    families.sample(failing_age,
                    age_s(channels.empty() ? std::nullopt : std::optional(channels.front().since), now));
  });
  faults_.attempt("e-mails", [&] {
    const auto backlog = stores::email_backlog(stores_);
    families.sample(unsent, static_cast<double>(backlog.unsent));
    families.sample(unsent_age, age_s(backlog.oldest, now));
    families.sample(given_up, static_cast<double>(backlog.given_up));
    families.sample(capped, static_cast<double>(backlog.capped_ever));
  });
  faults_.attempt("expired charges", [&] {
    const auto backlog = stores::expiry_backlog(stores_.workers(), now, lmdb_);
    families.sample(waiting, static_cast<double>(backlog.waiting));
    families.sample(waiting_age, age_s(backlog.oldest, now));
  });
  auto all = families.take();
  auto of_banks = banks_.Collect();
  std::move(of_banks.begin(), of_banks.end(), std::back_inserter(all));
  return all;
}

}  // namespace pixledger::http
