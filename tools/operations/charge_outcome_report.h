#pragma once

#include <optional>

#include "domain/pix/payment_ids.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

// Carries out a command about a charge, and tells what became of it. Money that was recorded but did not pay
// it is no success: who watches the exit code alone must not ship.
int report_charge(CommandContext& context, eventstore::Ledger& ledger, const domain::ChargeId& id,
                  domain::Command command, const std::optional<domain::EndToEndId>& payment = std::nullopt);

}  // namespace pixledger::tools
