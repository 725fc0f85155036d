// Returns of a payment, by the ids of its devoluções. The bank shows all of them with the payment.
#include "workers/banks/payment_returns.h"

#include <algorithm>
#include <map>

#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "domain/aggregates/charge.h"
#include "domain/decisions/rejection.h"

namespace pixledger::workers {
namespace {

using domain::Cents;
using domain::RefundId;
using domain::RefundStatus;

// Banks may change the case of ids.
bool is_same(const RefundId& id, std::string_view written) { return equal_without_case(id.text(), written); }

// Finds a refund of that payment: banks may give one id to returns of two payments.
const domain::Refund* find_refund(const domain::Charge& charge, const domain::EndToEndId& payment,
                                  std::string_view id, RefundStatus status) {
  const auto found =
      std::find_if(charge.refund_list.begin(), charge.refund_list.end(), [&](const auto& refund) {
        return refund.status == status && is_same(refund.id, id) &&
               domain::payment_of(charge, refund.payment) == payment;
      });
  return found == charge.refund_list.end() ? nullptr : &*found;
}

std::string in_lower_case(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += to_ascii_lower(c);
  return lower;
}

// Returns the payments system's id of a return. If the bank leaves it out, derives one from the ids of
// payment and devolução, which is as unique.
domain::ReturnId return_id_of(const domain::EndToEndId& payment, const BankRefund& back) {
  if (back.rtr_id)
    if (auto given = domain::ReturnId::parse(*back.rtr_id)) return *std::move(given);
  constexpr std::size_t kSize = 32;
  const auto digest = sha256({payment.text(), "/", in_lower_case(back.id)});
  return *domain::ReturnId::parse(to_hex(digest).substr(0, kSize));
}

bool is_special(BankRefundNature nature) {
  return nature == BankRefundNature::kMedOperational || nature == BankRefundNature::kMedFraud ||
         nature == BankRefundNature::kMedAutomatic;
}

}  // namespace

std::optional<Recorded> recorded_in(const domain::Charge& charge, const domain::EndToEndId& id) {
  if (const auto counted = domain::counted_payment(charge, id))
    return Recorded{counted->payment.amount, counted->payment.paid_at};
  for (const auto* list : {&charge.unapplied, &charge.returned})
    for (const auto& payment : *list)
      if (payment.end_to_end_id == id) return Recorded{payment.amount, payment.paid_at};
  return std::nullopt;
}

struct PaymentReturns::Shown {
  const ResolvedBank& bank;
  const BankPayment& payment;
};

// What the bank's returns mean for a payment that paid nothing.
struct PaymentReturns::Aside {
  std::vector<BankRefund> reversed{};  // by the bank itself, not reported yet
  // Why the requested return will not come.
  std::optional<std::string_view> why_not{};
  std::optional<Timestamp> returned_at{};  // when the requested one went back
};

bool PaymentReturns::is_news(const Shown& shown, std::string_view kind, std::string_view id) const {
  const auto& connection = shown.bank.connection.id;
  const auto& payment = shown.payment.end_to_end_id.text();
  if (!parts_.meters.report_discrepancy(connection, kind, payment + "/" + in_lower_case(id))) return false;
  parts_.database.note_misfit({.connection = connection.text(),
                               .kind = std::string(kind),
                               .payments = 1,
                               .at = parts_.clock.now(),
                               .detail = payment + ": " + std::string(id)});
  return true;
}

// Returns each id once; of two with one id, the one that went back.
std::vector<BankRefund> PaymentReturns::distinct(const Shown& shown) const {
  const auto& connection = shown.bank.connection.id.text();
  const auto& payment = shown.payment.end_to_end_id.text();
  for (const auto& reason : shown.payment.unusable_refunds)
    if (is_news(shown, "unreadable_return", reason))
      parts_.logger.error("a return at the bank cannot be read",
                          {{"connection", connection}, {"endToEndId", payment}, {"fault", reason}});
  std::vector<BankRefund> returns;
  std::map<std::string, std::size_t> places;
  for (const auto& back : shown.payment.refunds) {
    const auto [place, is_new] = places.emplace(in_lower_case(back.id), returns.size());
    if (is_new) {
      returns.push_back(back);
      continue;
    }
    if (is_news(shown, "double_return", back.id))
      parts_.logger.error("a bank shows two returns under one id, which count as one",
                          {{"connection", connection}, {"endToEndId", payment}, {"refund", back.id}});
    auto& known = returns[place->second];
    if (known.status != BankRefundStatus::kReturned && back.status == BankRefundStatus::kReturned)
      known = back;
  }
  return returns;
}

Told PaymentReturns::submit(const Shown& shown, std::string_view id, domain::Command command) const {
  const auto outcome = parts_.ledger.submit(std::move(command));
  if (!outcome) return Told::kNotNow;
  if (outcome->done()) return Told::kYes;
  const auto why = *outcome->rejection;
  // A person may have settled it meanwhile; the next read reports it accordingly.
  const bool is_expected = why == domain::Rejection::kPaymentInFuture ||
                           why == domain::Rejection::kUnmatchedPaymentSettled ||
                           why == domain::Rejection::kPaymentNotFound;
  if (!is_expected && is_news(shown, "refused_return", id))
    parts_.logger.error("the ledger does not take what went back at a bank",
                        {{"connection", shown.bank.connection.id.text()},
                         {"endToEndId", shown.payment.end_to_end_id.text()},
                         {"refund", id},
                         {"reason", domain::row_of(why).told_operator}});
  return Told::kLater;
}

// Logs the same words as the agent, which requests returns.
Told PaymentReturns::submit_failure(const Shown& shown, std::string_view why, domain::Command command) const {
  const auto told = submit(shown, "", std::move(command));
  if (told == Told::kYes)
    parts_.logger.error("a bank did not do what it was asked",
                        {{"connection", shown.bank.connection.id.text()},
                         {"endToEndId", shown.payment.end_to_end_id.text()},
                         {"fault", why}});
  return told;
}

// --- money that lies aside ---

PaymentReturns::Aside PaymentReturns::aside(const Shown& shown, const std::optional<RefundId>& asked,
                                            const std::vector<domain::ReversedPart>& known) const {
  const auto is_known = [&](const BankRefund& back) {
    return std::any_of(known.begin(), known.end(),
                       [&](const auto& part) { return is_same(part.id, back.id); });
  };
  Aside aside;
  for (auto& back : distinct(shown)) {
    const bool is_asked = asked && is_same(*asked, back.id);
    if (is_asked && back.status == BankRefundStatus::kNotDone) aside.why_not = back.why_not;
    if (back.status != BankRefundStatus::kReturned) continue;
    if (is_asked)
      aside.returned_at = settled_at(back);
    else if (!is_known(back))
      aside.reversed.push_back(std::move(back));
  }
  return aside;
}

Timestamp PaymentReturns::settled_at(const BankRefund& back) const {
  return back.settled_at.value_or(parts_.clock.now());
}

Told PaymentReturns::report(const ResolvedBank& bank, const domain::UnmatchedPayment& unmatched,
                            const BankPayment& payment) const {
  const Shown shown{bank, payment};
  const auto& id = unmatched.end_to_end_id;
  const bool is_returning = unmatched.state == domain::UnmatchedState::kReturning;
  const auto asked = is_returning ? unmatched.return_id : std::nullopt;
  const auto there = aside(shown, asked, unmatched.reversed);
  auto told = Told::kYes;
  for (const auto& back : there.reversed)
    told = worse(told,
                 submit(shown, back.id,
                        domain::ReportUnmatchedReversal{id, *RefundId::parse(back.id), return_id_of(id, back),
                                                        back.amount, settled_at(back)}));
  if (there.why_not)
    told = worse(told,
                 submit_failure(shown, *there.why_not,
                                domain::FailPaymentReturn{id, *asked, domain::Label::parse(*there.why_not)}));
  if (there.returned_at)
    told = worse(told,
                 submit(shown, asked->text(), domain::SettlePaymentReturn{id, *asked, *there.returned_at}));
  return told;
}

Told PaymentReturns::report_unapplied(const Shown& shown, const domain::ChargeId& charge,
                                      const domain::UnappliedPayment& unapplied) const {
  const auto& id = unapplied.end_to_end_id;
  const auto& asked = unapplied.return_id;
  const auto there = aside(shown, asked, unapplied.reversed);
  auto told = Told::kYes;
  for (const auto& back : there.reversed)
    told = worse(
        told, submit(shown, back.id,
                     domain::ReportUnappliedReversal{charge, id, *RefundId::parse(back.id),
                                                     return_id_of(id, back), back.amount, settled_at(back)}));
  if (there.why_not)
    told = worse(told, submit_failure(shown, *there.why_not,
                                      domain::FailUnappliedReturn{charge, id, *asked,
                                                                  domain::Label::parse(*there.why_not)}));
  if (there.returned_at)
    told = worse(told, submit(shown, asked->text(),
                              domain::SettleUnappliedReturn{charge, id, *asked, *there.returned_at}));
  return told;
}

// --- what paid a charge ---

Told PaymentReturns::report(const ResolvedBank& bank, const domain::Charge& charge,
                            const BankPayment& payment) const {
  const Shown shown{bank, payment};
  for (const auto* list : {&charge.unapplied, &charge.returned})
    for (const auto& unapplied : *list)
      if (unapplied.end_to_end_id == payment.end_to_end_id)
        return report_unapplied(shown, charge.id, unapplied);
  if (!domain::counted_payment(charge, payment.end_to_end_id)) return Told::kYes;
  Cents by_hand(0);  // names no payment: it may be of any that counts
  for (const auto& counted : domain::counted_payments(charge)) by_hand = by_hand + counted.by_hand;
  return report_refunds(shown, charge, by_hand);
}

Told PaymentReturns::report_refunds(const Shown& shown, const domain::Charge& charge, Cents by_hand) const {
  const auto& payment = shown.payment.end_to_end_id;
  auto told = Told::kYes;
  for (const auto& back : distinct(shown)) {
    const bool is_known = find_refund(charge, payment, back.id, RefundStatus::kDone) ||
                          find_refund(charge, payment, back.id, RefundStatus::kPending);
    const bool is_by_hand = !is_known && back.status == BankRefundStatus::kReturned &&
                            !is_special(back.nature) && back.amount <= by_hand;
    if (is_by_hand)
      by_hand = by_hand - back.amount;
    else
      told = worse(told, report_refund(shown, charge, back));
    if (told == Told::kNotNow) return told;
  }
  return told;
}

Told PaymentReturns::report_refund(const Shown& shown, const domain::Charge& charge,
                                   const BankRefund& back) const {
  const auto& payment = shown.payment.end_to_end_id;
  if (find_refund(charge, payment, back.id, RefundStatus::kDone)) return Told::kYes;
  if (const auto* ours = find_refund(charge, payment, back.id, RefundStatus::kPending)) {
    switch (back.status) {
      case BankRefundStatus::kReturned:
        return submit(shown, back.id, domain::SettleRefund{charge.id, ours->id, settled_at(back)});
      case BankRefundStatus::kNotDone:
        return submit_failure(shown, back.why_not, domain::FailRefund{charge.id, ours->id});
      case BankRefundStatus::kProcessing:
        return Told::kYes;
    }
  }
  if (back.status != BankRefundStatus::kReturned) return Told::kYes;
  if (find_refund(charge, payment, back.id, RefundStatus::kFailed) &&
      is_news(shown, "return_after_failure", back.id))
    parts_.logger.error("money went back for a refund that had failed",
                        {{"transaction", charge.id.text()}, {"refund", back.id}});
  return submit(shown, back.id,
                domain::ReportReversal{.project = charge.project,
                                       .charge = charge.id,
                                       .id = *RefundId::parse(back.id),
                                       .return_id = return_id_of(payment, back),
                                       .amount = back.amount,
                                       .reversed_at = settled_at(back),
                                       .end_to_end_id = payment});
}

}  // namespace pixledger::workers
