#include "http/api/common/customer_fields.h"

#include "base/platform/json.h"
#include "domain/values/names.h"

namespace pixledger::http {
namespace {

domain::Address read_address_in_parts(const JsonObject& customer) {
  domain::Address address;
  const auto body = customer.optional_object("address");
  if (!body) return address;
  address.street = body->optional<domain::Label>("street");
  address.street_number = body->optional<domain::Label>("streetNumber");
  address.neighborhood = body->optional<domain::Label>("neighborhood");
  address.complement = body->optional<domain::Label>("complement");
  address.zip_code = body->optional<domain::Label>("zipCode");
  address.city = body->optional<domain::Label>("city");
  address.state = body->optional<domain::Label>("state");
  address.country = body->optional<domain::CountryCode>("country");
  return address;
}

domain::Address no_address(const JsonObject&) { return {}; }

domain::Address read_whole_address(const JsonObject& customer) {
  domain::Address address;
  const auto body = customer.required_object("address");
  if (!body) return address;
  address.street = body->required<domain::Label>("street");
  address.street_number = body->required<domain::Label>("streetNumber");
  address.neighborhood = body->required<domain::Label>("neighborhood");
  address.complement = body->optional<domain::Label>("complement");
  address.zip_code = body->required<domain::Label>("zipCode");
  address.city = body->required<domain::Label>("city");
  address.state = body->required<domain::Label>("state");
  address.country = body->required<domain::CountryCode>("country");
  return address;
}

std::optional<domain::CustomerDetails> read_details(const JsonObject& customer,
                                                    domain::Address (&read_address)(const JsonObject&)) {
  auto name = customer.required<domain::PersonName>("name");
  auto document = customer.required<domain::Document>("document");
  auto email = customer.required<EmailAddress>("email");
  auto phone = customer.required<domain::Phone>("phone");
  auto address = read_address(customer);
  if (!name || !document || !email || !phone) return std::nullopt;
  return domain::CustomerDetails{.name = std::move(*name),
                                 .document = std::move(*document),
                                 .email = std::move(*email),
                                 .phone = std::move(*phone),
                                 .address = std::move(address)};
}

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

std::optional<domain::CustomerDetails> read_customer_of_charge(const JsonObject& body) {
  const auto customer = body.required_object("customer");
  if (!customer) return std::nullopt;
  return read_details(*customer, read_address_in_parts);
}

std::optional<domain::CustomerDetails> read_customer_if_any(const JsonObject& body) {
  const auto customer = body.optional_object("customer");
  if (!customer) return std::nullopt;
  return read_details(*customer, read_address_in_parts);
}

std::optional<domain::CustomerDetails> read_payer(const JsonObject& body) {
  return read_details(body, no_address);
}

std::optional<domain::CustomerDetails> read_customer(const JsonObject& body) {
  return read_details(body, read_whole_address);
}

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
