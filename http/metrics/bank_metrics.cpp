#include "http/metrics/bank_metrics.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "stores/status/provider_state.h"

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

}  // namespace pixledger::http
