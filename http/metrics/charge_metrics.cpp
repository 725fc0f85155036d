#include "http/metrics/charge_metrics.h"

#include <optional>
#include <string_view>

namespace pixledger::http {
namespace {

using domain::Environment;

// What an event of a charge counts as, if anything.
struct NameOf {
  using Name = std::optional<std::string_view>;
  Name operator()(const domain::ChargeCreated&) const { return "created"; }
  Name operator()(const domain::ChargePaid&) const { return "paid"; }
  Name operator()(const domain::ChargeProcessingStarted&) const { return {}; }
  Name operator()(const domain::ChargeExpired&) const { return "expired"; }
  Name operator()(const domain::ChargeCancelled&) const { return "cancelled"; }
  Name operator()(const domain::ChargeFailed&) const { return "failed"; }
  Name operator()(const domain::ChargeRefunded&) const { return "refunded"; }
  Name operator()(const domain::PaymentLeftUnapplied&) const { return {}; }
  Name operator()(const domain::UnappliedPaymentAccepted&) const { return "paid"; }
  Name operator()(const domain::UnappliedPaymentReturned&) const { return {}; }
};

// Only the creation says it itself.
std::optional<Environment> environment_of(const domain::RecordedEvent& recorded,
                                          const domain::ChargeEvent& event,
                                          const projections::ViewDatabase& views) {
  if (const auto* created = std::get_if<domain::ChargeCreated>(&event)) return created->environment;
  const auto id = domain::ChargeId::parse(recorded.stream.key());
  const auto charge = id ? views.find_charge(*id) : std::nullopt;
  return charge ? std::optional(charge->environment) : std::nullopt;
}

}  // namespace

ChargeMetrics::ChargeMetrics(prometheus::Registry& registry) {
  auto& family = prometheus::BuildCounter()
                     .Name("pixledger_charges_total")
                     .Help("What has happened to charges since the server started")
                     .Register(registry);
  for (std::size_t i = 0; i < kEnvironments.size(); ++i) {
    for (std::size_t j = 0; j < kEvents.size(); ++j)
      counters_[i][j] =
          &family.Add({{"environment", std::string(to_string(kEnvironments[i]))}, {"event", kEvents[j]}});
  }
}

void ChargeMetrics::count(const projections::ViewDatabase& views,
                          const std::vector<domain::RecordedEvent>& events) {
  for (const auto& recorded : events) {
    const auto* event = std::get_if<domain::ChargeEvent>(&recorded.event);
    const auto name = event ? std::visit(NameOf{}, *event) : std::nullopt;
    const auto environment = name ? environment_of(recorded, *event, views) : std::nullopt;
    if (!environment) continue;
    for (std::size_t i = 0; i < kEnvironments.size(); ++i) {
      for (std::size_t j = 0; j < kEvents.size(); ++j) {
        if (kEnvironments[i] == *environment && kEvents[j] == *name) counters_[i][j]->Increment();
      }
    }
  }
}

}  // namespace pixledger::http
