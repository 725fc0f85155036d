#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/values/ip_address.h"
#include "domain/aggregates/field.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/names.h"

namespace pixledger::domain {

// How many refusals of one payer are recorded in a day (UTC); the rest are refused alike and leave nothing.
constexpr std::uint32_t kRefusalsRecordedPerDayMax = 100;

// What a refused creation ran into. Stored by number.
enum class FraudType : unsigned char {
  kBlockedCustomer = 1,
  kBlocklistIp = 2,
  kBlocklistEmail = 3,
  kBlocklistDocument = 4
};
std::string_view to_string(FraudType type);

// A creation that was refused to a blocked or listed payer. These live in streams, one for each payer and
// day, that no decision ever loads.
struct ChargeRefused {
  ProjectId project;
  std::optional<CustomerId> customer;  // absent when the payer never became a customer
  FraudType type;
  Cents amount;
  ProductName product;
  Environment environment = Environment::kLive;
  std::optional<IpAddress> customer_ip{};  // personal; absent when not given or erased

  static constexpr auto fields(auto with) {
    return with(envelope_field("projectId", &ChargeRefused::project),
                field("customerId", &ChargeRefused::customer).stored_as("customer").not_in_feed(),
                field("fraudType", &ChargeRefused::type), field("amountCents", &ChargeRefused::amount),
                field("product", &ChargeRefused::product),
                field("environment", &ChargeRefused::environment).not_in_feed(),
                personal_field("customerIp", &ChargeRefused::customer_ip).not_in_feed());
  }
};
using RefusalEvent = std::variant<ChargeRefused>;

}  // namespace pixledger::domain
