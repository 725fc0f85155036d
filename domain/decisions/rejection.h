#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "domain/values/charge_kinds.h"

namespace pixledger::domain {

// Why a command was refused: a value, not an exception. The numbers are stored in idempotency records and
// never change. Details are in the table below.
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

// The result of a command. No rejection means done; a flag means that a payment was recorded but not applied.
struct Outcome {
  std::optional<Rejection> rejection;
  std::optional<PaymentFlag> flag;

  bool done() const { return !rejection; }
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// The reply to a repeated idempotency key: the first answer, or a new decision. Requests are decided again if
// the API key was unusable, the object missing, or a value invalid.
enum class OnRepeat { kAnswerAgain, kDecideAnew };

struct RejectionRow {
  Rejection rejection;
  OnRepeat on_repeat;
  std::string_view told_operator;
};

static_assert(kChannelsPerProjectMax == 10 && kConnectionsPerProjectMax == 100 && kMembersMax == 100,
              "numbers of texts below");

// All rejections, ordered by their stored numbers. The texts for merchants are in
// http/api/common/command_reply.cpp.
inline constexpr auto kRejections = std::to_array<RejectionRow>({
    {Rejection::kApiKeyUnusable, OnRepeat::kDecideAnew, "the API key is revoked or has expired"},
    {Rejection::kTransactionNotFound, OnRepeat::kDecideAnew, "there is no such charge"},
    {Rejection::kTransactionStatus, OnRepeat::kAnswerAgain, "the charge's status does not allow it"},
    {Rejection::kTransactionOfAnotherProject, OnRepeat::kAnswerAgain,
     "the charge belongs to another project"},
    {Rejection::kAmountAboveMaximum, OnRepeat::kAnswerAgain, "the amount is above the store's maximum"},
    {Rejection::kRefundNotAllowed, OnRepeat::kAnswerAgain, "it is more than what is left of the payment"},
    {Rejection::kNotSandbox, OnRepeat::kAnswerAgain, "not a sandbox charge"},
    {Rejection::kNoPixKey, OnRepeat::kAnswerAgain,
     "the project has no Pix key; set one: pixledger project set --project P --pix-key K"},
    {Rejection::kCustomerNotFound, OnRepeat::kDecideAnew, "there is no such customer"},
    {Rejection::kCustomerBlocked, OnRepeat::kAnswerAgain, "the customer is blocked"},
    {Rejection::kBlocklisted, OnRepeat::kAnswerAgain, "the payer is on the blocklist"},
    {Rejection::kUnknownConnection, OnRepeat::kDecideAnew, "the project has no such connection"},
    {Rejection::kInvalidDocumentCheckDigits, OnRepeat::kDecideAnew,
     "the document's check digits do not match"},
    {Rejection::kEndToEndIdTaken, OnRepeat::kAnswerAgain,
     "this end-to-end id belongs to another charge or was reported with another amount (see: pixledger "
     "history --id E)"},
    {Rejection::kPaymentNotFound, OnRepeat::kAnswerAgain,
     "there is no unapplied payment with this end-to-end id"},
    {Rejection::kChannelLimit, OnRepeat::kAnswerAgain,
     "the project has 10 such notification channels, which is the most there can be"},
    {Rejection::kChannelNotFound, OnRepeat::kDecideAnew, "there is no such notification channel"},
    {Rejection::kBlocklistEntryNotFound, OnRepeat::kDecideAnew, "there is no such blocklist entry"},
    {Rejection::kProjectNotFound, OnRepeat::kDecideAnew,
     "there is no such project (see: pixledger project list)"},
    {Rejection::kApiKeyNotFound, OnRepeat::kDecideAnew,
     "there is no such API key (see: pixledger key list --project P)"},
    {Rejection::kBlocklistLimit, OnRepeat::kDecideAnew, "the blocklist is full"},
    {Rejection::kBlockExpiryInPast, OnRepeat::kDecideAnew, "the block would end in the past"},
    {Rejection::kPaymentInFuture, OnRepeat::kAnswerAgain,
     "the payment's time is more than five minutes ahead of the ledger's"},
    {Rejection::kChannelInactive, OnRepeat::kAnswerAgain, "the notification channel is not active"},
    {Rejection::kDeliveryNotFound, OnRepeat::kDecideAnew, "there is no such delivery"},
    {Rejection::kWebhookTargetRefused, OnRepeat::kDecideAnew, "webhooks may not go to this URL"},
    {Rejection::kConnectionAliasTaken, OnRepeat::kAnswerAgain,
     "the project has a connection with this alias in this environment already"},
    {Rejection::kConnectionLimit, OnRepeat::kAnswerAgain,
     "the project has 100 connections, which is the most there can be"},
    {Rejection::kLiveForTestKey, OnRepeat::kDecideAnew,
     "it is live, and a test key touches the sandbox alone"},
    {Rejection::kWebhookTargetUnknown, OnRepeat::kDecideAnew,
     "the name servers did not tell in time where the URL leads; try again"},
    {Rejection::kWebhookEventsNeedV2, OnRepeat::kDecideAnew,
     "channels on v1 are told of the six kinds of v1 and of no others"},
    {Rejection::kChannelAddedMeanwhile, OnRepeat::kDecideAnew,
     "another channel was added at the same time; try again"},
    {Rejection::kPaymentBeforeCharge, OnRepeat::kAnswerAgain,
     "the payment's time is more than five minutes before the charge was created"},
    {Rejection::kConnectionIsDefault, OnRepeat::kDecideAnew,
     "it is its environment's default; choose another one first: pixledger connection default"},
    {Rejection::kConnectionDisabled, OnRepeat::kDecideAnew,
     "the connection is disabled; enable it first: pixledger connection enable"},
    {Rejection::kConnectionChangedMeanwhile, OnRepeat::kDecideAnew,
     "the connection was changed at the same time; try again"},
    {Rejection::kNotApiPix, OnRepeat::kDecideAnew, "the connection is not of the provider api-pix"},
    {Rejection::kNoCode, OnRepeat::kAnswerAgain, "the bank gave no code for the charge"},
    {Rejection::kBankSilent, OnRepeat::kDecideAnew, "the bank did not answer in time; try again"},
    {Rejection::kRefundNotFound, OnRepeat::kDecideAnew, "the charge has no such refund"},
    {Rejection::kUnmatchedPaymentNotFound, OnRepeat::kDecideAnew,
     "the project has no unmatched payment with this end-to-end id (see: pixledger payment list --project "
     "P)"},
    {Rejection::kUnmatchedPaymentSettled, OnRepeat::kDecideAnew,
     "the payment is settled already (see: pixledger payment list --project P --state closed)"},
    {Rejection::kPaymentUnmatched, OnRepeat::kDecideAnew,
     "a bank has shown this payment as one that fits no charge, with another amount or for somebody else, or "
     "it is settled; see it: pixledger payment list --project P --state all"},
    {Rejection::kPaymentOfOtherEnvironment, OnRepeat::kDecideAnew,
     "the payment and the charge are of different worlds, live and sandbox"},
    {Rejection::kPaymentOutsideBank, OnRepeat::kDecideAnew,
     "no bank moves this money from here; send it back yourself, and settle it without --send-back"},
    {Rejection::kPaymentGoesBack, OnRepeat::kDecideAnew, "the payment is on its way back to its payer"},
    {Rejection::kCheckoutSessionNotFound, OnRepeat::kDecideAnew, "there is no such checkout session"},
    {Rejection::kCheckoutSessionNotOpen, OnRepeat::kAnswerAgain,
     "the checkout session is not open any more, or has had 5 charges"},
    {Rejection::kCheckoutSessionChangedMeanwhile, OnRepeat::kDecideAnew,
     "the checkout session was changed at the same time; try again"},
    {Rejection::kRefundWindowOver, OnRepeat::kAnswerAgain,
     "the payment is more than 90 days old, and nothing goes back after that"},
    {Rejection::kRefundLimit, OnRepeat::kAnswerAgain,
     "the charge has 100 refunds already, which is the most there can be"},
    {Rejection::kMemberNotFound, OnRepeat::kDecideAnew,
     "the project has no such member (see: pixledger user list --project P)"},
    {Rejection::kLastOwner, OnRepeat::kDecideAnew,
     "it is the project's last owner, who can neither be removed nor lose the role; make another one first"},
    {Rejection::kMemberLimit, OnRepeat::kDecideAnew,
     "the project has 100 members, which is the most there can be"},
    {Rejection::kMembershipEnded, OnRepeat::kDecideAnew, "the user has this role in the project no more"},
});

constexpr const RejectionRow& row_of(Rejection rejection) {
  return kRejections[static_cast<std::size_t>(rejection) - 1];
}

// nullopt for an unknown number.
constexpr std::optional<Rejection> rejection_of(std::uint8_t number) {
  if (number == 0 || number > kRejections.size()) return std::nullopt;
  return static_cast<Rejection>(number);
}

constexpr bool has_row_of_each_rejection() {
  for (const auto& row : kRejections) {
    if (&row != &row_of(row.rejection)) return false;
  }
  return kRejections.back().rejection == Rejection::kLast;
}
static_assert(has_row_of_each_rejection(), "a row for each rejection, in the order of their numbers");

}  // namespace pixledger::domain
