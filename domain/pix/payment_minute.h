#pragma once

#include <optional>

#include "domain/pix/end_to_end_id.h"

namespace pixledger::domain {

// When the payer's bank began the payment, by the minute, as its end-to-end id says. nullopt unless the id
// has its usual form.
std::optional<Timestamp> minute_of(const EndToEndId& id);

}  // namespace pixledger::domain
