#include "stores/accounting/reconciliation.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace pixledger::stores {
namespace {

constexpr std::array<Match, kMatchCount> kMatches{
    Match::kMatched,       Match::kProbable,   Match::kMissingInLedger, Match::kMissingInStatement,
    Match::kAmountDiffers, Match::kLate,       Match::kDoubled,         Match::kUnmatched,
    Match::kUnidentified,  Match::kNotCompared};
constexpr std::array<ReturnMatch, kReturnMatchCount> kReturnMatches{
    ReturnMatch::kMatched,         ReturnMatch::kProbable,           ReturnMatch::kPending,
    ReturnMatch::kMissingInLedger, ReturnMatch::kMissingInStatement, ReturnMatch::kAmountDiffers,
    ReturnMatch::kUnidentified};

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void write(Json& json, const Reconciled& item) {
  json.begin_object()
      .field("endToEndId", item.end_to_end_id)
      .field("transactionId", item.charge)
      .field("flag", item.flag)
      .field("by", item.by)
      .field("line", item.line)
      .field("statementAmountCents", item.statement_amount)
      .field("statementPaidAt", item.statement_paid_at)
      .field("ledgerAmountCents", item.ledger_amount)
      .field("ledgerPaidAt", item.ledger_paid_at)
      .field("chargeAmountCents", item.charge_amount)
      .end_object();
}

void write(Json& json, const ReconciledReturn& item) {
  json.begin_object()
      .field("endToEndId", item.end_to_end_id)
      .field("transactionId", item.charge)
      .field("refundId", given(item.id))
      .field("returnId", given(item.return_id))
      .field("line", item.line)
      .field("statementAmountCents", item.statement_amount)
      .field("statementReturnedAt", item.statement_at)
      .field("ledgerAmountCents", item.ledger_amount)
      .field("ledgerReturnedAt", item.ledger_at)
      .field("moved", item.moved)
      .end_object();
}

template <class Of, class Matches, class Items>
void write_all(Json& json, const Of& result, const Matches& matches, const Items& items,
               std::size_t items_max) {
  json.key("counts").begin_object();
  for (const auto match : matches) json.field(to_string(match), result.count(match));
  json.end_object();
  for (const auto match : matches) {
    // A bounded answer only counts matches.
    std::size_t left = to_string(match) == "matched" && items_max != SIZE_MAX ? 0 : items_max;
    json.key(to_string(match)).begin_array();
    for (const auto& item : items) {
      if (item.match != match) continue;
      if (left == 0) break;
      --left;
      write(json, item);
    }
    json.end_array();
  }
}

std::string days_of_lines(const Reconciliation& result) {
  if (!result.first_day) return ", and by its own words it is of other days";
  const auto first = date_text(*result.first_day);
  const auto last = date_text(*result.last_day);
  return ": they are of " + (first == last ? first : first + " to " + last);
}

// Returns the last moment before `until`.
std::optional<std::string> last_of(const std::optional<Timestamp>& until) {
  return until ? std::optional(to_iso8601(until->plus_millis(-1))) : std::nullopt;
}

void write_period(Json& json, const Reconciliation& result) {
  json.key("period").begin_object();
  json.field("from", result.period.from)
      .field("to", last_of(result.period.until))
      .field("by", result.period_by);
  json.key("gaps").begin_array();
  for (const auto& gap : result.gaps) {
    json.begin_object();
    json.field("from", gap.from).field("to", last_of(gap.until)).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string_view to_string(Match match) {
  switch (match) {
    case Match::kMatched:
      return "matched";
    case Match::kProbable:
      return "probable";
    case Match::kMissingInLedger:
      return "missingInLedger";
    case Match::kMissingInStatement:
      return "missingInStatement";
    case Match::kAmountDiffers:
      return "amountDiffers";
    case Match::kLate:
      return "late";
    case Match::kDoubled:
      return "doubled";
    case Match::kUnmatched:
      return "unmatched";
    case Match::kUnidentified:
      return "unidentified";
    case Match::kNotCompared:
      return "notCompared";
  }
  return "unknown";
}

bool is_open(Match match) {
  return match != Match::kMatched && match != Match::kProbable && match != Match::kNotCompared;
}

std::string_view to_string(MatchedBy by) {
  switch (by) {
    case MatchedBy::kEndToEndId:
      return "endToEndId";
    case MatchedBy::kTxid:
      return "txid";
    case MatchedBy::kAmountAndDay:
      return "amountAndDay";
  }
  return "unknown";
}

std::string_view to_string(ReturnMatch match) {
  switch (match) {
    case ReturnMatch::kMatched:
      return "matched";
    case ReturnMatch::kProbable:
      return "probable";
    case ReturnMatch::kPending:
      return "pending";
    case ReturnMatch::kMissingInLedger:
      return "missingInLedger";
    case ReturnMatch::kMissingInStatement:
      return "missingInStatement";
    case ReturnMatch::kAmountDiffers:
      return "amountDiffers";
    case ReturnMatch::kUnidentified:
      return "unidentified";
  }
  return "unknown";
}

bool is_open(ReturnMatch match) { return match != ReturnMatch::kMatched && match != ReturnMatch::kProbable; }

std::string_view to_string(ReconcileOutcome outcome) {
  switch (outcome) {
    case ReconcileOutcome::kAgrees:
      return "agrees";
    case ReconcileOutcome::kProbablyAgrees:
      return "probablyAgrees";
    case ReconcileOutcome::kDiffers:
      return "differs";
    case ReconcileOutcome::kCannotCompare:
      return "cannotCompare";
  }
  return "unknown";
}

std::string_view to_string(PeriodBy by) {
  switch (by) {
    case PeriodBy::kGiven:
      return "given";
    case PeriodBy::kStatement:
      return "statement";
    case PeriodBy::kLines:
      return "lines";
    case PeriodBy::kLedger:
      return "ledger";
  }
  return "unknown";
}

std::string_view to_string(NotComparable why) {
  switch (why) {
    case NotComparable::kNoNames:
      return "noNames";
    case NotComparable::kTooMany:
      return "tooMany";
    case NotComparable::kOutOfPeriod:
      return "outOfPeriod";
  }
  return "unknown";
}

bool Reconciliation::is_in_gap(Timestamp moment) const {
  const auto behind =
      std::upper_bound(gaps.begin(), gaps.end(), moment,
                       [](Timestamp sought, const StatementWindow& gap) { return sought < gap.from; });
  return behind != gaps.begin() && moment < std::prev(behind)->until;
}

std::size_t Reconciliation::count(Match match) const {
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [match](const Reconciled& item) { return item.match == match; }));
}
std::size_t Reconciliation::count(ReturnMatch match) const {
  return static_cast<std::size_t>(std::count_if(
      returns.begin(), returns.end(), [match](const ReconciledReturn& item) { return item.match == match; }));
}

std::size_t Reconciliation::open() const {
  std::size_t count = gaps.size();
  for (const auto& item : items) count += is_open(item.match) ? 1 : 0;
  for (const auto& item : returns) count += is_open(item.match) ? 1 : 0;
  return count;
}
std::size_t Reconciliation::probable() const {
  return count(Match::kProbable) + count(ReturnMatch::kProbable);
}

std::string reason_of(const Reconciliation& result) {
  if (result.why_not == NotComparable::kTooMany)
    return "The ledger has too many payments in this time to compare them at once. Name fewer days.";
  if (result.why_not == NotComparable::kOutOfPeriod)
    return "No line of the statement lies in the period" + days_of_lines(result) +
           ". So it is not known whether anything is missing. Name the statement's own days, or take the "
           "statement of these.";
  std::string where = "in any of its columns";
  if (result.format == StatementFormat::kOfx)
    where = "in FITID, REFNUM, CHECKNUM, NAME, MEMO or another field";
  return "None of the statement's payments could be found in the ledger by what it says of them: no "
         "end-to-end id "
         "(E, 8 digits of the bank, date and time, 11 letters or digits) and no txid of a charge " +
         where +
         ", and no payment of the same amount on the same day. So it is not known whether anything is "
         "missing. Ask "
         "the bank for a statement with end-to-end ids, or take its API Pix (pix-json); see whether this is "
         "the "
         "account of the project's Pix key, and whether the days are those of the time zone.";
}

void write_reconciliation(Json& json, const Reconciliation& result, std::size_t items_max) {
  const auto day = [](const std::optional<std::int64_t>& number) {
    return number ? std::optional(date_text(*number)) : std::nullopt;
  };
  const bool cannot = result.outcome == ReconcileOutcome::kCannotCompare;
  json.field("outcome", result.outcome)
      .field("cause", result.why_not)
      .field("reason", cannot ? std::optional(reason_of(result)) : std::nullopt)
      .field("format", result.format)
      .field("environment", result.environment)
      .field("asOfPosition", result.as_of.value())
      .field("statementFrom", day(result.first_day))
      .field("statementTo", day(result.last_day))
      .field("open", result.open())
      .field("probableCount", result.probable())
      .field("ignored", result.ignored)
      .field("countsHeld", result.counts_held);
  json.key("warnings").begin_array();
  for (const auto& warning : result.warnings) json.value(warning);
  json.end_array();
  write_period(json, result);
  write_all(json, result, kMatches, result.items, items_max);
  json.key("returns").begin_object();
  json.field("compared", result.returns_compared).field("inLedger", result.returns_of_ledger);
  write_all(json, result, kReturnMatches, result.returns, items_max);
  json.end_object();
}

}  // namespace pixledger::stores
