#include "domain/values/cents.h"
#include "eventstore/lmdb/database_facts.h"
#include "projections/generations/generation.h"
#include "projections/views/charge_sums.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {

void examine_money(const eventstore::LedgerOptions& options, Diagnoses& found) {
  try {
    const auto facts = eventstore::inspect_ledger(options.data.ledger(), options.map_bytes);
    const auto in_use = projections::find_trusted_generation(options.data.views(), facts.identity);
    if (!in_use) return;  // which is told where read models are
    constexpr std::string_view kLive = "/live";
    for (const auto& [place, sum] : projections::peek_unapplied_sums(*in_use, options.lmdb())) {
      if (!std::string_view(place).ends_with(kLive)) continue;
      const auto project = place.substr(0, place.size() - kLive.size());
      found.push_back({"money", Severity::kWarning,
                       std::to_string(sum.count) + " payments, " +
                           domain::to_decimal(domain::Cents(sum.cents)) +
                           " reais in all, arrived at charges of project " + project +
                           " and paid none of them: they are kept aside",
                       "settle them: pixledger payment list --project " + project +
                           ", then charge accept-payment or return-payment"});
    }
  } catch (const std::exception& error) {
    found.push_back({"money", Severity::kWarning, error.what(),
                     advice_when_refused(error).value_or("run: pixledger verify, which says what to do")});
  }
}

}  // namespace pixledger::tools
