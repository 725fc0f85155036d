#include "http/metrics/worker_metrics.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "eventstore/codec/codec.h"
#include "stores/status/operations_record.h"
#include "stores/status/provider_state.h"
#include "stores/status/worker_state.h"

namespace pixledger::http {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using stores::BankCounter;

constexpr double kMsPerSecond = 1000;
constexpr const char* kConnection = "connection";

double seconds_between(Timestamp from, Timestamp to) {
  return std::max(0.0, static_cast<double>(to.millis() - from.millis()) / kMsPerSecond);
}

MetricFamily family(const char* name, const char* help, MetricType type = MetricType::Gauge) {
  return {name, help, type, {}};
}

using Labels = std::vector<ClientMetric::Label>;

void add_gauge(MetricFamily& to, Labels labels, double value) {
  auto& metric = to.metric.emplace_back();
  metric.label = std::move(labels);
  metric.gauge.value = value;
}
void add_count(MetricFamily& to, Labels labels, std::int64_t value) {
  auto& metric = to.metric.emplace_back();
  metric.label = std::move(labels);
  metric.counter.value = static_cast<double>(value);
}

// By the upper bound of the bucket, "more" and "sum".
void histogram(MetricFamily& to, const std::string& connection,
               const std::map<std::string, std::int64_t>& counted) {
  const auto value_of = [&](const std::string& name) {
    const auto found = counted.find(name);
    return found == counted.end() ? 0 : found->second;
  };
  auto& metric = to.metric.emplace_back();
  metric.label = {{kConnection, connection}};
  std::int64_t so_far = 0;
  const auto add = [&](double bound_s, const std::string& name) {
    so_far += value_of(name);
    metric.histogram.bucket.push_back(
        {.cumulative_count = static_cast<std::uint64_t>(so_far), .upper_bound = bound_s});
  };
  for (const auto bound_ms : stores::kDurationBoundsMs)
    add(static_cast<double>(bound_ms) / kMsPerSecond, std::to_string(bound_ms));
  add(std::numeric_limits<double>::infinity(), "more");
  metric.histogram.sample_count = static_cast<std::uint64_t>(so_far);
  metric.histogram.sample_sum = static_cast<double>(value_of("sum")) / kMsPerSecond;
}

struct BankFamilies {
  MetricFamily requests =
      family("pixledger_provider_requests_total", "Requests to banks, by what was asked and what it came to",
             MetricType::Counter);
  MetricFamily durations =
      family("pixledger_provider_request_duration_seconds",
             "From the beginning of a request to a bank to its end", MetricType::Histogram);
  MetricFamily breaker = family("pixledger_provider_breaker_open",
                                "1 while the bank does not work and is left alone but for probes");
  MetricFamily codes = family("pixledger_provider_codes_total",
                              "Charges by their code: dynamic (the bank's), static (on the Pix key), none",
                              MetricType::Counter);
  MetricFamily poll_age = family("pixledger_provider_poll_age_seconds",
                                 "For how long it is not known what was paid to the account");
  MetricFamily callbacks =
      family("pixledger_provider_callbacks_total", "Callbacks by what became of them", MetricType::Counter);
  MetricFamily misfits =
      family("pixledger_provider_misfits_total",
             "What banks show and the ledger has otherwise or cannot take", MetricType::Counter);
  MetricFamily open = family("pixledger_provider_open_work", "What is still to be asked of the bank");
  MetricFamily open_age =
      family("pixledger_provider_open_work_oldest_seconds", "For how long the oldest of it has been open");
  MetricFamily unread = family("pixledger_provider_unread_seconds",
                               "For how long the look that goes so far back is overdue, or was never whole");
  MetricFamily aside =
      family("pixledger_provider_left_aside_total",
             "Payments to the connection's key that are none of its business, by why", MetricType::Counter);
  MetricFamily window = family("pixledger_provider_window_seconds",
                               "How much of its account the bank is asked about at a time at most");
  MetricFamily skew =
      family("pixledger_provider_clock_skew_seconds",
             "By how much the bank's clock is ahead of this machine's, about a second's worth");
  MetricFamily certificate = family("pixledger_provider_certificate_end_time_seconds",
                                    "When the client's certificate ends, as a Unix time");

