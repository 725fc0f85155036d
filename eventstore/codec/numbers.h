#pragma once

#include <cstdint>
#include <optional>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/refusal.h"
#include "domain/decisions/rejection.h"
#include "domain/values/environment.h"

/// Stored numbers as the domain's enumerators. A new enumerator does not compile until it is listed here.
namespace pixledger::eventstore {

constexpr bool is_known(domain::Environment value) {
  switch (value) {
    case domain::Environment::kLive:
    case domain::Environment::kSandbox:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::WebhookVersion value) {
  switch (value) {
    case domain::WebhookVersion::kV1:
    case domain::WebhookVersion::kV2:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::ChannelDisabledReason value) {
  switch (value) {
    case domain::ChannelDisabledReason::kGone:
    case domain::ChannelDisabledReason::kFailing:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::BlockType value) {
  switch (value) {
    case domain::BlockType::kManual:
    case domain::BlockType::kFraud:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::FraudType value) {
  switch (value) {
    case domain::FraudType::kBlockedCustomer:
    case domain::FraudType::kBlocklistIp:
    case domain::FraudType::kBlocklistEmail:
    case domain::FraudType::kBlocklistDocument:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::PaymentFlag value) {
  switch (value) {
    case domain::PaymentFlag::kPaidAfterExpiry:
    case domain::PaymentFlag::kPaidAfterClose:
    case domain::PaymentFlag::kDuplicatePayment:
    case domain::PaymentFlag::kAmountMismatch:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::Rejection value) {
  switch (value) {
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
      return true;
  }
  return false;
}

/// nullopt for a number that this release does not know.
template <class Enum>
constexpr std::optional<Enum> known(std::uint8_t number) {
  const auto value = static_cast<Enum>(number);
  return is_known(value) ? std::optional(value) : std::nullopt;
}

}  // namespace pixledger::eventstore
