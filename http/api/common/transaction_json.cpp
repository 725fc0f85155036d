#include "http/api/common/transaction_json.h"

namespace pixledger::http {

void write_references(JsonWriter& json, const domain::Charge& charge) {
  json.text("externalId", charge.external_id ? charge.external_id->text() : charge.id.text());
  if (charge.payment) {
    json.text("transactionCode", charge.payment->end_to_end_id.text());
  } else {
    json.null("transactionCode");
  }
}

void write_purchase(JsonWriter& json, const domain::Charge& charge) {
  json.integer("amountCents", charge.amount.value());
  json.text("product", charge.product.text());
  json.integer("quantity", charge.quantity);
}

std::optional<domain::Timestamp> paid_at(const domain::Charge& charge) {
  if (!charge.payment) return std::nullopt;
  return charge.payment->paid_at;
}

}  // namespace pixledger::http