  void add(const stores::BankState& bank, Timestamp now) {
    const Labels labels{{kConnection, bank.connection}};
    add_gauge(breaker, labels, bank.is_left_alone ? 1 : 0);
    // The worker looks by the bank's clock.
    const auto seen_up_to =
        bank.looked_up_to ? bank.looked_up_to->plus_millis(-bank.ahead_ms.value_or(0)) : bank.since;
    add_gauge(poll_age, labels, seconds_between(seen_up_to, now));
    if (bank.ahead_ms) add_gauge(skew, labels, static_cast<double>(*bank.ahead_ms) / kMsPerSecond);
    if (bank.window_ms) add_gauge(window, labels, static_cast<double>(*bank.window_ms) / kMsPerSecond);
    if (bank.certificate_ends_at)
      add_gauge(certificate, labels, static_cast<double>(bank.certificate_ends_at->millis()) / kMsPerSecond);
  }
  void add(const stores::BankLook& look, Timestamp now) {
    add_gauge(unread, {{kConnection, look.connection}, {"back", stores::back_of(look.look)}},
              std::max(0.0, static_cast<double>(look.unread_ms(now)) / kMsPerSecond));
  }
  void add(const stores::BankBacklog& backlog, Timestamp now) {
    const Labels labels{{kConnection, backlog.connection}, {"kind", backlog.kind}};
    add_gauge(open, labels, static_cast<double>(backlog.open));
    add_gauge(open_age, labels, seconds_between(backlog.oldest, now));
  }
  void add(const std::vector<stores::BankCount>& counts) {
    std::map<std::string, std::map<std::string, std::int64_t>> durations_of;
    for (const auto& count : counts) {
      const ClientMetric::Label connection{kConnection, count.connection};
      switch (count.counter) {
        case BankCounter::kRequests:
          add_count(requests, {connection, {"operation", count.first}, {"outcome", count.second}},
                    count.value);
          break;
        case BankCounter::kDuration:
          durations_of[count.connection][count.first] = count.value;
          break;
        case BankCounter::kCodes:
          add_count(codes, {connection, {"kind", count.first}}, count.value);
          break;
        case BankCounter::kCallbacks:
          add_count(callbacks, {connection, {"result", count.first}}, count.value);
          break;
        case BankCounter::kMisfits:
          add_count(misfits, {connection, {"kind", count.first}}, count.value);
          break;
        case BankCounter::kLeftAside:
          add_count(aside, {connection, {"reason", count.first}}, count.value);
          break;
      }
    }
    for (const auto& [connection, counted] : durations_of) histogram(durations, connection, counted);
  }
  std::vector<MetricFamily> take() {
    return {std::move(requests), std::move(durations),  std::move(breaker), std::move(codes),
            std::move(poll_age), std::move(callbacks),  std::move(misfits), std::move(open),
            std::move(open_age), std::move(unread),     std::move(aside),   std::move(window),
            std::move(skew),     std::move(certificate)};
  }
};

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

MetricFamily optional_gauge(const char* name, const char* help, std::optional<double> value) {
  MetricFamily family{name, help, prometheus::MetricType::Gauge, {}};
  if (value) family.metric.emplace_back().gauge.value = *value;
  return family;
}

double seconds(Timestamp time) { return static_cast<double>(time.millis()) / 1000; }

}  // namespace

std::vector<MetricFamily> BankMetrics::Collect() const {
  BankFamilies families;
  faults_.attempt("banks", [&] {
    const auto now = clock_.now();
    const auto states = stores::bank_states(workers_);
    for (const auto& bank : states.banks) families.add(bank, now);
    for (const auto& look : states.looks) families.add(look, now);
    for (const auto& backlog : states.backlogs) families.add(backlog, now);
    families.add(states.counts);
  });
  return families.take();
}

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
      const auto worker = stores::find_worker(databases_, name, lmdb_);
      if (!worker) return;
      families.sample(running, "worker", name, worker->running ? 1 : 0);
      if (!worker->cursor) return;
      const auto head = log_.head().position;
      // Another machine's worker may have read what this one's copy has not got yet.
      if (databases_.are_shared() && worker->cursor->position > head)
        return families.sample(lag, "worker", name, 0);
      if (!eventstore::is_cursor_of(log_, *worker->cursor)) return;
      families.sample(lag, "worker", name,
                      static_cast<double>(head.value() - worker->cursor->position.value()));
      families.sample(unread_age, "worker", name, age_s(next_after(*worker->cursor, log_), now));
    });
  }
  faults_.attempt("pending deliveries", [&] {
    const auto backlog = stores::delivery_backlog(databases_);
    families.sample(pending, static_cast<double>(backlog.pending));
    families.sample(pending_age, age_s(backlog.oldest, now));
    families.sample(overdue, age_s(backlog.due_since, now));
  });
  faults_.attempt("attempts to deliver", [&] {
    for (const auto& total : stores::attempt_totals(databases_))
      families.sample(attempts, "outcome", total.outcome, static_cast<double>(total.attempts));
  });
  faults_.attempt("failing channels", [&] {
    const auto channels = stores::failing_channels(databases_);
    families.sample(failing, static_cast<double>(channels.size()));
    families.sample(failing_age,
                    age_s(channels.empty() ? std::nullopt : std::optional(channels.front().since), now));
  });
  faults_.attempt("e-mails", [&] {
    const auto backlog = stores::email_backlog(databases_);
    families.sample(unsent, static_cast<double>(backlog.unsent));
    families.sample(unsent_age, age_s(backlog.oldest, now));
    families.sample(given_up, static_cast<double>(backlog.given_up));
    families.sample(capped, static_cast<double>(backlog.capped_ever));
  });
  faults_.attempt("expired charges", [&] {
    const auto backlog = stores::expiry_backlog(databases_.workers(), now, lmdb_);
    families.sample(waiting, static_cast<double>(backlog.waiting));
    families.sample(waiting_age, age_s(backlog.oldest, now));
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
  std::vector<MetricFamily> families;
  families.push_back(
      optional_gauge("pixledger_last_backup_timestamp_seconds",
                     "When the last backup that succeeded ended, as a Unix time; 0 before the first",
                     has_backup ? seconds(*backup->last_success_at) : 0));
  families.push_back(optional_gauge("pixledger_last_verify_timestamp_seconds",
                                    "When the last verification ended, as a Unix time; 0 before the first",
                                    verification ? seconds(verification->ended_at) : 0));
  families.push_back(optional_gauge(
      "pixledger_last_verify_result", "1 when the last verification found all sound, 0 when it did not",
      verification ? std::optional(verification->sound ? 1.0 : 0.0) : std::nullopt));
  return families;
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
