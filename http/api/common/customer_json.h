#pragma once

#include "base/platform/json.h"
#include "domain/aggregates/customer.h"
#include "http/api/common/personal_json.h"

namespace pixledger::http {

// The fields of a customer, into the object that is open: those of a list item, from `id` to `updatedAt` with
// `isBlocked` as of `now`.
void write_customer_fields(Json& json, const domain::Customer& customer, Timestamp now,
                           PersonalData personal);

// What a customer's detail has beside those: its project and, null unless it is blocked at `now`, the block.
void write_customer_detail_fields(Json& json, const domain::Customer& customer, Timestamp now,
                                  PersonalData personal);

}  // namespace pixledger::http
