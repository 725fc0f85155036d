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

// What happens to charges, counted by environment: also what other processes record, such as the expiry
// worker and an operator's commands.
class ChargeMetrics {
 public:
  // The registry outlives it.
  explicit ChargeMetrics(prometheus::Registry& registry);

  // Events that the views have just come to show. One thread at a time.
  void count(const projections::ViewDatabase& views, const std::vector<domain::RecordedEvent>& events);

 private:
  // As the label says them: those of the feed that are counted.
  static constexpr std::array<std::string_view, 6> kEvents{"created", "paid",      "refunded",
                                                           "expired", "cancelled", "failed"};
  static constexpr std::array kEnvironments{domain::Environment::kLive, domain::Environment::kSandbox};

  std::array<std::array<prometheus::Counter*, kEvents.size()>, kEnvironments.size()> counters_;
};

// What the read models have, taken when it is asked for. They outlive the page.
void add_view_samples(MetricsPage& page, const projections::CurrentViews& views);

}  // namespace pixledger::http
