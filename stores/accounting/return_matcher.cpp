#include "stores/accounting/return_matcher.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text/ascii.h"

namespace pixledger::stores {
namespace {

// A return of the ledger.
struct KnownReturn {
  const LedgerPayment& payment;
  const LedgerReturn& back;
  bool is_payment_in_statement;
  bool is_used = false;
};

using StatementReturns = std::vector<const StatementReturn*>;
using KnownReturns = std::vector<KnownReturn*>;

// A refund that no bank moved names no payment, so its shares of the payments are only assumed.
bool is_share(const KnownReturn& known) {
  return known.payment.is_counted && !known.back.moved && !known.back.id.empty();
}

domain::Cents sum_of(const StatementReturns& lines) {
  domain::Cents sum;
  for (const auto* line : lines) sum = sum + line->amount;
  return sum;
}
domain::Cents sum_of(const KnownReturns& shares) {
  domain::Cents sum;
  for (const auto* share : shares) sum = sum + share->back.amount;
  return sum;
}

class ReturnMatcher {
 public:
  ReturnMatcher(const ReconcileQuestion& question, const Statement& statement,
                const std::vector<ReturnedPayment>& payments)
      : question_(question), statement_(statement) {
    for (const auto& [payment, is_in_statement] : payments) {
      const auto name_of_payment = in_small(payment.end_to_end_id.text());
      of_payment_[name_of_payment];
      if (payment.is_counted) charge_by_name_.emplace(name_of_payment, payment.charge->text());
      for (const auto& back : payment.returns) {
        of_payment_[name_of_payment].push_back(known_.size());
        for (const auto* name : {&back.return_id, &back.id})
          if (!name->empty()) by_name_[in_small(*name)].push_back(known_.size());
        if (back.at) by_day_[day_key(*back.at, back.amount)].push_back(known_.size());
        known_.push_back({payment, back, is_in_statement});
        if (is_share(known_.back())) {
          shares_[payment.charge->text()][back.id].push_back(known_.size() - 1);
          charge_by_name_.emplace(in_small(back.id), payment.charge->text());
        }
      }
    }
    for (auto& [charge, refunds] : shares_)
      for (auto& [id, shares] : refunds) {
        const auto& at = known_[shares.front()].back.at;
        if (at) whole_by_day_[day_key(*at, sum_of(unused(shares)))].push_back(&shares);
      }
  }

  void run(Reconciliation& result) {
    result.returns_of_ledger = static_cast<std::size_t>(std::count_if(
        known_.begin(), known_.end(), [this](const KnownReturn& known) { return is_of_period(known); }));
    result.returns_compared = statement_.has_returns != Statement::Returns::kNone;
    if (!result.returns_compared) return;
    // Returns with an id go first, so that one that is only alike does not take their place.
    StatementReturns left, nameless;
    for (const auto& back : statement_.returns)
      if (!add_named(back, result)) left.push_back(&back);
    add_by_sum(left, result);
    for (const auto* back : left)
      if (!add_different(*back, result)) nameless.push_back(back);
    for (const auto* back : nameless) add_alike(*back, result);
    for (const auto& known : known_) add_missing(known, result);
  }

 private:
  using Indices = std::vector<std::size_t>;

  std::string day_key(Timestamp moment, domain::Cents amount) const {
    return std::to_string(question_.zone.day_of(moment)) + " " + std::to_string(amount.value());
  }
  bool is_of_period(const KnownReturn& known) const {
    return known.back.at && question_.period.contains(*known.back.at);
  }
  bool is_of_payments() const { return statement_.has_returns == Statement::Returns::kOfPayments; }

  static ReconciledReturn item_of(const StatementReturn& back) {
    return {.end_to_end_id = back.of_payment,
            .id = back.id,
            .return_id = back.return_id,
            .line = back.line,
            .statement_amount = back.amount,
            .statement_at = back.at};
  }
  static void note(ReconciledReturn& item, const KnownReturn& known) {
    item.end_to_end_id = known.payment.end_to_end_id;
    item.charge = known.payment.charge;
    if (item.id.empty()) item.id = known.back.id;
    if (item.return_id.empty()) item.return_id = known.back.return_id;
    item.ledger_amount = known.back.amount;
    item.ledger_at = known.back.at;
    item.moved = known.back.moved;
  }

  void add_found(const StatementReturn& back, KnownReturn& known, ReturnMatch match, Reconciliation& result) {
    known.is_used = true;
    auto item = item_of(back);
    note(item, known);
    item.match = match;
    result.returns.push_back(std::move(item));
  }

  KnownReturns unused(const Indices& among) {
    KnownReturns returns;
    for (const auto index : among)
      if (!known_[index].is_used) returns.push_back(&known_[index]);
    return returns;
  }

