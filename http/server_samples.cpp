#include "eventstore/log/log.h"
#include "http/metrics/view_metrics.h"
#include "http/server_parts.h"
#include "projections/generations/current_views.h"

// What the server tells of itself in numbers.
namespace pixledger::http {
namespace {

MetricsPage::ByLabel room_endings(const ConnectionCounts& counts) {
  const auto count = [&counts](RoomEnding ending) { return static_cast<double>(counts.endings(ending)); };
  return {{"newcomer", count(RoomEnding::kNewcomer)},
          {"slow_request", count(RoomEnding::kSlowRequest)},
          {"slow_reader", count(RoomEnding::kSlowReader)},
          {"idle", count(RoomEnding::kIdle)}};
}

MetricsPage::ByLabel sign_in_results(const SignInCounts& counts) {
  const auto number = [](const std::atomic<std::uint64_t>& count) {
    return static_cast<double>(count.load(std::memory_order_relaxed));
  };
  return {
      {"made", number(counts.made)}, {"failed", number(counts.failed)}, {"limited", number(counts.limited)}};
}

}  // namespace

void ServerApp::Parts::add_samples(const ServerFoundations& foundations) {
  const auto gauge = [this](const char* name, const char* help, std::function<double()> value) {
    page.sample(name, help, prometheus::MetricType::Gauge, std::move(value));
  };
  const auto& log = foundations.log;
  page.add("requests", request_metrics);
  page.add("databases", databases);
  page.add("health", health_metrics);
  page.add("workers", kept_worker_metrics);
  page.add("operations", operations_metrics);
  page.add("cluster", cluster_metrics);
  page.sample("pixledger_views_adoptions_total", "Generations adopted since the server started",
              prometheus::MetricType::Counter, [this] { return static_cast<double>(generations.adopted()); });
  gauge("pixledger_http_connections", "Open connections",
        [this] { return static_cast<double>(server.open_connections()); });
  gauge("pixledger_http_long_polls", "Requests and streams that wait for events",
        [this] { return static_cast<double>(subscriptions.waiting()); });
  page.sample("pixledger_http_refused_connections_total", "Connections refused because there were too many",
              prometheus::MetricType::Counter,
              [this] { return static_cast<double>(server.refused_connections()); });
  page.sample_by("kind", "pixledger_http_connections_ended_total",
                 "Connections that were refused or ended for want of room", prometheus::MetricType::Counter,
                 [this] { return room_endings(server.connections()); });
  gauge("pixledger_http_reply_bytes", "Bytes of large replies (over 16 KiB) that are being sent",
        [this] { return static_cast<double>(server.reply_bytes()); });
  page.sample("pixledger_http_refused_replies_total",
              "Replies refused because too many large ones are being sent", prometheus::MetricType::Counter,
              [this] { return static_cast<double>(server.refused_replies()); });
  gauge("pixledger_http_waiting_requests", "Requests that wait until others of their project are done",
        [this] { return static_cast<double>(pool.waiting() + lookups.waiting() + hashing.waiting()); });
  page.sample("pixledger_http_refused_turns_total",
              "Requests refused because their project has too many in work", prometheus::MetricType::Counter,
              [this] { return static_cast<double>(dispatcher.refused_turns()); });
  page.sample_by("result", "pixledger_sign_ins_total",
                 "Attempts of people to sign in, or to confirm who they are, by what came of them",
                 prometheus::MetricType::Counter, [this] { return sign_in_results(sign_in_counts); });
  page.sample("pixledger_http_unlogged_errors_total",
              "Refused requests that were not logged, being too many a second",
              prometheus::MetricType::Counter,
              [this] { return static_cast<double>(request_log.left_out()); });
  gauge("pixledger_executor_waiting_commands", "Commands in the executor's queue",
        [this] { return static_cast<double>(executor.waiting()); });
  gauge("pixledger_projection_lag_events", "Events of the ledger that the read models do not show yet",
        [this, &log] {
          // In this order, or the views could be ahead.
          const auto applied = projector.applied().value();
          return static_cast<double>(log.head().position.value() - applied);
        });
  gauge("pixledger_ledger_events", "Events in the ledger",
        [&log] { return static_cast<double>(log.head().position.value()); });
  add_view_samples(page, foundations.views);
  prometheus::BuildGauge()
      .Name("pixledger_build_info")
      .Help("What is running")
      .Register(page.registry())
      .Add({{"version", PIXLEDGER_VERSION}})
      .Set(1);
}

}  // namespace pixledger::http
