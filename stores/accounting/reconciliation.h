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

// An acquirer's or bank's statement against the payments and returns that the ledger has of a project.
namespace pixledger::stores {

enum class Match {
  kMatched,          // both have it, alike; nothing to do, also when it was accepted or returned later
  kProbable,         // the line names no payment; one of its amount and its day is in the ledger
  kMissingInLedger,  // the ledger has no such payment of this project, or it has it for another charge
  kMissingInStatement,
  kAmountDiffers,  // from the statement's, or (unsettled) from the charge's
  kLate,           // after the charge's expiry or end, and unsettled
  kDoubled,        // twice in the statement, or a second payment of its charge, and unsettled
  kUnmatched,      // the ledger has it as one that fits no charge, and it is not settled
  kUnidentified,   // a Pix of the statement that names no payment, and none has its amount and day
  kNotCompared,    // of the ledger, and the statement names none of its payments, or has nothing of its day
};
inline constexpr std::size_t kMatchCount = 10;
std::string_view to_string(Match match);  // "missingInLedger"
// Whether somebody has to do something about it, or look at least.
bool is_open(Match match);

enum class MatchedBy { kEndToEndId, kTxid, kAmountAndDay };
std::string_view to_string(MatchedBy by);  // "endToEndId"

struct Reconciled {
  Match match = Match::kMatched;
  std::optional<MatchedBy> by{};                      // where both have it
  std::optional<domain::EndToEndId> end_to_end_id{};  // the ledger's spelling, where it has it
  std::optional<std::size_t> line{};                  // of the statement
  std::optional<domain::Cents> statement_amount{};
  std::optional<Timestamp> statement_paid_at{};
  std::optional<domain::Cents> ledger_amount{};
  std::optional<Timestamp> ledger_paid_at{};
  std::optional<domain::ChargeId> charge{};
  std::optional<domain::Cents> charge_amount{};  // what that one asks for
  std::optional<domain::PaymentFlag> flag{};     // of one that is not applied to its charge
};

enum class ReturnMatch {
  kMatched,
  kProbable,  // by amount and day
  kPending,   // the ledger waits for the bank's word that it went
  kMissingInLedger,
  kMissingInStatement,
  kAmountDiffers,
  kUnidentified,  // the statement's, which names neither itself nor its payment
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
  std::optional<bool> moved{};  // of the ledger's: by a bank, or recorded as somebody's own doing
};

enum class ReconcileOutcome { kAgrees, kProbablyAgrees, kDiffers, kCannotCompare };
std::string_view to_string(ReconcileOutcome outcome);  // "cannotCompare"

// Which of the ledger's payments are missed where the statement does not have them: both ends are optional.
// An end that is not given is that which the statement says, if it says any.
struct ReconcilePeriod {
  std::optional<Timestamp> from{};
  std::optional<Timestamp> until{};  // the first moment that is not of it
  bool is_the_statements = false;  // where neither is given, and it says none: from its first day to its last

  bool contains(Timestamp moment) const { return (!from || *from <= moment) && (!until || moment < *until); }
};

// What the period was taken from.
enum class PeriodBy {
  kGiven,      // who asks names it
  kStatement,  // the statement says it
  kLines,      // it does not: from its first day to its last
  kLedger,     // nobody: all that the ledger has
};
std::string_view to_string(PeriodBy by);  // "given"

// Why nothing can be compared.
enum class NotComparable {
  kNoNames,      // the statement names none of its payments
  kTooMany,      // payments of the ledger: fewer days are to be compared
  kOutOfPeriod,  // no line of the statement lies in the period that was asked for
};
std::string_view to_string(NotComparable why);  // "noNames"

struct Reconciliation {
  domain::Environment environment = domain::Environment::kLive;
  Position as_of{};
  StatementFormat format = StatementFormat::kCsv;
  std::vector<Reconciled> items{};  // the statement's in its order, then the ledger's
  std::vector<ReconciledReturn> returns{};
  bool returns_compared = false;      // false: the statement has none
  std::size_t returns_of_ledger = 0;  // of the period
  std::size_t ignored = 0;
  bool counts_held = false;                             // see Statement
  std::vector<std::string> warnings{};                  // see Statement
  std::optional<std::int64_t> first_day{}, last_day{};  // of the statement
  ReconcileOutcome outcome = ReconcileOutcome::kAgrees;
  std::optional<NotComparable> why_not{};  // of kCannotCompare
  // Whose payments and returns are missed where the statement does not have them.
  ReconcilePeriod period{};
  PeriodBy period_by = PeriodBy::kLedger;
  // Of the period what lies between two windows of the statement, which so has nothing of it. The oldest
  // first.
  std::vector<StatementWindow> gaps{};

  bool is_in_gap(Timestamp moment) const;
  std::size_t count(Match match) const;
  std::size_t count(ReturnMatch match) const;
  // Payments and returns that are open, and gaps; probable matches do not count.
  std::size_t open() const;
  std::size_t probable() const;
};

// Why nothing could be compared, and what to do.
std::string reason_of(const Reconciliation& result);

struct ReconcileQuestion {
  domain::ProjectId project;
  Position as_of;
  ReconcilePeriod period{};
  TimeZone zone{};
  // Absent: live, but where every payment that both have is of the sandbox.
  std::optional<domain::Environment> environment{};
  std::size_t payments_max = SIZE_MAX;  // of the ledger
};

// Compares, a little at a time. The log and the events outlive it.
class Reconciler {
 public:
  Reconciler(const eventstore::Log& log, ProjectEvents& events, ReconcileQuestion question,
             Statement statement);
  ~Reconciler();
  Reconciler(Reconciler&&) noexcept;

  // Looks at a bounded part of the ledger, for some milliseconds. False once nothing is left.
  bool look();
  Reconciliation take();

 private:
  class Ledger;
  std::unique_ptr<Ledger> ledger_;
};

// The members of an answer, into the object that is open: counts, and at most so many items of each kind.
void write_reconciliation(Json& json, const Reconciliation& result, std::size_t items_max = SIZE_MAX);

}  // namespace pixledger::stores