  // Finds a return by its own id, the payments system's or the ledger's. Banks reuse short ids for each
  // payment: among several returns with the id, prefers one of that amount.
  KnownReturn* find_by_name(const std::string& name, const StatementReturn& back) {
    const auto found = by_name_.find(in_small(name));
    if (found == by_name_.end()) return nullptr;
    std::vector<KnownReturn*> free;
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

  // Finds the return that the statement names, by the first name that matches; null: none.
  KnownReturn* find_named(const StatementReturn& back) {
    if (!back.return_id.empty())
      if (auto* known = find_by_name(back.return_id, back)) return known;
    for (const auto& name : back.names)
      if (auto* known = find_by_name(name, back)) return known;
    if (!back.of_payment) return nullptr;
    const auto of = of_payment_.find(in_small(back.of_payment->text()));
    if (of == of_payment_.end()) return nullptr;
    const auto find = [&](auto fits) -> KnownReturn* {
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

  // Returns false if nothing matches exactly, or shares of a refund may match otherwise.
  bool add_named(const StatementReturn& back, Reconciliation& result) {
    auto* known = find_named(back);
    const bool differs = known && known->back.amount != back.amount;
    if (!known || (differs && is_share(*known))) return false;
    const bool is_awaited = !back.is_done || !known->back.is_done;
    add_found(back, *known,
              differs      ? ReturnMatch::kAmountDiffers
              : is_awaited ? ReturnMatch::kPending
                           : ReturnMatch::kMatched,
              result);
    return true;
  }

  // The charge whose refunds by hand the statement may mean; null: none.
  const std::string* charge_of(const StatementReturn& back) const {
    auto names = back.names;
    names.insert(names.end(), {back.id, back.return_id});
    if (back.of_payment) names.push_back(back.of_payment->text());
    for (const auto& name : names)
      if (const auto found = charge_by_name_.find(in_small(name)); found != charge_by_name_.end())
        return &found->second;
    return nullptr;
  }

  void add_shares(const StatementReturns& lines, const KnownReturns& shares, ReturnMatch match,
                  Reconciliation& result) {
    for (const auto* line : lines) {
      auto item = item_of(*line);
      note(item, *shares.front());
      if (line->of_payment) item.end_to_end_id = line->of_payment;
      item.ledger_amount = sum_of(shares);
      item.match = line->is_done ? match : ReturnMatch::kPending;
      result.returns.push_back(std::move(item));
    }
    for (auto* share : shares) share->is_used = true;
  }

  // Returns whether the lines sum up to one of the charge's refunds by hand, or to all of them.
  bool add_if_sum(const std::string& charge, const StatementReturns& lines, Reconciliation& result) {
    const auto sum = sum_of(lines);
    KnownReturns all;
    for (const auto& [id, indices] : shares_[charge]) {
      const auto shares = unused(indices);
      if (!shares.empty() && sum_of(shares) == sum) {
        add_shares(lines, shares, ReturnMatch::kMatched, result);
        return true;
      }
      all.insert(all.end(), shares.begin(), shares.end());
    }
    if (all.empty() || sum_of(all) != sum) return false;
    add_shares(lines, all, ReturnMatch::kMatched, result);
    return true;
  }

  // Matches lines about one charge with its refunds by hand: each alone, then the rest together. Removes them
  // from `left`.
  void add_by_sum(StatementReturns& left, Reconciliation& result) {
    std::map<std::string, StatementReturns> by_charge;
    StatementReturns others;
    for (const auto* back : left) {
      const auto* charge = charge_of(*back);
      (charge ? by_charge[*charge] : others).push_back(back);
    }
    left = std::move(others);
    for (auto& [charge, lines] : by_charge) {
      std::erase_if(lines, [&](const auto* line) { return add_if_sum(charge, {line}, result); });
      if (!add_if_sum(charge, lines, result)) left.insert(left.end(), lines.begin(), lines.end());
    }
  }

  // Returns false if it has to be matched by amount and day.
  bool add_different(const StatementReturn& back, Reconciliation& result) {
    if (auto* known = find_named(back)) {
      add_found(back, *known, ReturnMatch::kAmountDiffers, result);
      return true;
    }
    const bool knows_payment = back.of_payment && of_payment_.count(in_small(back.of_payment->text())) != 0;
    if (!knows_payment && !is_of_payments()) return false;
    auto item = item_of(back);
    item.match = ReturnMatch::kMissingInLedger;
    result.returns.push_back(std::move(item));
    return true;
  }

  void add_alike(const StatementReturn& back, Reconciliation& result) {
    if (!back.by_names_alone) {
      const auto key = day_key(back.at, back.amount);
      if (const auto free = unused(by_day_[key]); !free.empty())
        return add_found(back, *free.front(), ReturnMatch::kProbable, result);
      for (const auto* shares : whole_by_day_[key])
        if (const auto free = unused(*shares); free.size() == shares->size())
          return add_shares({&back}, free, ReturnMatch::kProbable, result);
    }
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
  void add_missing(const KnownReturn& known, Reconciliation& result) const {
    if (known.is_used) return;
    const auto& until = question_.period.until;
    const bool is_later = is_of_payments() && !question_.period.is_the_statements && until && known.back.at &&
                          *known.back.at >= *until;
    if (is_of_payments() ? !known.is_payment_in_statement || is_later
                         : !is_of_period(known) || result.is_in_gap(*known.back.at))
      return;
    ReconciledReturn item{.match =
                              known.back.is_done ? ReturnMatch::kMissingInStatement : ReturnMatch::kPending};
    note(item, known);
    result.returns.push_back(std::move(item));
  }

  const ReconcileQuestion& question_;
  const Statement& statement_;
  std::vector<KnownReturn> known_;
  // All payments, also those without returns.
  std::unordered_map<std::string, Indices> of_payment_;
  std::unordered_map<std::string, Indices> by_name_, by_day_;
  // Refunds by hand: the charge by names of its payments and refunds, each refund's shares, and the shares by
  // the day and amount of the whole refund.
  std::unordered_map<std::string, std::string> charge_by_name_;
  std::map<std::string, std::map<std::string, Indices>> shares_;
  std::unordered_map<std::string, std::vector<const Indices*>> whole_by_day_;
};

}  // namespace

void compare_returns_of(const std::vector<ReturnedPayment>& payments, const ReconcileQuestion& question,
                        const Statement& statement, Reconciliation& result) {
  ReturnMatcher(question, statement, payments).run(result);
}

}  // namespace pixledger::stores
