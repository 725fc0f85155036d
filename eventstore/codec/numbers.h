#pragma once

#include <cstdint>
#include <optional>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/refusal.h"
#include "domain/decisions/rejection.h"
#include "domain/values/environment.h"

/// Stored numbers as the domain's enumerators; nullopt for a number that this release does not know. A new
/// enumerator does not compile until it is listed here.
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

constexpr std::optional<domain::Rejection> rejection_of(std::uint8_t number) {
  switch (const auto value = static_cast<domain::Rejection>(number)) {
    case domain::Rejection::kApiKeyUnusable:
    case domain::Rejection::kTransactionNotFound:
    case domain::Rejection::kTransactionStatus:
    case domain::Rejection::kTransactionOfAnotherProject:
    case domain::Rejection::kAmountAboveMaximum:
    case domain::Rejection::kRefundNotAllowed:
    case domain::Rejection::kNotSandbox:
    case domain::Rejection::kNoPixKey:
    case domain::Rejection::kCustomerNotFound:
    case domain::Rejection::kCustomerBlocked:
    case domain::Rejection::kBlocklisted:
    case domain::Rejection::kUnknownConnection:
    case domain::Rejection::kInvalidDocumentCheckDigits:
    case domain::Rejection::kEndToEndIdTaken:
    case domain::Rejection::kPaymentNotFound:
    case domain::Rejection::kChannelLimit:
    case domain::Rejection::kChannelNotFound:
    case domain::Rejection::kBlocklistEntryNotFound:
    case domain::Rejection::kProjectNotFound:
    case domain::Rejection::kApiKeyNotFound:
    case domain::Rejection::kBlocklistLimit:
    case domain::Rejection::kBlockExpiryInPast:
    case domain::Rejection::kPaymentInFuture:
    case domain::Rejection::kChannelInactive:
    case domain::Rejection::kDeliveryNotFound:
    case domain::Rejection::kWebhookTargetRefused:
    case domain::Rejection::kConnectionAliasTaken:
    case domain::Rejection::kConnectionLimit:
      return value;
  }
  return std::nullopt;
}

}  // namespace pixledger::eventstore
