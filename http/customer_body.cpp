#include "http/customer_body.h"

namespace pixledger::http {
namespace {

domain::Address read_address(const JsonObject& customer) {
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

}  // namespace

std::optional<domain::CustomerDetails> read_customer_of_charge(const JsonObject& body) {
  const auto customer = body.required_object("customer");
  if (!customer) return std::nullopt;
  auto name = customer->required<domain::PersonName>("name");
  auto document = customer->required<domain::Document>("document");
  auto email = customer->required<domain::EmailAddress>("email");
  auto phone = customer->required<domain::Phone>("phone");
  auto address = read_address(*customer);
  if (!name || !document || !email || !phone) return std::nullopt;
  return domain::CustomerDetails{std::move(*name), std::move(*document), std::move(*email), std::move(*phone),
                                 std::move(address)};
}

}  // namespace pixledger::http
