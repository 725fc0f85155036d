#pragma once

#include <array>
#include <prometheus/counter.h>
#include <prometheus/registry.h>
#include <string_view>
#include <vector>

#include "domain/aggregates/event.h"
#include "http/metrics/metrics_page.h"
#include "projections/generations/generation.h"
#include "projections/views/view_database.h"

namespace pixledger::http {

// Counts events of charges by environment, including those that other processes record, such as the expiry
// worker and an operator's commands.
class ChargeMetrics {
 public:
  // The registry outlives it.
  explicit ChargeMetrics(prometheus::Registry& registry);

  // Counts events that the views have just applied. Call from one thread at a time.
  void count(const projections::ViewDatabase& views, const std::vector<domain::RecordedEvent>& events);

 private:
  // The labels: the counted events of the feed.
  static constexpr std::array<std::string_view, 6> kEvents{"created", "paid",      "refunded",
                                                           "expired", "cancelled", "failed"};
  static constexpr std::array kEnvironments{domain::Environment::kLive, domain::Environment::kSandbox};

  std::array<std::array<prometheus::Counter*, kEvents.size()>, kEnvironments.size()> counters_;
};

// Adds samples of the read models, read at each scrape. The views outlive the page.
void add_view_samples(MetricsPage& page, const projections::CurrentViews& views);

}  // namespace pixledger::http
