#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text/ascii.h"
#include "base/values/civil_date.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/state_reader.h"
#include "stores/accounting/ledger_payments.h"
#include "stores/accounting/reconciliation.h"
#include "stores/accounting/return_matcher.h"
#include "stores/accounting/statement_state.h"

namespace pixledger::stores {
namespace {

using domain::Charge;
using domain::ChargeId;
using domain::EndToEndId;
using domain::PaymentFlag;

// A fold takes some tens of microseconds.
constexpr std::size_t kFoldsPerLook = 100;
// A payment is recorded after it was made, except for differing clocks.
constexpr std::int64_t kEarlierMs = kDayMs + domain::kPaymentAheadMsMax;
// A return reaches an account at most some days after it was requested: weekends and holidays.
constexpr std::int64_t kReturnedEarlierMs = 7 * kDayMs;

// The compared period, and how the statement covers it.
struct ComparedPeriod {
  ReconcilePeriod period{};
  PeriodBy by = PeriodBy::kLedger;
  std::vector<StatementWindow> gaps{};  // parts of the period between the statement's windows
  bool has_any_line = true;  // false: the statement has lines or states its days, but none in the period
};

// Successive windows end and begin with the last and first second or minute of a day.
constexpr std::int64_t kHoleMs = 60'000;

// Sorts windows and merges adjacent ones.
std::vector<StatementWindow> merged(std::vector<StatementWindow> windows) {
  std::sort(windows.begin(), windows.end(),
            [](const StatementWindow& one, const StatementWindow& other) { return one.from < other.from; });
  std::vector<StatementWindow> all;
  for (const auto& window : windows) {
    if (all.empty() || window.from > all.back().until.plus_millis(kHoleMs))
      all.push_back(window);
    else
      all.back().until = std::max(all.back().until, window.until);
  }
  return all;
}

// Takes missing ends from the windows.
void complete(ReconcilePeriod& period, const std::vector<StatementWindow>& windows) {
  if (windows.empty()) return;
  const auto &first = windows.front().from, &last = windows.back().until;
  if (!period.from) period.from = period.until ? std::min(first, *period.until) : first;
  if (!period.until) period.until = std::max(last, *period.from);
}

// Returns whether the statement has a line in the period, or states that it covers a part of it. A statement
// without lines may cover it.
bool has_any_of(const ReconcilePeriod& period, const Statement& statement,
                const std::vector<StatementWindow>& windows) {
  const auto overlaps = [&](const StatementWindow& window) {
    return (!period.from || window.until > *period.from) && (!period.until || window.from < *period.until);
  };
  if (std::any_of(windows.begin(), windows.end(), overlaps)) return true;
  const bool has_returns = statement.has_returns == Statement::Returns::kOfDays;
  if (statement.lines.empty() && (!has_returns || statement.returns.empty())) return windows.empty();
  const auto is_in = [&](const auto& entries, auto moment_of) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const auto& entry) { return period.contains(moment_of(entry)); });
  };
  return is_in(statement.lines, [](const StatementLine& line) { return line.paid_at; }) ||
         (has_returns && is_in(statement.returns, [](const StatementReturn& back) { return back.at; }));
}

std::vector<StatementWindow> gaps_of(const ReconcilePeriod& period,
                                     const std::vector<StatementWindow>& windows) {
  std::vector<StatementWindow> gaps;
  for (std::size_t i = 1; i < windows.size(); ++i) {
    const StatementWindow gap{std::max(windows[i - 1].until, *period.from),
                              std::min(windows[i].from, *period.until)};
    if (gap.from < gap.until) gaps.push_back(gap);
  }
  return gaps;
}

