#pragma once

#include <cstdint>
#include <optional>

#include "domain/aggregates/payment_flag.h"

namespace pixledger::domain {

// Why a command was refused: a value, not an exception. Stored in idempotency records by number, so the
// numbers never change. rejection_table.h has what else is known of each.
enum class Rejection : std::uint8_t {
  kApiKeyUnusable = 1,
  kTransactionNotFound = 2,
  kTransactionStatus = 3,
  kTransactionOfAnotherProject = 4,
  kAmountAboveMaximum = 5,
  kRefundNotAllowed = 6,
  kNotSandbox = 7,
  kNoPixKey = 8,
  kCustomerNotFound = 9,
  kCustomerBlocked = 10,
  kBlocklisted = 11,
  kUnknownConnection = 12,
  kInvalidDocumentCheckDigits = 13,
  kEndToEndIdTaken = 14,
  kPaymentNotFound = 15,
  kChannelLimit = 16,
  kChannelNotFound = 17,
  kBlocklistEntryNotFound = 18,
  kProjectNotFound = 19,
  kApiKeyNotFound = 20,
  kBlocklistLimit = 21,
  kBlockExpiryInPast = 22,
  kPaymentInFuture = 23,
  kChannelInactive = 24,
  kDeliveryNotFound = 25,
  kWebhookTargetRefused = 26,
  kConnectionAliasTaken = 27,
  kConnectionLimit = 28,
  kLiveForTestKey = 29,
  kWebhookTargetUnknown = 30,
  kWebhookEventsNeedV2 = 31,
  kChannelAddedMeanwhile = 32,
  kPaymentBeforeCharge = 33,
  kConnectionIsDefault = 34,
  kConnectionDisabled = 35,
  kConnectionChangedMeanwhile = 36,
  kNotApiPix = 37,
  kNoCode = 38,
  kBankSilent = 39,
  kRefundNotFound = 40,
  kUnmatchedPaymentNotFound = 41,
  kUnmatchedPaymentSettled = 42,
  kPaymentUnmatched = 43,
  kPaymentOfOtherEnvironment = 44,
  kPaymentOutsideBank = 45,
  kPaymentGoesBack = 46,
  kCheckoutSessionNotFound = 47,
  kCheckoutSessionNotOpen = 48,
  kCheckoutSessionChangedMeanwhile = 49,
  kRefundWindowOver = 50,
  kRefundLimit = 51,
  kMemberNotFound = 52,
  kLastOwner = 53,
  kMemberLimit = 54,
  kMembershipEnded = 55,
  kLast = kMembershipEnded,
};

// What a command came to. No rejection means done; a flag says that a payment was recorded but not applied.
struct Outcome {
  std::optional<Rejection> rejection;
  std::optional<PaymentFlag> flag;

  bool done() const { return !rejection; }
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

}  // namespace pixledger::domain
