#pragma once

#include <optional>

#include "domain/pix/payment_ids.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// Executes a command about a charge, and prints the result. Recorded money that did not pay the charge is not
// a success, so that scripts that check only the exit code do not ship.
int report_charge(CommandContext& context, eventstore::Ledger& ledger, const domain::ChargeId& id,
                  domain::Command command, const std::optional<domain::EndToEndId>& payment = std::nullopt);

}  // namespace pixledger::tools
