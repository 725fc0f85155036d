#pragma once

#include "domain/aggregates/customer.h"
#include "http/json/json_writer.h"

namespace pixledger::http {

// The fields of a customer, into the object that is open: those of a list item, from `id` to `updatedAt` with
// The name of a customer whose personal data has been erased; his other personal fields are null.
inline constexpr std::string_view kErasedName = "erased";

// `isBlocked` as of `now`.
void write_customer_fields(JsonWriter& json, const domain::Customer& customer, domain::Timestamp now);

// What a customer's detail has beside those: its project and, null unless it is blocked at `now`, the block.
void write_customer_detail_fields(JsonWriter& json, const domain::Customer& customer, domain::Timestamp now);

}  // namespace pixledger::http
