#include "http/api/common/customer_json.h"

#include "domain/aggregates/field.h"
#include "http/json/json_time.h"

namespace pixledger::http {
namespace {

void write_personal(JsonWriter& json, const domain::CustomerDetails& details) {
  json.text("name", details.name.text());
  json.text("document", details.document.text());
  json.text("phone", details.phone.text());
  json.text("email", details.email.text());
  domain::for_each_field<domain::Address>(
      [&](const auto& field) { json.text_or_null(field.name, field.of(details.address)); });
}

void write_erased(JsonWriter& json) {
  json.text("name", kErasedName);
  for (const std::string_view name : {"document", "phone", "email", "street", "streetNumber", "neighborhood",
                                      "complement", "zipCode", "city", "state", "country"})
    json.null(name);
}

}  // namespace

void write_customer_fields(JsonWriter& json, const domain::Customer& customer, domain::Timestamp now) {
  json.text("id", customer.id.text());
  if (customer.details) {
    write_personal(json, *customer.details);
  } else {
    write_erased(json);
  }
  json.boolean("isBlocked", domain::is_blocked(customer, now));
  write_time(json, "createdAt", customer.created_at);
  write_time(json, "updatedAt", customer.updated_at);
  if (customer.erased_at) write_time(json, "erasedAt", *customer.erased_at);
}

void write_customer_detail_fields(JsonWriter& json, const domain::Customer& customer, domain::Timestamp now) {
  json.text("projectId", customer.project.text());
  if (!domain::is_blocked(customer, now)) {
    json.null("blockedAt").null("blockedReason").null("blockExpiresAt").null("blockType");
    return;
  }
  const auto& block = *customer.block;
  write_time(json, "blockedAt", block.blocked_at);
  json.text_or_null("blockedReason", block.reason);
  write_time_or_null(json, "blockExpiresAt", block.expires_at);
  json.text("blockType", domain::to_string(block.type));
}

}  // namespace pixledger::http
