#pragma once

#include <string>
#include <string_view>

#include "base/values/timestamp.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"
#include "domain/aggregates/refusal.h"
#include "domain/values/cents.h"
#include "domain/values/names.h"

namespace pixledger::projections {

// A creation that was refused to a payer, as a customer's page shows it.
struct FraudEvent {
  Position position;  // names it
  domain::FraudType type;
  domain::Cents amount;
  domain::ProductName product;
  Timestamp created_at;

  static constexpr auto fields(auto with) {
    return with(domain::field("position", &FraudEvent::position), domain::field("type", &FraudEvent::type),
                domain::field("amountCents", &FraudEvent::amount),
                domain::field("product", &FraudEvent::product),
                domain::field("createdAt", &FraudEvent::created_at));
  }
};

}  // namespace pixledger::projections
