#pragma once

#include <cstdint>
#include <optional>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/refusal.h"
#include "domain/values/environment.h"

// Stored numbers as the domain's enumerators; nullopt for a number that this release does not know. A new
// enumerator does not compile until it is listed here.
namespace pixledger::eventstore {

constexpr std::optional<domain::Environment> environment_of(std::uint8_t number) {
  switch (const auto value = static_cast<domain::Environment>(number)) {
    case domain::Environment::kLive:
    case domain::Environment::kSandbox:
      return value;
  }
  return std::nullopt;
}

constexpr std::optional<domain::WebhookVersion> webhook_version_of(std::uint8_t number) {
  switch (const auto value = static_cast<domain::WebhookVersion>(number)) {
    case domain::WebhookVersion::kV1:
    case domain::WebhookVersion::kV2:
      return value;
  }
  return std::nullopt;
}

constexpr std::optional<domain::ChannelDisabledReason> channel_disabled_reason_of(std::uint8_t number) {
  switch (const auto value = static_cast<domain::ChannelDisabledReason>(number)) {
    case domain::ChannelDisabledReason::kGone:
    case domain::ChannelDisabledReason::kFailing:
      return value;
  }
  return std::nullopt;
}

constexpr std::optional<domain::BlockType> block_type_of(std::uint8_t number) {
  switch (const auto value = static_cast<domain::BlockType>(number)) {
    case domain::BlockType::kManual:
    case domain::BlockType::kFraud:
      return value;
  }
  return std::nullopt;
}

constexpr std::optional<domain::FraudType> fraud_type_of(std::uint8_t number) {
  switch (const auto value = static_cast<domain::FraudType>(number)) {
    case domain::FraudType::kBlockedCustomer:
    case domain::FraudType::kBlocklistIp:
    case domain::FraudType::kBlocklistEmail:
    case domain::FraudType::kBlocklistDocument:
      return value;
  }
  return std::nullopt;
}

constexpr std::optional<domain::PaymentFlag> payment_flag_of(std::uint8_t number) {
  switch (const auto value = static_cast<domain::PaymentFlag>(number)) {
    case domain::PaymentFlag::kPaidAfterExpiry:
    case domain::PaymentFlag::kPaidAfterClose:
    case domain::PaymentFlag::kDuplicatePayment:
    case domain::PaymentFlag::kAmountMismatch:
      return value;
  }
  return std::nullopt;
}

}  // namespace pixledger::eventstore