// The days are those of the statement's lines; absent if it has none.
ComparedPeriod compared_period(const ReconcileQuestion& question, const Statement& statement,
                               std::optional<std::int64_t> first_day, std::optional<std::int64_t> last_day) {
  const auto windows = merged(statement.windows);
  ComparedPeriod compared{.period = question.period};
  auto& period = compared.period;
  const bool is_given = period.from || period.until;
  complete(period, windows);
  if (is_given) {
    compared.by = PeriodBy::kGiven;
    compared.has_any_line = has_any_of(period, statement, windows);
  } else if (!windows.empty() || (period.is_the_statements && first_day)) {
    compared.by = windows.empty() ? PeriodBy::kLines : PeriodBy::kStatement;
    // Its lines belong to the period, whatever it states.
    if (first_day) {
      const auto first = question.zone.begin_of(*first_day), last = question.zone.begin_of(*last_day + 1);
      period.from = std::min(first, period.from.value_or(first));
      period.until = std::max(last, period.until.value_or(last));
    }
  }
  compared.gaps = gaps_of(period, windows);
  return compared;
}

// Returns whether the statement names another charge than this one.
bool is_of_another(const std::string& txid, const ChargeId& charge) {
  return !txid.empty() && !equal_without_case(txid, charge.text()) && charge_of_txid(txid) != charge;
}

Match match_of_flag(PaymentFlag flag) {
  switch (flag) {
    case PaymentFlag::kPaidAfterExpiry:
    case PaymentFlag::kPaidAfterClose:
      return Match::kLate;
    case PaymentFlag::kDuplicatePayment:
      return Match::kDoubled;
    case PaymentFlag::kAmountMismatch:
      return Match::kAmountDiffers;
  }
  return Match::kAmountDiffers;
}

// The match of a payment that both have with the same amount.
Match match_of(const LedgerPayment& known) {
  if (known.is_unmatched) return Match::kUnmatched;
  return known.unsettled ? match_of_flag(*known.unsettled) : Match::kMatched;
}

void note(Reconciled& item, const LedgerPayment& known) {
  item.end_to_end_id = known.end_to_end_id;
  item.ledger_amount = known.amount;
  item.ledger_paid_at = known.paid_at;
  item.charge = known.charge;
  item.charge_amount = known.charge_amount;
  item.flag = known.unsettled;
}

// The comparison, once all of the ledger is known.
class Comparison {
 public:
  Comparison(const ReconcileQuestion& question, const Statement& statement,
             std::vector<LedgerPayment> payments)
      : question_(question), statement_(statement), index_(std::move(payments), question_.zone) {}

  void run(Reconciliation& result) {
    result.environment = question_.environment.value_or(environment_of_shared());
    environment_ = result.environment;
    result.items.resize(statement_.lines.size());
    for (std::size_t i = 0; i < statement_.lines.size(); ++i)
      if (!add_named(statement_.lines[i], result.items[i])) nameless_.push_back(i);
    add_probable(result);
    add_missing(result);
    drop_other_credits(result);
    compare_returns(result);
    if (names_none() && (result.count(Match::kUnidentified) > 0 || result.count(Match::kNotCompared) > 0))
      result.why_not = result.why_not.value_or(NotComparable::kNoNames);
    if (result.why_not)
      result.outcome = ReconcileOutcome::kCannotCompare;
    else if (result.open() > 0)
      result.outcome = ReconcileOutcome::kDiffers;
    else if (result.probable() > 0)
      result.outcome = ReconcileOutcome::kProbablyAgrees;
  }

 private:
  // Money moves only in live, so that is compared, unless all shared payments are of the sandbox.
  domain::Environment environment_of_shared() const {
    bool any = false;
    for (const auto& line : statement_.lines) {
      const auto known = find(line);
      if (known == PaymentIndex::kNone) continue;
      if (index_.at(known).environment == domain::Environment::kLive) return domain::Environment::kLive;
      any = true;
    }
    return any ? domain::Environment::kSandbox : domain::Environment::kLive;
  }

  std::size_t find(const StatementLine& line) const {
    if (line.end_to_end_id) return index_.find(*line.end_to_end_id);
    return line.txid.empty() ? PaymentIndex::kNone : index_.find_named(line.txid, line.amount);
  }

  bool names_none() const { return named_ == 0 && probable_ == 0 && !nameless_.empty(); }

