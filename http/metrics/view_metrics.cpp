#include "http/metrics/view_metrics.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "domain/aggregates/event.h"
#include "projections/generations/generation_directory.h"

namespace pixledger::http {
namespace {

using domain::Environment;

// The event's name in the feed without the prefix; empty if it has another prefix.
std::string_view label_of(const domain::Event& event) {
  constexpr std::string_view kFeedPrefix = "transaction.";
  const auto name = domain::kind_of(event).feed_name;
  return name.starts_with(kFeedPrefix) ? name.substr(kFeedPrefix.size()) : std::string_view();
}

// Only the creation event contains it.
std::optional<Environment> environment_of_charge(const domain::RecordedEvent& recorded,
                                                 const domain::ChargeEvent& event,
                                                 const projections::ViewDatabase& views) {
  if (const auto* created = std::get_if<domain::ChargeCreated>(&event)) return created->environment;
  const auto id = domain::ChargeId::parse(recorded.stream.key());
  const auto charge = id ? views.find_charge(*id) : std::nullopt;
  return charge ? std::optional(charge->environment) : std::nullopt;
}

}  // namespace

ChargeMetrics::ChargeMetrics(prometheus::Registry& registry) {
  for (std::size_t i = 0; i < kEnvironments.size(); ++i) {
    for (std::size_t j = 0; j < kEvents.size(); ++j)
      counters_[i][j] = &counter(registry, Metrics::kChargesTotal,
                                 {std::string(to_string(kEnvironments[i])), std::string(kEvents[j])});
  }
}

void ChargeMetrics::count(const projections::ViewDatabase& views,
                          const std::vector<domain::RecordedEvent>& events) {
  for (const auto& recorded : events) {
    const auto* event = std::get_if<domain::ChargeEvent>(&recorded.event);
    const auto* label = std::find(kEvents.begin(), kEvents.end(), label_of(recorded.event));
    if (!event || label == kEvents.end()) continue;
    const auto environment = environment_of_charge(recorded, *event, views);
    if (!environment) continue;
    for (std::size_t i = 0; i < kEnvironments.size(); ++i)
      if (kEnvironments[i] == *environment)
        counters_[i][static_cast<std::size_t>(label - kEvents.begin())]->Increment();
  }
}

void add_view_samples(MetricsPage& page, const projections::CurrentViews& views) {
  page.sample(Metrics::kViewsGeneration,
              [&views] { return static_cast<double>(projections::number_of(views.in_use()->directory())); });
  page.sample(Metrics::kViewsKept, [&views] {
    const auto directory = views.in_use()->directory().parent_path();
    return static_cast<double>(projections::find_kept_generations(directory).size());
  });
  page.sample_by(Metrics::kUnappliedPayments, [&views] {
    MetricsPage::ByLabel counts;
    for (const auto environment : {Environment::kLive, Environment::kSandbox})
      counts.emplace_back(to_string(environment),
                          static_cast<double>(views.database()->unapplied_payments(environment)));
    return counts;
  });
  page.sample_by(Metrics::kUnmatchedPayments, [&views] {
    const auto counts = views.database()->unmatched_payments();
    return MetricsPage::ByLabel(counts.begin(), counts.end());
  });
  page.sample(Metrics::kListColumnBytes,
              [&views] { return static_cast<double>(views.database()->list_memory().column_bytes); });
  page.sample(Metrics::kListTextBytes,
              [&views] { return static_cast<double>(views.database()->list_memory().text_bytes); });
}

}  // namespace pixledger::http
