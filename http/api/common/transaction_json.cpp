#include "http/api/common/transaction_json.h"

#include <cstddef>

#include "base/platform/sha256.h"
#include "projections/views/charge_sums.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kDigits = 24;  // after the leading c: 124 bits of the digest
constexpr std::string_view kAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

}  // namespace

void write_references(Json& json, const domain::Charge& charge) {
  json.field("externalId", charge.external_id ? charge.external_id->text() : charge.id.text());
  json.key("transactionCode");
  charge.payment ? json.value(charge.payment->end_to_end_id) : json.null();
}

void write_purchase(Json& json, const domain::Charge& charge) {
  json.field("amountCents", charge.amount);
  json.field("product", charge.product);
  json.field("quantity", charge.quantity);
}

std::optional<Timestamp> paid_at(const domain::Charge& charge) {
  if (!charge.payment) return std::nullopt;
  return charge.payment->paid_at;
}

bool is_moved(const domain::Charge& charge, const domain::Refund& refund) {
  return charge.through_bank || refund.origin == domain::RefundOrigin::kBank;
}

void write_money(Json& json, const domain::Charge& charge) {
  json.field("paidAt", paid_at(charge));
  if (const auto& payment = charge.payment) {
    const auto fee = payment->fee.value_or(domain::Cents(0));
    json.field("paidAmountCents", payment->amount);
    json.field("feeCents", fee).field("netCents", payment->amount - fee);
  } else {
    json.null("paidAmountCents").null("feeCents").null("netCents");
  }
  json.field("refundedAmountCents", charge.refunded);
  json.field("unappliedAmountCents", projections::mark_of(charge).unapplied.cents);
}

std::string derived_id(std::initializer_list<std::string_view> parts) {
  std::string framed;
  for (const auto part : parts) framed += std::to_string(part.size()) + ":" + std::string(part);
  const auto digest = sha256(framed);
  std::string id = "c";
  for (std::size_t i = 0; i < kDigits; ++i) id += kAlphabet[digest[i] % kAlphabet.size()];
  return id;
}

}  // namespace pixledger::http
