#include "http/metrics/refusal_metrics.h"

namespace pixledger::http {
namespace {

// A refused payer is recorded only so often a day; the rest leaves no event.
bool is_unrecorded_refusal(const eventstore::Result& result) {
  const auto* completed = std::get_if<eventstore::Completed>(&result);
  if (!completed || completed->count > 0 || completed->replayed) return false;
  const auto rejection = completed->outcome.rejection;
  return rejection == domain::Rejection::kCustomerBlocked || rejection == domain::Rejection::kBlocklisted;
}

}  // namespace

RefusalMetrics::RefusalMetrics(prometheus::Registry& registry)
    : family_(prometheus::BuildCounter()
                  .Name("pixledger_refusals_not_recorded_total")
                  .Help("Creations refused to a blocked payer that left no event, since the payer has had "
                        "enough of them")
                  .Register(registry)),
      live_(family_.Add({{"environment", "live"}})),
      sandbox_(family_.Add({{"environment", "sandbox"}})) {}

void RefusalMetrics::note(domain::Environment environment, const eventstore::Result& result) {
  if (!is_unrecorded_refusal(result)) return;
  (environment == domain::Environment::kLive ? live_ : sandbox_).Increment();
}

}  // namespace pixledger::http