  // Returns false if the line names no payment.
  bool add_named(const StatementLine& line, Reconciled& item) {
    item.line = line.line;
    item.statement_amount = line.amount;
    item.statement_paid_at = line.paid_at;
    item.end_to_end_id = line.end_to_end_id;
    auto known = find(line);
    if (known != PaymentIndex::kNone && question_.environment &&
        index_.at(known).environment != *question_.environment)
      known = PaymentIndex::kNone;
    const auto charge = charge_of_txid(line.txid);
    if (!line.end_to_end_id && !charge && known == PaymentIndex::kNone) return false;
    ++named_;
    if (known == PaymentIndex::kNone) {
      const bool is_first = !line.end_to_end_id || unknown_.insert(line.end_to_end_id->text()).second;
      item.match = is_first ? Match::kMissingInLedger : Match::kDoubled;
      item.charge = charge;
      return true;
    }
    const auto& payment = index_.at(known);
    const bool is_first = !index_.is_used(known);
    index_.use(known);
    item.by = line.end_to_end_id ? MatchedBy::kEndToEndId : MatchedBy::kTxid;
    note(item, payment);
    if (!is_first)
      item.match = Match::kDoubled;
    else if (payment.charge && !payment.was_assigned && line.end_to_end_id &&
             is_of_another(line.txid, *payment.charge))
      item.match = Match::kMissingInLedger;
    else
      item.match = line.amount == payment.amount ? match_of(payment) : Match::kAmountDiffers;
    return true;
  }

  void add_probable(Reconciliation& result) {
    for (const auto i : nameless_) {
      const auto& line = statement_.lines[i];
      auto& item = result.items[i];
      const auto known = index_.find_alike(line.paid_at, line.has_time, line.amount, environment_);
      if (known == PaymentIndex::kNone) {
        item.match = Match::kUnidentified;
        continue;
      }
      index_.use(known);
      note(item, index_.at(known));
      item.by = MatchedBy::kAmountAndDay;
      item.match = match_of(index_.at(known));
      if (item.match == Match::kMatched) item.match = Match::kProbable;
      ++probable_;
    }
  }

  void add_missing(Reconciliation& result) {
    for (std::size_t i = 0; i < index_.size(); ++i) {
      const auto& payment = index_.at(i);
      if (index_.is_used(i) || payment.environment != environment_ ||
          !question_.period.contains(payment.paid_at))
        continue;
      const bool is_known = !names_none() && !result.why_not && !result.is_in_gap(payment.paid_at);
      Reconciled item{.match = is_known ? Match::kMissingInStatement : Match::kNotCompared};
      note(item, payment);
      result.items.push_back(std::move(item));
    }
  }

  // Removes credits that do not state Pix and are not in the ledger.
  void drop_other_credits(Reconciliation& result) const {
    auto ignored = statement_.ignored_credits;
    std::size_t i = 0;
    const auto is_other = [&](const Reconciled& item) {
      const auto at = i++;
      return at < statement_.lines.size() && item.match == Match::kUnidentified &&
             !statement_.lines[at].names_pix;
    };
    const auto before = result.items.size();
    std::vector<Reconciled> kept;
    for (auto& item : result.items) {
      const auto at = i;
      if (!is_other(item))
        kept.push_back(std::move(item));
      else if (statement_.lines[at].came)
        ignored.push_back({statement_.lines[at].line, statement_.lines[at].amount});
    }
    result.ignored += before - kept.size();
    result.items = std::move(kept);
    if (!ignored.empty()) result.warnings.push_back(warning_of(std::move(ignored)));
  }
  // One for all of them, so that no list of the banks' words has to be complete.
  static std::string warning_of(std::vector<IgnoredCredit> credits) {
    std::sort(credits.begin(), credits.end(),
              [](const IgnoredCredit& one, const IgnoredCredit& other) { return one.line < other.line; });
    DoubtfulLines lines;
    domain::Cents sum;
    for (const auto& credit : credits) {
      lines.add(credit.line);
      sum = sum + credit.amount;
    }
    const auto count = std::to_string(credits.size()) + (credits.size() == 1 ? " credit" : " credits");
    return "the statement's line " + std::to_string(lines.first()) +
           ": its money came in, and it is ignored by its words" + lines.others() + ": " + count + " of " +
           domain::to_reais(sum) + " in all";
  }

