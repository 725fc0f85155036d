#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/json.h"
#include "domain/aggregates/charge.h"

namespace pixledger::http {

// The fields that every rendering of a transaction shares, each into the object that is open.

// `externalId` (the charge's id where the merchant gave none) and `transactionCode` (null until paid).
void write_references(Json& json, const domain::Charge& charge);

// `amountCents`, `product`, `quantity`.
void write_purchase(Json& json, const domain::Charge& charge);

// `paidAt`, `paidAmountCents` (what arrived), `feeCents` and `netCents` (what arrived less the fee), null
// until paid; `refundedAmountCents`; `unappliedAmountCents`, what arrived, paid nothing and is not settled.
void write_money(Json& json, const domain::Charge& charge);

// Whether the bank moves a refund's money; else somebody sends it back elsewhere, and that is recorded here.
bool is_moved(const domain::Charge& charge, const domain::Refund& refund);

// When the payment was made, as the bank says; nullopt until the charge is paid.
std::optional<Timestamp> paid_at(const domain::Charge& charge);

// An id of the form of a CUID that is a function of the parts: for what has no id of its own in the ledger.
// Different parts, different ids.
std::string derived_id(std::initializer_list<std::string_view> parts);

}  // namespace pixledger::http
