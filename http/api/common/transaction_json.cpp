#include "http/api/common/transaction_json.h"

namespace pixledger::http {

void write_references(eventstore::Json& json, const domain::Charge& charge) {
  json.field("externalId", charge.external_id ? charge.external_id->text() : charge.id.text());
  json.key("transactionCode");
  charge.payment ? json.value(charge.payment->end_to_end_id) : json.null();
}

void write_purchase(eventstore::Json& json, const domain::Charge& charge) {
  json.field("amountCents", charge.amount);
  json.field("product", charge.product);
  json.field("quantity", charge.quantity);
}

std::optional<domain::Timestamp> paid_at(const domain::Charge& charge) {
  if (!charge.payment) return std::nullopt;
  return charge.payment->paid_at;
}

void write_payment(eventstore::Json& json, const domain::Charge& charge) {
  json.field("paidAt", paid_at(charge));
  json.key("paidAmountCents");
  charge.payment ? json.value(charge.payment->amount) : json.null();
}

}  // namespace pixledger::http
