#pragma once

#include <string>
#include <string_view>

#include "domain/cents.h"
#include "domain/event.h"
#include "domain/refusal.h"
#include "domain/text.h"
#include "domain/timestamp.h"

namespace pixledger::projections {

// A creation that was refused to a payer, as a customer's page shows it.
struct FraudEvent {
  domain::Position position;  // names it
  domain::FraudType type;
  domain::Cents amount;
  domain::ProductName product;
  domain::Timestamp created_at;
};

}  // namespace pixledger::projections
