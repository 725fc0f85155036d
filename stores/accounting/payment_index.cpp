#include "stores/accounting/payment_index.h"

#include <cstdlib>

#include "base/text/ascii.h"
#include "domain/pix/charge_txid.h"

namespace pixledger::stores {

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

}  // namespace pixledger::stores
