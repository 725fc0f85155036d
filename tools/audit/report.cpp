#include "tools/audit/report.h"

#include "eventstore/reading/log_scan.h"
#include "tools/cli/aggregates.h"

namespace pixledger::tools {
namespace {

void add(ReportSums& sums, const domain::Charge& charge) {
  ++sums.count;
  sums.amount = sums.amount + charge.amount;
  if (charge.payment) sums.paid = sums.paid + charge.payment->amount;
  sums.refunded = sums.refunded + charge.refunded;
}

}  // namespace

Report make_report(const eventstore::Log& log, const std::optional<domain::ProjectId>& project,
                   const Period& period, domain::Position as_of) {
  Report report;
  const auto [after, last] = period.positions(log, as_of);
  eventstore::for_each_event(log, after, last, [&](const domain::RecordedEvent& event) {
    const auto id = created_charge(event);
    if (!id || (project && event.project != *project) || !period.contains(event.recorded_at)) return;
    const auto charge = find_charge(log, *id, as_of);
    if (!charge) throw eventstore::LogCorrupt("a charge that was created has no stream");
    const Report::Kind kind{charge->environment, charge->status};
    add(report.rows[{period.zone().day_of(charge->created_at), kind}], *charge);
    add(report.totals[kind], *charge);
  });
  return report;
}

}  // namespace pixledger::tools
