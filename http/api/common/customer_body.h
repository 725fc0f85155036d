#pragma once

#include <optional>

#include "base/http/json/json_body.h"
#include "domain/aggregates/customer.h"

namespace pixledger::http {

// The member `customer` of a creation's body: address and each of its fields optional. Nullopt with
// violations.
std::optional<domain::CustomerDetails> read_customer_of_charge(const JsonObject& body);

// The same where `customer` may be left out.
std::optional<domain::CustomerDetails> read_customer_if_any(const JsonObject& body);
// What a payer says of themselves: the fields of a customer without address.
std::optional<domain::CustomerDetails> read_payer(const JsonObject& body);

// The body that creates or updates a customer: all of the address is required but the complement. Nullopt
// with violations; where only the address has some, the details come without those fields.
std::optional<domain::CustomerDetails> read_customer(const JsonObject& body);

}  // namespace pixledger::http
