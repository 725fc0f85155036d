#include "stores/accounting/ledger_payments.h"

#include <algorithm>
#include <cstdlib>
#include <variant>

#include "base/text/ascii.h"
#include "domain/aggregates/charge.h"
#include "domain/pix/payment_ids.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/log_scan.h"

namespace pixledger::stores {
namespace {

using domain::Charge;

std::vector<LedgerReturn> returns_of(const std::vector<domain::ReversedPart>& parts) {
  std::vector<LedgerReturn> returns;
  for (const auto& part : parts)
    returns.push_back({.id = part.id.text(),
                       .return_id = part.return_id.text(),
                       .amount = part.amount,
                       .at = part.reversed_at});
  return returns;
}

// Banks may give one id to returns of two payments.
std::string key_of(const domain::RefundId& id, const std::optional<domain::EndToEndId>& added) {
  return id.text() + (added ? "/" + added->text() : "");
}

template <class Value>
std::optional<Value> find(const std::map<std::string, Value>& among, const std::string& name) {
  const auto found = among.find(name);
  return found == among.end() ? std::nullopt : std::optional(found->second);
}

LedgerReturn return_of(const domain::Refund& refund, domain::Cents amount, bool moved,
                       const ReturnFacts& facts) {
  return {.id = refund.id.text(),
          .return_id = find(facts.return_ids, key_of(refund.id, refund.payment)).value_or(""),
          .amount = amount,
          .at = refund.settled_at ? refund.settled_at : refund.requested_at,
          .is_done = refund.status == domain::RefundStatus::kDone,
          .moved = moved};
}

// A refund by hand names no payment: it belongs to those that counted_payments() takes it from.
void add_by_hand(std::vector<LedgerPayment>& payments, std::vector<domain::Cents>& shares,
                 const domain::Refund& refund, const ReturnFacts& facts) {
  auto rest = refund.amount;
  for (std::size_t i = 0; i < payments.size(); ++i) {
    const auto part = std::min(rest, shares[i]);
    if (part <= domain::Cents(0)) continue;
    payments[i].returns.push_back(return_of(refund, part, false, facts));
    shares[i] = shares[i] - part;
    rest = rest - part;
  }
}

std::vector<LedgerPayment> counted_of(const Charge& charge, const ReturnFacts& facts) {
  std::vector<LedgerPayment> payments;
  std::vector<domain::Cents> by_hand;
  for (const auto& counted : domain::counted_payments(charge)) {
    payments.push_back({.end_to_end_id = counted.payment.end_to_end_id,
                        .environment = charge.environment,
                        .charge = charge.id,
                        .charge_amount = charge.amount,
                        .amount = counted.payment.amount,
                        .paid_at = counted.payment.paid_at,
                        .is_counted = true});
    by_hand.push_back(counted.by_hand);
  }
  if (payments.empty()) return payments;
  for (const auto& refund : charge.refund_list) {
    if (refund.status == domain::RefundStatus::kFailed) continue;
    if (!charge.through_bank && refund.origin == domain::RefundOrigin::kMerchant) {
      add_by_hand(payments, by_hand, refund, facts);
      continue;
    }
    const auto& id = domain::payment_of(charge, refund.payment);
    for (auto& payment : payments)
      if (payment.end_to_end_id == id)
        payment.returns.push_back(return_of(refund, refund.amount, true, facts));
  }
  return payments;
}

// The part that the bank has not returned by itself goes, or went, as one return.
void add_rest(std::vector<LedgerReturn>& returns, const domain::Cents& amount,
              const std::optional<domain::RefundId>& id, const std::optional<Timestamp>& at, bool is_done) {
  auto rest = amount;
  for (const auto& part : returns) rest = rest - part.amount;
  if (rest <= domain::Cents(0)) return;
  returns.push_back({.id = id ? id->text() : std::string(),
                     .return_id = {},
                     .amount = rest,
                     .at = at,
                     .is_done = is_done,
                     .moved = id.has_value()});
}

LedgerPayment unapplied_of(const Charge& charge, const domain::UnappliedPayment& payment, bool is_returned,
                           const ReturnFacts& facts) {
  LedgerPayment of{.end_to_end_id = payment.end_to_end_id,
                   .environment = charge.environment,
                   .charge = charge.id,
                   .charge_amount = charge.amount,
                   .amount = payment.amount,
                   .paid_at = payment.paid_at};
  of.returns = returns_of(payment.reversed);
  if (!is_returned) of.unsettled = payment.flag;
  auto at = payment.returned_at;
  if (!at) at = find(facts.recorded_at, payment.end_to_end_id.text());
  if (is_returned || payment.return_id)
    add_rest(of.returns, payment.amount, payment.return_id, at, is_returned);
  return of;
}

constexpr std::size_t kEventsPerLook = 1'000;

}  // namespace

void ReturnFacts::add(const domain::ChargeEvent& event, Timestamp moment) {
  if (const auto* reversed = std::get_if<domain::PaymentReversed>(&event))
    return_ids[key_of(reversed->id, reversed->end_to_end_id)] = reversed->return_id.text();
  if (const auto* returned = std::get_if<domain::UnappliedPaymentReturned>(&event))
    recorded_at[returned->end_to_end_id.text()] = moment;
  if (const auto* asked = std::get_if<domain::UnappliedReturnRequested>(&event))
    recorded_at[asked->end_to_end_id.text()] = moment;
}

std::vector<LedgerPayment> payments_of(const Charge& charge, const ReturnFacts& facts) {
  auto payments = counted_of(charge, facts);
  for (const auto& payment : charge.unapplied)
    payments.push_back(unapplied_of(charge, payment, false, facts));
  for (const auto& payment : charge.returned) payments.push_back(unapplied_of(charge, payment, true, facts));
  return payments;
}

LedgerPayment payment_of(const domain::UnmatchedPayment& payment) {
  LedgerPayment of{.end_to_end_id = payment.end_to_end_id,
                   .environment = payment.environment,
                   .amount = payment.amount,
                   .paid_at = payment.paid_at,
                   .is_unmatched = domain::is_open(payment),
                   .txid = payment.txid ? payment.txid->text() : std::string(),
                   .returns = returns_of(payment.reversed)};
  const bool is_returned = payment.state == domain::UnmatchedState::kReturned;
  if (is_returned || payment.state == domain::UnmatchedState::kReturning)
    add_rest(of.returns, payment.amount, payment.return_id,
             payment.returned_at ? payment.returned_at : std::optional(payment.updated_at), is_returned);
  return of;
}

bool moves_money(const domain::ChargeEvent& event) {
  return std::holds_alternative<domain::ChargePaid>(event) ||
         std::holds_alternative<domain::PaymentLeftUnapplied>(event) ||
         std::holds_alternative<domain::ChargeRefunded>(event) ||
         std::holds_alternative<domain::RefundRequested>(event) ||
         std::holds_alternative<domain::RefundDone>(event) ||
         std::holds_alternative<domain::PaymentReversed>(event) ||
         std::holds_alternative<domain::UnappliedPaymentReturned>(event) ||
         std::holds_alternative<domain::UnappliedReturnRequested>(event) ||
         std::holds_alternative<domain::UnappliedPaymentReversed>(event);
}

std::string in_small(std::string_view text) {
  std::string small;
  for (const char c : text) small += to_ascii_lower(c);
  return small;
}

std::optional<domain::ChargeId> charge_of_txid(std::string_view text) {
  const auto txid = domain::Txid::parse(text);
  return txid ? domain::charge_named_by(*txid) : std::nullopt;
}

PaymentIndex::PaymentIndex(std::vector<LedgerPayment> payments, const TimeZone& zone)
    : payments_(std::move(payments)), is_used_(payments_.size()), zone_(zone) {
  for (std::size_t i = 0; i < payments_.size(); ++i) {
    const auto& payment = payments_[i];
    by_id_[in_small(payment.end_to_end_id.text())].push_back(i);
    if (payment.charge) by_name_[payment.charge->text()].push_back(i);
    if (!payment.txid.empty()) by_name_[in_small(payment.txid)].push_back(i);
    by_day_[{zone_.day_of(payment.paid_at), payment.amount}].push_back(i);
  }
}

std::optional<std::size_t> PaymentIndex::first_unused(const std::vector<std::size_t>& among) const {
  for (const auto index : among)
    if (!is_used_[index]) return index;
  return std::nullopt;
}

std::size_t PaymentIndex::find(const domain::EndToEndId& id) const {
  const auto found = by_id_.find(in_small(id.text()));
  if (found == by_id_.end()) return kNone;
  for (const auto index : found->second)
    if (payments_[index].end_to_end_id == id) return index;
  return first_unused(found->second).value_or(found->second.front());
}

std::size_t PaymentIndex::find_named(const std::string& txid, domain::Cents amount) const {
  const auto charge = charge_of_txid(txid);
  const auto found = by_name_.find(charge ? charge->text() : in_small(txid));
  if (found == by_name_.end()) return kNone;
  for (const auto index : found->second)
    if (!is_used_[index] && payments_[index].amount == amount) return index;
  return charge ? first_unused(found->second).value_or(found->second.front()) : kNone;
}

std::size_t PaymentIndex::find_alike(Timestamp moment, bool has_time, domain::Cents amount,
                                     domain::Environment environment) const {
  const auto found = by_day_.find({zone_.day_of(moment), amount});
  auto best = kNone;
  if (found == by_day_.end()) return best;
  const auto distance = [&](std::size_t index) {
    return has_time ? std::abs(payments_[index].paid_at.millis() - moment.millis()) : 0;
  };
  for (const auto index : found->second)
    if (!is_used_[index] && payments_[index].environment == environment &&
        (best == kNone || distance(index) < distance(best)))
      best = index;
  return best;
}

void LoggedProjectEvents::begin_at(Timestamp moment) {
  after_ = eventstore::position_at(log_, moment.plus_millis(-1));
}

bool LoggedProjectEvents::look(const Visit& visit) {
  const auto stored = log_.read_after(after_, kEventsPerLook);
  for (const auto& event : stored) {
    if (event.position > as_of_) return false;
    after_ = event.position;
    const auto decoded = eventstore::decode(event);
    if (decoded.project == project_) visit(decoded);
  }
  return !stored.empty();
}

}  // namespace pixledger::stores