  void compare_returns(Reconciliation& result) const {
    if (result.why_not) return;
    std::vector<ReturnedPayment> payments;
    for (std::size_t i = 0; i < index_.size(); ++i)
      if (index_.at(i).environment == environment_) payments.push_back({index_.at(i), index_.is_used(i)});
    compare_returns_of(payments, question_, statement_, result);
  }

  const ReconcileQuestion& question_;
  const Statement& statement_;
  PaymentIndex index_;
  domain::Environment environment_ = domain::Environment::kLive;
  std::size_t named_ = 0, probable_ = 0;
  std::vector<std::size_t> nameless_;
  std::set<std::string> unknown_;  // ids of the statement that the ledger does not have
};

}  // namespace

// Reads the ledger: first what the statement names, then what was recorded since it begins, then unmatched
// payments.
class Reconciler::Ledger {
 public:
  Ledger(const eventstore::Log& log, ProjectEvents& events, ReconcileQuestion question, Statement statement)
      : log_(log), events_(events), question_(std::move(question)), statement_(std::move(statement)) {
    set_days();
    set_period();
    if (const auto begin = begin_of_scan()) events_.begin_at(*begin);
    for (const auto& [claim, stream] :
         log_.claims_with_prefix(domain::unmatched_claim_prefix(question_.project)))
      payments_due_.push_back(stream);
  }

  bool look() {
    if (result_.why_not == NotComparable::kTooMany) return false;
    if (named_ < statement_.lines.size() + statement_.returns.size()) {
      look_named();
    } else if (has_events_) {
      has_events_ = events_.look([this](const domain::RecordedEvent& event) { look_at(event); });
      if (charges_.size() > question_.payments_max) result_.why_not = NotComparable::kTooMany;
    } else if (!payments_due_.empty()) {
      fold_payments();
    } else if (!charges_.empty()) {
      fold_charges();
    } else {
      return false;
    }
    return true;
  }

  Reconciliation take() {
    result_.as_of = question_.as_of;
    result_.format = statement_.format;
    result_.ignored = statement_.ignored;
    result_.counts_held = statement_.counts_held;
    result_.warnings = statement_.warnings;
    if (result_.why_not == NotComparable::kTooMany) {
      result_.environment = question_.environment.value_or(domain::Environment::kLive);
      result_.outcome = ReconcileOutcome::kCannotCompare;
      return std::move(result_);
    }
    for (auto& payment : payments_)
      payment.was_assigned = unmatched_.count(payment.end_to_end_id.text()) != 0;
    Comparison(question_, statement_, std::move(payments_)).run(result_);
    return std::move(result_);
  }

 private:
  void set_days() {
    const auto add = [this](Timestamp moment) {
      const auto day = question_.zone.day_of(moment);
      result_.first_day = std::min(day, result_.first_day.value_or(day));
      result_.last_day = std::max(day, result_.last_day.value_or(day));
    };
    for (const auto& line : statement_.lines) add(line.paid_at);
    if (statement_.has_returns == Statement::Returns::kOfDays)
      for (const auto& back : statement_.returns) add(back.at);
  }

  void set_period() {
    auto compared = compared_period(question_, statement_, result_.first_day, result_.last_day);
    if (!compared.has_any_line) result_.why_not = NotComparable::kOutOfPeriod;
    result_.period = question_.period = compared.period;
    result_.period_by = compared.by;
    result_.gaps = std::move(compared.gaps);
  }

