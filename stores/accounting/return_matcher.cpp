#include "stores/accounting/return_matcher.h"

#include <algorithm>
#include <unordered_map>

#include "base/text/ascii.h"
#include "stores/accounting/payment_index.h"

namespace pixledger::stores {
namespace {

struct Known {
  const LedgerPayment& payment;
  const LedgerReturn& back;
  bool is_payment_in_statement;
  bool is_used = false;
};

class Matcher {
 public:
  Matcher(const ReconcileQuestion& question, const Statement& statement,
          const std::vector<ReturnedPayment>& payments)
      : question_(question), statement_(statement) {
    for (const auto& [payment, is_in_statement] : payments) {
      of_payment_[in_small(payment.end_to_end_id.text())];
      for (const auto& back : payment.returns) {
        of_payment_[in_small(payment.end_to_end_id.text())].push_back(known_.size());
        for (const auto* name : {&back.return_id, &back.id})
          if (!name->empty()) by_name_[in_small(*name)].push_back(known_.size());
        if (back.at) by_day_[day_key(*back.at, back.amount)].push_back(known_.size());
        known_.push_back({payment, back, is_in_statement});
      }
    }
  }

  void run(Reconciliation& result) {
    result.returns_of_ledger = static_cast<std::size_t>(std::count_if(
        known_.begin(), known_.end(), [this](const Known& known) { return is_of_period(known); }));
    result.returns_compared = statement_.has_returns != Statement::Returns::kNone;
    if (!result.returns_compared) return;
    // Those that name what they are go first, so that none that only looks alike takes their place.
    std::vector<const StatementReturn*> nameless;
    for (const auto& back : statement_.returns)
      if (!add_named(back, result)) nameless.push_back(&back);
    for (const auto* back : nameless) add_alike(*back, result);
    for (const auto& known : known_) add_missing(known, result);
  }

 private:
  std::string day_key(Timestamp moment, domain::Cents amount) const {
    return std::to_string(question_.zone.day_of(moment)) + " " + std::to_string(amount.value());
  }
  bool is_of_period(const Known& known) const {
    return known.back.at && question_.period.contains(*known.back.at);
  }

  static ReconciledReturn item_of(const StatementReturn& back) {
    return {.end_to_end_id = back.of_payment,
            .id = back.id,
            .return_id = back.return_id,
            .line = back.line,
            .statement_amount = back.amount,
            .statement_at = back.at};
  }
  static void note(ReconciledReturn& item, const Known& known) {
    item.end_to_end_id = known.payment.end_to_end_id;
    item.charge = known.payment.charge;
    if (item.id.empty()) item.id = known.back.id;
    if (item.return_id.empty()) item.return_id = known.back.return_id;
    item.ledger_amount = known.back.amount;
    item.ledger_at = known.back.at;
    item.moved = known.back.moved;
  }

  void add_found(const StatementReturn& back, Known& known, ReturnMatch match, Reconciliation& result) {
    known.is_used = true;
    auto item = item_of(back);
    note(item, known);
    item.match = match;
    result.returns.push_back(std::move(item));
  }

  // By its own id, which is the payments system's or the ledger's. Banks give short ones anew for each
  // payment: of several returns that have it, it is the one of that amount, if any.
  Known* find_by_name(const std::string& name, const StatementReturn& back) {
    const auto found = by_name_.find(in_small(name));
    if (found == by_name_.end()) return nullptr;
    std::vector<Known*> free;
    for (const auto index : found->second) {
      auto& known = known_[index];
      const bool is_of_it = !back.of_payment ||
                            in_small(known.payment.end_to_end_id.text()) == in_small(back.of_payment->text());
      if (!known.is_used && is_of_it) free.push_back(&known);
    }
    for (auto* known : free)
      if (known->back.amount == back.amount) return known;
    return free.size() == 1 ? free.front() : nullptr;
  }

  // The return that the statement names, by the first of what it can be named by; null: none.
  Known* find_named(const StatementReturn& back) {
    if (!back.return_id.empty())
      if (auto* known = find_by_name(back.return_id, back)) return known;
    for (const auto& name : back.names)
      if (auto* known = find_by_name(name, back)) return known;
    if (!back.of_payment) return nullptr;
    const auto of = of_payment_.find(in_small(back.of_payment->text()));
    if (of == of_payment_.end()) return nullptr;
    const auto find = [&](auto fits) -> Known* {
      for (const auto index : of->second)
        if (!known_[index].is_used && fits(known_[index].back)) return &known_[index];
      return nullptr;
    };
    if (!back.id.empty()) {
      auto* of_id = find([&](const LedgerReturn& known) { return equal_without_case(known.id, back.id); });
      if (of_id) return of_id;
    }
    return find([&](const LedgerReturn& known) { return known.amount == back.amount; });
  }

  // False for what has to be looked for by amount and day.
  bool add_named(const StatementReturn& back, Reconciliation& result) {
    if (auto* known = find_named(back)) {
      const bool is_awaited = back.is_done && !known->back.is_done;
      add_found(back, *known,
                known->back.amount != back.amount ? ReturnMatch::kAmountDiffers
                : is_awaited                      ? ReturnMatch::kPending
                                                  : ReturnMatch::kMatched,
                result);
      return true;
    }
    const bool knows_payment = back.of_payment && of_payment_.count(in_small(back.of_payment->text())) != 0;
    const bool is_of_payments = statement_.has_returns == Statement::Returns::kOfPayments;
    if (!knows_payment && !is_of_payments) return false;
    auto item = item_of(back);
    item.match = ReturnMatch::kMissingInLedger;
    result.returns.push_back(std::move(item));
    return true;
  }

  void add_alike(const StatementReturn& back, Reconciliation& result) {
    const auto found = by_day_.find(day_key(back.at, back.amount));
    if (found != by_day_.end() && !back.by_names_alone)
      for (const auto index : found->second)
        if (!known_[index].is_used) return add_found(back, known_[index], ReturnMatch::kProbable, result);
    if (!back.names_return) {
      ++result.ignored;
      return;
    }
    auto item = item_of(back);
    const bool is_named = back.of_payment || !back.return_id.empty();
    item.match = is_named ? ReturnMatch::kMissingInLedger : ReturnMatch::kUnidentified;
    result.returns.push_back(std::move(item));
  }

  // A statement of payments has the returns of its own payments, whenever they were made.
  void add_missing(const Known& known, Reconciliation& result) const {
    if (known.is_used) return;
    const bool is_of_payments = statement_.has_returns == Statement::Returns::kOfPayments;
    const auto& until = question_.period.until;
    const bool is_later = is_of_payments && !question_.period.is_the_statements && until && known.back.at &&
                          *known.back.at >= *until;
    if (is_of_payments ? !known.is_payment_in_statement || is_later
                       : !is_of_period(known) || result.is_in_gap(*known.back.at))
      return;
    ReconciledReturn item{.match =
                              known.back.is_done ? ReturnMatch::kMissingInStatement : ReturnMatch::kPending};
    note(item, known);
    result.returns.push_back(std::move(item));
  }

  const ReconcileQuestion& question_;
  const Statement& statement_;
  std::vector<Known> known_;
  std::unordered_map<std::string, std::vector<std::size_t>>
      of_payment_;  // of every payment, those without, too
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_, by_day_;
};

}  // namespace

void match_returns(const ReconcileQuestion& question, const Statement& statement,
                   const std::vector<ReturnedPayment>& payments, Reconciliation& result) {
  Matcher(question, statement, payments).run(result);
}

}  // namespace pixledger::stores
