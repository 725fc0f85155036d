#pragma once

#include <optional>

#include "domain/aggregates/charge.h"
#include "http/json/json_writer.h"

// The fields that every rendering of a transaction shares, each into the object that is open.
namespace pixledger::http {

// `externalId` (the charge's id where the merchant gave none) and `transactionCode` (null until paid).
void write_references(JsonWriter& json, const domain::Charge& charge);

// `amountCents`, `product`, `quantity`.
void write_purchase(JsonWriter& json, const domain::Charge& charge);

std::optional<domain::Timestamp> paid_at(const domain::Charge& charge);

}  // namespace pixledger::http
