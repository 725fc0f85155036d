#include "tools/operations/doctor/bank_streams.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr std::int64_t kWarnedBeforeMs = std::int64_t{30} * 24 * 60 * 60 * 1000;

Diagnosis ending(const KnownBank& used, Timestamp ends_at, Timestamp now) {
  const bool has_ended = ends_at <= now;
  return {"certificate", has_ended ? Severity::kProblem : Severity::kWarning,
          "that of connection " + used.connection.alias.text() + " (" + used.bank.id.text() +
              (has_ended ? ") has ended on " : ") ends on ") + to_iso8601(ends_at),
          "get another one from the bank, then: pixledger connection rotate --project " +
              used.bank.project.text() + " --connection " + used.bank.id.text() + " --cert FILE --key FILE"};
}

}  // namespace

void examine_connections(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found) {
  try {
    const auto before = found.size();
    const auto now = clock.now();
    std::size_t lasting = 0;
    for (const auto& bank : known_banks(options)) {
      const auto& certificate = bank.bank.configuration.certificate;
      if (!certificate || !bank.is_in_use()) continue;
      if (certificate->ends_at > now.plus_millis(kWarnedBeforeMs))
        ++lasting;
      else
        found.push_back(ending(bank, certificate->ends_at, now));
    }
    if (lasting > 0 && found.size() == before)
      found.push_back(
          {"certificate", Severity::kOk, "those of banks last over 30 days: " + std::to_string(lasting), ""});
  } catch (const std::exception& error) {
    found.push_back({"certificate", Severity::kWarning, error.what(),
                     advice_when_refused(error).value_or("run: pixledger verify, which says what to do")});
  }
}

}  // namespace pixledger::tools
