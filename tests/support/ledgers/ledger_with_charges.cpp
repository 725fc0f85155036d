#include "tests/support/ledgers/ledger_with_charges.h"

#include <stdexcept>

#include "eventstore/ledger.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/one_gigabyte.h"

namespace pixledger::tests {
LedgerWithCharges::LedgerWithCharges(const std::filesystem::path& data)
    : ledger_(eventstore::Ledger::open({data}, one_gigabyte())), executor_(*ledger_.log, clock_, entropy_) {}

domain::ChargeId LedgerWithCharges::create_charge(const domain::ProjectId& project) {
  auto creation = sample_creation();
  creation.project = project;
  const auto completed = execute(creation);
  const auto& created = completed.events().back();
  return domain::ChargeId::parse(created.stream.key()).value();
}

void LedgerWithCharges::pay(const domain::ProjectId& project, const domain::ChargeId& charge) {
  const domain::Caller caller{project, false};
  execute(domain::PaySandboxCharge{caller, charge});
}

domain::ChargeId LedgerWithCharges::create_paid_live_charge(const domain::ProjectId& project,
                                                            unsigned payment) {
  auto creation = sample_creation(domain::Environment::kLive);
  creation.project = project;
  const auto completed = execute(creation);
  auto charge = domain::ChargeId::parse(completed.events().back().stream.key()).value();
  auto report = sample_report(payment, creation.amount.value());
  report.project = project;
  report.charge = charge;
  execute(report);
  return charge;
}

void LedgerWithCharges::refund(const domain::ProjectId& project, const domain::ChargeId& charge) {
  const domain::Caller caller{project, false};
  execute(domain::RefundCharge{caller, charge, std::nullopt, std::nullopt});
}

domain::DocumentToken LedgerWithCharges::token_of(const domain::ProjectId& project,
                                                  const std::string& document) const {
  return parsed<domain::DocumentToken>(ledger_.keyring.name_of_document(project.text(), document));
}

eventstore::Completed LedgerWithCharges::execute(domain::Command command, const std::string& actor,
                                                 const std::string& request) {
  auto result = executor_.execute({std::move(command), actor, {}, request, {}});
  auto* completed = std::get_if<eventstore::Completed>(&result);
  if (completed == nullptr || !completed->outcome.done())
    throw std::runtime_error("the command was not done");
  return std::move(*completed);
}

}  // namespace pixledger::tests
