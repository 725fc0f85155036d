#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/http/json/json_body.h"
#include "base/platform/json.h"
#include "domain/aggregates/charge.h"
#include "domain/decisions/command.h"

namespace pixledger::http {

struct Caller;
class Input;
struct Services;

// The member `payment` of a creation's body.
struct PaymentBody {
  domain::Cents amount;
  domain::ProductName product;
  std::uint32_t quantity;
  std::optional<std::int32_t> expiration_days;
  std::optional<std::int64_t> expiration_minutes;  // within those days
};

// nullopt with violations. `expirationMinutes` is read only if it may be given.
std::optional<PaymentBody> read_payment(const JsonObject& body, bool takes_minutes);

// Reads the body that creates a transaction, and finishes the input. nullopt with violations.
std::optional<domain::CreateCharge> read_new_charge(const Services& services, const Caller& caller,
                                                    Input& input);

// The fields that all renderings of a transaction share; each function writes into the open object.

// `externalId` (by default the charge's id) and `transactionCode` (null until paid).
void write_references(Json& json, const domain::Charge& charge);

// `amountCents`, `product`, `quantity`.
void write_purchase(Json& json, const domain::Charge& charge);

// `paidAt`, `paidAmountCents` (the amount received), `feeCents` and `netCents` (received less the fee), null
// until paid; `refundedAmountCents`; `unappliedAmountCents`, received, not applied and not settled.
void write_money(Json& json, const domain::Charge& charge);

// Whether the bank moves the refund's money. If not, it is sent by other means and only recorded here.
bool is_moved(const domain::Charge& charge, const domain::Refund& refund);

// The time of payment according to the bank; nullopt until the charge is paid.
std::optional<Timestamp> paid_at(const domain::Charge& charge);

// An id in the form of a CUID, derived from the parts, for things without an id in the ledger. Different
// parts give different ids.
std::string derived_id(std::initializer_list<std::string_view> parts);

}  // namespace pixledger::http
