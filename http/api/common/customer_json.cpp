#include "http/api/common/customer_json.h"

#include "base/platform/json.h"
#include "domain/values/erased_name.h"

namespace pixledger::http {
namespace {

void write_personal(const PersonalJson& personal, const domain::CustomerDetails& details) {
  personal.field("name", details.name);
  personal.field("document", details.document);
  personal.field("phone", details.phone);
  personal.field("email", details.email);
  personal.fields(details.address);
  personal.field("metadata", details.metadata);
}

void write_erased(Json& json) {
  json.field("name", domain::kErasedName);
  for (const std::string_view name : {"document", "phone", "email", "street", "streetNumber", "neighborhood",
                                      "complement", "zipCode", "city", "state", "country", "metadata"})
    json.null(name);
}

}  // namespace

void write_customer_fields(Json& json, const domain::Customer& customer, Timestamp now,
                           PersonalData personal) {
  json.field("id", customer.id);
  json.field("environment", customer.environment);
  if (customer.details) {
    write_personal(PersonalJson(json, personal), *customer.details);
  } else {
    write_erased(json);
  }
  json.field("isBlocked", domain::is_blocked(customer, now));
  json.field("createdAt", customer.created_at);
  json.field("updatedAt", customer.updated_at);
  if (customer.erased_at) json.field("erasedAt", *customer.erased_at);
}

void write_customer_detail_fields(Json& json, const domain::Customer& customer, Timestamp now,
                                  PersonalData personal) {
  json.field("projectId", customer.project);
  if (!domain::is_blocked(customer, now)) {
    json.null("blockedAt").null("blockedReason").null("blockExpiresAt").null("blockType");
    return;
  }
  const auto& block = *customer.block;
  json.field("blockedAt", block.blocked_at);
  PersonalJson(json, personal).field("blockedReason", block.reason);
  json.field("blockExpiresAt", block.expires_at);
  json.field("blockType", block.type);
}

}  // namespace pixledger::http
