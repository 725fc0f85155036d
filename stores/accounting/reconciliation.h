#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/json.h"
#include "base/platform/time_zone.h"
#include "domain/aggregates/charge.h"
#include "eventstore/log/log.h"
#include "stores/accounting/ledger_payments.h"
#include "stores/accounting/statement.h"

// Compares an acquirer's or bank's statement with the payments and returns in a project's ledger.
namespace pixledger::stores {

enum class Match {
  kMatched,          // both have it, alike, or it was accepted or returned later; nothing to do
  kProbable,         // the line names no payment; the ledger has one of its amount and day
  kMissingInLedger,  // this project's ledger lacks the payment, or has it for another charge
  kMissingInStatement,
  kAmountDiffers,  // from the statement's, or (unsettled) from the charge's
  kLate,           // after the charge's expiry or end, and unsettled
  kDoubled,        // twice in the statement, or an unsettled second payment of its charge
  kUnmatched,      // the ledger has it as unmatched, and it is unsettled
  kUnidentified,   // a Pix of the statement that names no payment; the ledger has none alike
  kNotCompared,    // the ledger's; the statement names no payments, or does not cover its day
};
inline constexpr std::size_t kMatchCount = 10;
std::string_view to_string(Match match);  // "missingInLedger"
// Whether an operator has to act, or at least look.
bool is_open(Match match);

enum class MatchedBy { kEndToEndId, kTxid, kAmountAndDay };
std::string_view to_string(MatchedBy by);  // "endToEndId"

struct Reconciled {
  Match match = Match::kMatched;
  std::optional<MatchedBy> by{};                      // if both have it
  std::optional<domain::EndToEndId> end_to_end_id{};  // the ledger's spelling if it has it
  std::optional<std::size_t> line{};                  // in the statement
  std::optional<domain::Cents> statement_amount{};
  std::optional<Timestamp> statement_paid_at{};
  std::optional<domain::Cents> ledger_amount{};
  std::optional<Timestamp> ledger_paid_at{};
  std::optional<domain::ChargeId> charge{};
  std::optional<domain::Cents> charge_amount{};  // the amount that the charge asks for
  std::optional<domain::PaymentFlag> flag{};     // if not applied to its charge
};

enum class ReturnMatch {
  kMatched,
  kProbable,  // by amount and day
  kPending,   // the ledger waits for the bank's confirmation
  kMissingInLedger,
  kMissingInStatement,
  kAmountDiffers,
  kUnidentified,  // in the statement, which names neither it nor its payment
};
inline constexpr std::size_t kReturnMatchCount = 7;
std::string_view to_string(ReturnMatch match);
bool is_open(ReturnMatch match);

struct ReconciledReturn {
  ReturnMatch match = ReturnMatch::kMatched;
  std::optional<domain::EndToEndId> end_to_end_id{};  // of the payment
  std::optional<domain::ChargeId> charge{};
  std::string id{};         // the devolução's
  std::string return_id{};  // the payments system's
  std::optional<std::size_t> line{};
  std::optional<domain::Cents> statement_amount{};
  std::optional<Timestamp> statement_at{};
  std::optional<domain::Cents> ledger_amount{};
  std::optional<Timestamp> ledger_at{};
  std::optional<bool> moved{};  // the ledger's: moved by a bank, or recorded as returned otherwise
};

enum class ReconcileOutcome { kAgrees, kProbablyAgrees, kDiffers, kCannotCompare };
std::string_view to_string(ReconcileOutcome outcome);  // "cannotCompare"

// The period whose payments the statement should have. Both ends are optional; a missing end is taken from
// the statement, if that states one.
struct ReconcilePeriod {
  std::optional<Timestamp> from{};
  std::optional<Timestamp> until{};  // exclusive
  bool is_the_statements = false;    // if neither is given or stated: from its first day to its last

  bool contains(Timestamp moment) const { return (!from || *from <= moment) && (!until || moment < *until); }
};

// The source of the period.
enum class PeriodBy {
  kGiven,      // the caller
  kStatement,  // the statement states it
  kLines,      // the statement's lines: from its first day to its last
  kLedger,     // none: all that the ledger has
};
std::string_view to_string(PeriodBy by);  // "given"

// Why nothing can be compared.
enum class NotComparable {
  kNoNames,      // the statement names none of its payments
  kTooMany,      // the ledger has too many payments: compare fewer days
  kOutOfPeriod,  // no line of the statement is in the requested period
};
std::string_view to_string(NotComparable why);  // "noNames"

struct Reconciliation {
  domain::Environment environment = domain::Environment::kLive;
  Position as_of{};
  StatementFormat format = StatementFormat::kCsv;
  std::vector<Reconciled> items{};  // the statement's in its order, then the ledger's
  std::vector<ReconciledReturn> returns{};
  bool returns_compared = false;      // false: the statement has none
  std::size_t returns_of_ledger = 0;  // in the period
  std::size_t ignored = 0;
  bool counts_held = false;                             // see Statement
  std::vector<std::string> warnings{};                  // see Statement
  std::optional<std::int64_t> first_day{}, last_day{};  // of the statement
  ReconcileOutcome outcome = ReconcileOutcome::kAgrees;
  std::optional<NotComparable> why_not{};  // of kCannotCompare
  // The period whose payments and returns the statement should have.
  ReconcilePeriod period{};
  PeriodBy period_by = PeriodBy::kLedger;
  // Parts of the period between the statement's windows, which it does not cover. The oldest first.
  std::vector<StatementWindow> gaps{};

  bool is_in_gap(Timestamp moment) const;
  std::size_t count(Match match) const;
  std::size_t count(ReturnMatch match) const;
  // Payments and returns that are open, and gaps; probable matches do not count.
  std::size_t open() const;
  std::size_t probable() const;
};

// Returns why nothing could be compared, and what to do.
std::string reason_of(const Reconciliation& result);

struct ReconcileQuestion {
  domain::ProjectId project;
  Position as_of;
  ReconcilePeriod period{};
  TimeZone zone{};
  // Absent: live, or sandbox if all payments that both have are of the sandbox.
  std::optional<domain::Environment> environment{};
  std::size_t payments_max = SIZE_MAX;  // of the ledger
};

// Compares step by step. The log and the events outlive it.
class Reconciler {
 public:
  Reconciler(const eventstore::Log& log, ProjectEvents& events, ReconcileQuestion question,
             Statement statement);
  ~Reconciler();
  Reconciler(Reconciler&&) noexcept;

  // Reads a bounded part of the ledger, for some milliseconds. Returns false once nothing is left.
  bool look();
  Reconciliation take();

 private:
  class Ledger;
  std::unique_ptr<Ledger> ledger_;
};

// Writes the members of an answer into the open object: counts, and at most `items_max` items of each kind.
void write_reconciliation(Json& json, const Reconciliation& result, std::size_t items_max = SIZE_MAX);

}  // namespace pixledger::stores
