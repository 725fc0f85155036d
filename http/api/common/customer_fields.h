#pragma once

#include <optional>

#include "base/http/json/json_body.h"
#include "base/platform/json.h"
#include "domain/aggregates/customer.h"
#include "http/api/common/personal_json.h"

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

// The fields of a customer, into the object that is open: those of a list item, from `id` to `updatedAt` with
// `isBlocked` as of `now`.
void write_customer_fields(Json& json, const domain::Customer& customer, Timestamp now,
                           PersonalData personal);

// What a customer's detail has beside those: its project and, null unless it is blocked at `now`, the block.
void write_customer_detail_fields(Json& json, const domain::Customer& customer, Timestamp now,
                                  PersonalData personal);

}  // namespace pixledger::http
