#include "tools/accounting/kept_history.h"

#include "domain/aggregates/event.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/log_scan.h"
#include "tools/cli/aggregates.h"

namespace pixledger::tools {
namespace {

using domain::RecordedEvent;

class Reader {
 public:
  Reader(const eventstore::Log& kept, const eventstore::Log& ledger) : kept_(kept), ledger_(ledger) {}

  void add(const RecordedEvent& event) {
    auto& project = project_of(event.project);
    if (const auto* const created = fact_of<domain::ChargeCreated>(event)) {
      const auto charge = charge_of(kept_, event);
      project.charges.push_back({.id = created->id,
                                 .external_id = created->external_id,
                                 .environment = created->environment,
                                 .amount = created->amount,
                                 .status = charge.status,
                                 .created_at = event.recorded_at});
    } else if (const auto* const paid = fact_of<domain::ChargePaid>(event)) {
      add_payment(project, event, *paid, true);
    } else if (const auto* const left = fact_of<domain::PaymentLeftUnapplied>(event)) {
      add_payment(project, event, *left, false);
    } else if (const auto* const unmatched = unmatched_of(event)) {
      project.payments.push_back({.id = unmatched->end_to_end_id,
                                  .environment = unmatched->environment,
                                  .amount = unmatched->amount,
                                  .paid_at = unmatched->paid_at,
                                  .charge = {},
                                  .was_applied = false,
                                  .is_in_ledger = is_in_ledger(event.project, unmatched->end_to_end_id)});
    } else if (!add_refund(project, event)) {
      ++project.other_events[std::string(domain::kind_of(event.event).name)];
    }
  }

  std::map<domain::ProjectId, KeptProject> take() { return std::move(projects_); }

 private:
  static const domain::PaymentUnmatched* unmatched_of(const RecordedEvent& event) {
    const auto* const of_payment = std::get_if<domain::PaymentEvent>(&event.event);
    return of_payment ? std::get_if<domain::PaymentUnmatched>(of_payment) : nullptr;
  }

  bool is_in_ledger(const domain::ProjectId& project, const domain::EndToEndId& id) const {
    return ledger_.claim_holder(domain::end_to_end_claim(id)) ||
           ledger_.claim_holder(domain::unmatched_claim(project, id));
  }

  template <class Fact>
  void add_payment(KeptProject& project, const RecordedEvent& event, const Fact& fact, bool was_applied) {
    const auto charge = charge_of(kept_, event);
    project.payments.push_back({.id = fact.end_to_end_id,
                                .environment = charge.environment,
                                .amount = fact.amount,
                                .paid_at = fact.paid_at,
                                .charge = charge.id,
                                .was_applied = was_applied,
                                .is_in_ledger = is_in_ledger(event.project, fact.end_to_end_id)});
  }

  bool add_refund(KeptProject& project, const RecordedEvent& event) {
    if (!may_be_refund(event)) return false;
    const auto charge = charge_of(kept_, event);
    const auto refund = domain::refund_done_by(std::get<domain::ChargeEvent>(event.event), charge);
    if (!refund) return false;
    project.refunds.push_back({.charge = charge.id,
                               .environment = charge.environment,
                               .amount = refund->amount,
                               .recorded_at = event.recorded_at});
    return true;
  }

  KeptProject& project_of(const domain::ProjectId& id) {
    const auto [found, is_new] = projects_.try_emplace(id);
    if (is_new)
      if (const auto project = find_project(kept_, id)) found->second.name = project->settings.name.text();
    return found->second;
  }

  const eventstore::Log& kept_;
  const eventstore::Log& ledger_;
  std::map<domain::ProjectId, KeptProject> projects_;
};

}  // namespace

KeptHistory read_kept_history(const eventstore::KeptCopy& kept, const eventstore::Log& ledger) {
  const auto& log = kept.log();
  const auto head = log.head();
  KeptHistory found{.history = kept.history(),
                    .last = head.position,
                    .last_time = head.time,
                    .fork = kept.fork_from(ledger),
                    .projects = {}};
  Reader reader(log, ledger);
  eventstore::for_each_event(log, found.fork.common, head.position, [&](const RecordedEvent& event) {
    if (log.leaf_hash(event.position) != ledger.leaf_hash(event.position)) reader.add(event);
  });
  found.projects = reader.take();
  return found;
}

}  // namespace pixledger::tools
