#include "domain/aggregates/customer.h"

namespace pixledger::domain {
namespace {

struct ApplyToCustomer {
  std::optional<Customer> customer;
  Timestamp at;

  std::optional<Customer> operator()(const CustomerRegistered& event) {
    return Customer{.id = event.id,
                    .project = event.project,
                    .details = event.details,
                    .block = std::nullopt,
                    .created_at = at,
                    .updated_at = at,
                    .erased_at = std::nullopt,
                    .environment = event.environment};
  }
  std::optional<Customer> operator()(const CustomerUpdated& event) {
    if (customer) customer->details = event.details;
    return touched();
  }
  std::optional<Customer> operator()(const CustomerBlocked& event) {
    if (customer)
      customer->block = CustomerBlock{
          .type = event.type, .reason = event.reason, .expires_at = event.expires_at, .blocked_at = at};
    return touched();
  }
  std::optional<Customer> operator()(const CustomerUnblocked&) {
    if (customer) customer->block.reset();
    return touched();
  }

  // A block names a person, too; whoever comes back is a new customer, who is not blocked.
  std::optional<Customer> operator()(const CustomerErased&) {
    if (customer) {
      customer->details.reset();
      customer->block.reset();
      customer->erased_at = at;
    }
    return touched();
  }

  std::optional<Customer> touched() {
    if (customer) customer->updated_at = at;
    return std::move(customer);
  }
};

template <class T>
void keep_if_absent(std::optional<T>& given, const std::optional<T>& known) {
  if (!given) given = known;
}

}  // namespace

bool is_blocked(const Customer& customer, Timestamp now) {
  return customer.block && (!customer.block->expires_at || now < *customer.block->expires_at);
}

CustomerDetails merged(const std::optional<CustomerDetails>& known, CustomerDetails given) {
  if (!known) return given;
  auto& address = given.address;
  keep_if_absent(address.street, known->address.street);
  keep_if_absent(address.street_number, known->address.street_number);
  keep_if_absent(address.neighborhood, known->address.neighborhood);
  keep_if_absent(address.complement, known->address.complement);
  keep_if_absent(address.zip_code, known->address.zip_code);
  keep_if_absent(address.city, known->address.city);
  keep_if_absent(address.state, known->address.state);
  keep_if_absent(address.country, known->address.country);
  given.metadata = known->metadata;
  return given;
}

std::optional<Customer> apply(std::optional<Customer> customer, const CustomerEvent& event, Timestamp at) {
  return std::visit(ApplyToCustomer{std::move(customer), at}, event);
}

}  // namespace pixledger::domain
