// What charges are called towards banks, in one place for all who name them and who are told of them.
#pragma once

#include <optional>

#include "domain/pix/txid.h"
#include "domain/values/cuid.h"

namespace pixledger::domain {

// A charge's at the bank that holds it: `p` and the charge's id, 26 characters of the 26 to 35 that it may
// have. The id is one of ours, as all charges' are.
Txid cob_txid(const ChargeId& charge);

// The charge that a txid of ours names, of a bank's code or of a static one, in whichever case.
std::optional<ChargeId> charge_named_by(const Txid& txid);

}  // namespace pixledger::domain
