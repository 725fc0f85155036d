#pragma once

#include <catch2/catch.hpp>
#include <map>

#include "eventstore/executor/executor.h"
#include "stores/accounting/reconciliation.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"

namespace pixledger::tests {

inline constexpr std::int64_t kCents = 10'000;

// A project with charges and payments of every kind.
class ReconciledShop {
 public:
  ReconciledShop() {
    auto completed = run(domain::CreateProject{sample_settings()});
    project_ = completed.events().front().project;
  }

  domain::ChargeId charge(domain::Environment environment = domain::Environment::kLive) {
    auto creation = sample_creation(environment);
    creation.project = project();
    return parsed<domain::ChargeId>(run(creation).events().back().stream.key());
  }
  void pay(const domain::ChargeId& charge, unsigned payment, std::int64_t cents = kCents) {
    run(domain::ReportPayment{project(), charge, sample_end_to_end_id(payment), domain::Cents(cents), {}});
  }
  void refund(const domain::ChargeId& charge, std::int64_t cents) {
    run(domain::RefundCharge{{project(), false}, charge, domain::Cents(cents), std::nullopt});
  }
  eventstore::Completed run(domain::Command command) {
    auto completed = std::get<eventstore::Completed>(
        executor_.execute({std::move(command), "operator-test", std::nullopt, "", std::nullopt}));
    REQUIRE(completed.outcome.done());
    return completed;
  }
  const domain::ProjectId& project() const { return *project_; }
  FixedClock& clock() { return clock_; }

  stores::StatementLine line(unsigned payment, std::int64_t cents = kCents, std::string txid = "") {
    return {++lines_, sample_end_to_end_id(payment), domain::Cents(cents), clock_.now(), std::move(txid)};
  }
  // A line that names no payment.
  stores::StatementLine nameless(std::int64_t cents = kCents, std::string txid = "") {
    return {++lines_, std::nullopt, domain::Cents(cents), clock_.now(), std::move(txid)};
  }
  stores::Reconciliation compare(stores::Statement statement, const stores::ReconcilePeriod& period = {},
                                 std::size_t payments_max = SIZE_MAX) {
    const auto as_of = log_.head().position;
    stores::LoggedProjectEvents events(log_, project(), as_of);
    stores::Reconciler reconciler(log_, events,
                                  {.project = project(),
                                   .as_of = as_of,
                                   .period = period,
                                   .zone = parsed<TimeZone>("America/Sao_Paulo"),
                                   .payments_max = payments_max},
                                  std::move(statement));
    while (reconciler.look()) continue;
    return reconciler.take();
  }
  stores::Reconciliation compare(const std::vector<stores::StatementLine>& lines,
                                 const stores::ReconcilePeriod& period = {}) {
    return compare(stores::Statement{.lines = lines}, period);
  }
  // The match of each payment; of a payment that is in the statement twice, the last one.
  std::map<unsigned, stores::Match> matches(const std::vector<stores::StatementLine>& statement,
                                            const stores::ReconcilePeriod& period = {}) {
    std::map<unsigned, stores::Match> found;
    for (const auto& item : compare(statement, period).items) {
      for (unsigned payment = 1; payment < 20; ++payment) {
        if (sample_end_to_end_id(payment) == item.end_to_end_id) found[payment] = item.match;
      }
    }
    return found;
  }

 private:
  FixedClock clock_{kStart};
  SeededEntropy entropy_{1};
  eventstore::MemoryLog log_{{"000102030405060708090a0b0c0d0e0f", 1}};
  eventstore::Executor executor_{log_, clock_, entropy_};
  std::optional<domain::ProjectId> project_;
  std::size_t lines_ = 1;
};

inline domain::EndToEndId in_capitals(const domain::EndToEndId& id) {
  auto text = id.text();
  for (auto& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return parsed<domain::EndToEndId>(text);
}

}  // namespace pixledger::tests