  // Absent: all of the ledger.
  std::optional<Timestamp> begin_of_scan() const {
    if (!question_.period.from) return std::nullopt;
    auto begin = *question_.period.from;
    if (result_.first_day) begin = std::min(begin, Timestamp(*result_.first_day * kDayMs));
    const bool has_returns =
        statement_.has_returns == Statement::Returns::kOfDays && !statement_.returns.empty();
    return begin.plus_millis(has_returns ? -kReturnedEarlierMs : -kEarlierMs);
  }

  void look_named() {
    for (std::size_t i = 0; i < kFoldsPerLook && named_ < statement_.lines.size() + statement_.returns.size();
         ++i) {
      if (named_ < statement_.lines.size()) {
        const auto& line = statement_.lines[named_];
        if (line.end_to_end_id) look_for(*line.end_to_end_id);
        if (const auto charge = charge_of_txid(line.txid)) charges_.insert(domain::charge_stream(*charge));
      } else {
        const auto& back = statement_.returns[named_ - statement_.lines.size()];
        if (back.of_payment) look_for(*back.of_payment);
        if (const auto id = domain::ReturnId::parse(back.return_id))
          if (const auto stream = log_.claim_holder(domain::return_claim(*id))) charges_.insert(*stream);
      }
      ++named_;
    }
  }

  void look_for(const EndToEndId& id) {
    if (const auto stream = log_.claim_holder(domain::end_to_end_claim(id))) charges_.insert(*stream);
  }

  void look_at(const domain::RecordedEvent& event) {
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    if (of_charge && moves_money(*of_charge)) charges_.insert(event.stream);
  }

  void fold_payments() {
    for (std::size_t i = 0; i < kFoldsPerLook && !payments_due_.empty(); ++i) {
      const auto payment =
          eventstore::fold_as<domain::UnmatchedPayment>(log_, payments_due_.back(), question_.as_of);
      payments_due_.pop_back();
      if (!payment || payment->project != question_.project) continue;
      unmatched_.insert(payment->end_to_end_id.text());
      // Assigned payments are among their charge's.
      if (payment->state != domain::UnmatchedState::kAssigned) payments_.push_back(payment_of(*payment));
    }
  }

  void fold_charges() {
    for (std::size_t i = 0; i < kFoldsPerLook && !charges_.empty(); ++i) {
      const auto stream = *charges_.begin();
      charges_.erase(charges_.begin());
      const auto charge = eventstore::fold_as<Charge>(log_, stream, question_.as_of);
      if (!charge || charge->project != question_.project) continue;
      for (auto& payment : payments_of(*charge, facts_of(*charge, stream)))
        payments_.push_back(std::move(payment));
    }
  }

  // Most charges need no facts.
  ReturnFacts facts_of(const Charge& charge, const domain::StreamName& stream) const {
    ReturnFacts facts;
    if (charge.refund_list.empty() && charge.unapplied.empty() && charge.returned.empty()) return facts;
    for (const auto& stored : eventstore::StreamEvents(log_, stream, 0, question_.as_of)) {
      const auto event = eventstore::decode(stored);
      facts.add(std::get<domain::ChargeEvent>(event.event), event.recorded_at);
    }
    return facts;
  }

  const eventstore::Log& log_;
  ProjectEvents& events_;
  ReconcileQuestion question_;
  const Statement statement_;
  Reconciliation result_;
  std::size_t named_ = 0;  // lines and returns that were looked for
  bool has_events_ = true;
  std::vector<domain::StreamName> payments_due_;
  std::set<domain::StreamName> charges_;  // to be folded; ids increase in the order of creation
  std::vector<LedgerPayment> payments_;
  std::set<std::string> unmatched_;  // end-to-end ids that were unmatched at first
};

Reconciler::Reconciler(const eventstore::Log& log, ProjectEvents& events, ReconcileQuestion question,
                       Statement statement)
    : ledger_(std::make_unique<Ledger>(log, events, std::move(question), std::move(statement))) {}
Reconciler::~Reconciler() = default;
Reconciler::Reconciler(Reconciler&&) noexcept = default;

bool Reconciler::look() { return ledger_->look(); }
Reconciliation Reconciler::take() { return ledger_->take(); }

}  // namespace pixledger::stores
