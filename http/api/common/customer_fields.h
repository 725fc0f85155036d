#pragma once

#include <optional>

#include "base/http/json/json_body.h"
#include "base/platform/json.h"
#include "domain/aggregates/customer.h"
#include "http/api/common/personal_json.h"

namespace pixledger::http {

// Reads the member `customer` of a creation's body; the address and its fields are optional. nullopt with
// violations.
std::optional<domain::CustomerDetails> read_customer_of_charge(const JsonObject& body);

// The same with an optional `customer`.
std::optional<domain::CustomerDetails> read_customer_if_any(const JsonObject& body);
// Reads a payer's own data: a customer without address.
std::optional<domain::CustomerDetails> read_payer(const JsonObject& body);

// Reads the body that creates or updates a customer; the whole address but the complement is required.
// nullopt with violations. If only the address has some, returns the details without the invalid fields.
std::optional<domain::CustomerDetails> read_customer(const JsonObject& body);

// Writes a customer's fields of a list into the open object: from `id` to `updatedAt`, with `isBlocked` as of
// `now`.
void write_customer_fields(Json& json, const domain::Customer& customer, Timestamp now,
                           PersonalData personal);

// Writes the further fields of a customer's detail: its project, and the block or null as of `now`.
void write_customer_detail_fields(Json& json, const domain::Customer& customer, Timestamp now,
                                  PersonalData personal);

}  // namespace pixledger::http
