#pragma once

#include <cstdint>
#include <optional>

#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/blocklist.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/values/charge_kinds.h"
#include "domain/values/environment.h"

// Stored numbers as the domain's enumerators. A new enumerator does not compile until it is listed here.
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

constexpr bool is_known(domain::CodeKind value) {
  switch (value) {
    case domain::CodeKind::kDynamic:
    case domain::CodeKind::kStatic:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::CodeFallback value) {
  switch (value) {
    case domain::CodeFallback::kStatic:
    case domain::CodeFallback::kNone:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::ConnectionState value) {
  switch (value) {
    case domain::ConnectionState::kEnabled:
    case domain::ConnectionState::kDisabled:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::TokenAuth value) {
  switch (value) {
    case domain::TokenAuth::kBasic:
    case domain::TokenAuth::kBody:
    case domain::TokenAuth::kNone:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::UnmatchedReason value) {
  switch (value) {
    case domain::UnmatchedReason::kNoTxid:
    case domain::UnmatchedReason::kUnknownCharge:
    case domain::UnmatchedReason::kOtherProject:
    case domain::UnmatchedReason::kOtherEnvironment:
    case domain::UnmatchedReason::kNotThroughBank:
    case domain::UnmatchedReason::kBeforeCharge:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::CheckoutLocale value) {
  switch (value) {
    case domain::CheckoutLocale::kPtBr:
    case domain::CheckoutLocale::kEn:
      return true;
  }
  return false;
}

constexpr bool is_known(domain::Role value) {
  switch (value) {
    case domain::Role::kOwner:
    case domain::Role::kOperator:
    case domain::Role::kViewer:
      return true;
  }
  return false;
}

// Returns nullopt for a number that this release does not know.
template <class Enum>
constexpr std::optional<Enum> known(std::uint8_t number) {
  const auto value = static_cast<Enum>(number);
  return is_known(value) ? std::optional(value) : std::nullopt;
}

}  // namespace pixledger::eventstore
