#pragma once

#include <optional>
#include <string_view>

#include "domain/pix/end_to_end_id.h"
#include "domain/values/cuid.h"
#include "eventstore/log/log.h"

// Payments by their end-to-end ids as people write or paste these: blanks around them do not matter, nor does
// the case, which some statements change. Where two differ in case alone, the exact one is found.
namespace pixledger::eventstore {

struct ChargePayment {
  domain::EndToEndId payment;
  domain::ChargeId charge;
};
// One that arrived for a charge, whether it paid the charge, was kept aside, or has gone back since.
std::optional<ChargePayment> find_charge_payment(const Log& log, std::string_view typed);

// One that arrived and fitted no charge, whatever has become of it; of any project where none is given.
std::optional<domain::EndToEndId> find_unmatched_payment(const Log& log, std::string_view typed,
                                                         const std::optional<domain::ProjectId>& project);

}  // namespace pixledger::eventstore
