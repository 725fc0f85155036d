#pragma once

#include "domain/customer.h"
#include "http/json_writer.h"

namespace pixledger::http {

// The fields of a customer, into the object that is open: those of a list item, from `id` to `updatedAt` with
// `isBlocked` as of `now`. Personal fields are null when they have been erased.
void write_customer_fields(JsonWriter& json, const domain::Customer& customer, domain::Timestamp now);

// What a customer's detail has beside those: its project and, null unless it is blocked at `now`, the block.
void write_customer_detail_fields(JsonWriter& json, const domain::Customer& customer, domain::Timestamp now);

}  // namespace pixledger::http
