#pragma once

#include <optional>
#include <string_view>

#include "domain/aggregates/charge.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/cuid.h"
#include "eventstore/log/log.h"

// Finds payments by end-to-end ids as people paste them. Blanks, dashes and case are ignored: some statements
// change the case. If two ids differ only in case, the exact one is found.
namespace pixledger::eventstore {

struct ChargePayment {
  domain::EndToEndId payment;
  domain::ChargeId charge;
};
// Finds a payment of a charge, whether it paid the charge, was kept aside, or has been returned since.
std::optional<ChargePayment> find_charge_payment(const Log& log, std::string_view typed);

// The charge that a payment with exactly this id was reported for, whatever the payment's outcome.
std::optional<domain::Charge> charge_of_payment(const Log& log, const domain::EndToEndId& payment);

// Finds a payment that fitted no charge, in any state; of all projects if none is given.
std::optional<domain::EndToEndId> find_unmatched_payment(const Log& log, std::string_view typed,
                                                         const std::optional<domain::ProjectId>& project);

}  // namespace pixledger::eventstore
