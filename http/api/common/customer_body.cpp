#include "http/api/common/customer_body.h"

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

}  // namespace pixledger::http
