#include "http/api/common/command_reply.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "base/http/json/error_reply.h"
#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/message/syntax.h"
#include "base/platform/faults.h"
#include "base/platform/sha256.h"
#include "base/values/civil_date.h"
#include "domain/decisions/decide.h"
#include "eventstore/executor/executor.h"
#include "eventstore/log/cluster.h"
#include "http/api/common/body_fields.h"
#include "http/front/caller.h"
#include "http/services/channel_targets.h"

namespace pixledger::http {
namespace {

// The caller's Idempotency-Key, bound to project, environment, method and path, with the body's fingerprint.
// nullopt if none was sent; a reply (400 ERR_IDEMPOTENCY_001) unless it is 1 to 255 printable ASCII
// characters.
using IdempotencyHeader = std::variant<std::optional<eventstore::IdempotencyKey>, Reply>;

constexpr std::size_t kKeyBytesMax = 255;
constexpr std::string_view kSeparator("\0", 1);

bool is_well_formed(std::string_view key) {
  return !key.empty() && key.size() <= kKeyBytesMax &&
         std::all_of(key.begin(), key.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

// One form for all spellings that the router accepts for a path.
std::string canonical(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return percent_decode(path, Plus::kIsPlus).value_or(std::string(path));
}

IdempotencyHeader read_idempotency_key(const Request& request, std::string_view canonical_body) {
  const auto header = request.headers.find("Idempotency-Key");
  if (!header) return std::nullopt;
  if (!is_well_formed(*header) || request.headers.count("Idempotency-Key") != 1)
    return error_reply(
        request, {.status = 400,
                  .code = "ERR_IDEMPOTENCY_001",
                  .message = "Idempotency-Key must be sent once, with 1 to 255 printable ASCII characters."});
  const auto& caller = *request.caller;
  const auto key =
      sha256({caller.project.text(), kSeparator, domain::to_string(caller.environment), kSeparator,
              method_name(request.method), kSeparator, canonical(request.path), kSeparator, *header});
  return eventstore::IdempotencyKey{key, sha256(canonical_body)};
}

using domain::Rejection;

// For rejections of a body's value that only the decision can check.
Reply violation(const Request& request, std::string_view field, std::string_view reason) {
  return validation_reply(request, {{std::string(field), std::string(reason)}});
}

static_assert(domain::kBlocklistEntriesMax == 10'000 && domain::kChannelsPerProjectMax == 10 &&
                  domain::kRefundsMax == 100 && domain::kRefundWindowMs == 90 * kDayMs,
              "numbers of texts below");
static_assert(domain::kChargesPerCheckoutMax == 5, "the same");
constexpr std::string_view kBlocklistFull =
    "does not fit: the blocklist has 10000 entries, which is the most there can be; delete some first";

static_assert(domain::kMembersMax == 100, "the same");
constexpr std::string_view kTeamFull =
    "does not fit: the project has 100 members, which is the most there can be; remove some first";

constexpr std::string_view kEventsNeedV2 =
    "can name these on v2 alone: send webhookApiVersion v2 with it, after which there is no way back";

constexpr std::int64_t kFiveMinutesMs = 5LL * 60 * 1000;
static_assert(domain::kPaymentAheadMsMax == kFiveMinutesMs &&
                  domain::kPaymentBeforeChargeMsMax == kFiveMinutesMs,
              "the same");
constexpr std::string_view kPaymentTaken =
    "is of a payment that another transaction has, or that was reported with another amount";
constexpr std::string_view kPaymentShownOtherwise =
    "is of a payment that the bank has shown with another amount, for somebody else, or that is settled: ask "
    "the operator of this service";

// A charge's creation has the customer as a member; a customer's body is the customer.
std::string_view document_field(const Request& request) {
  const auto route = request.route_pattern;
  return route.ends_with("/customers") || route.ends_with("/customer") ? "document" : "customer.document";
}

// The field of a target in the body of a channel or a session.
std::string_view target_field(const Request& request) {
  return request.route_pattern.ends_with("/sessions") ? "webhookUrl" : "url";
}

struct ReplyTo {
  const Request& request;
  const Render& render;
  const Reject& reject;

  Answer operator()(const eventstore::Completed& completed) const {
    if (!completed.replayed) return answer(request, completed);
    // Byte for byte the first reply, with the first request's id in an error's body.
    Request first = request;
    first.request_id = completed.first_request_id;
    auto again = answer(first, completed);
    if (auto* reply = std::get_if<Reply>(&again)) reply->headers.push_back({"Idempotent-Replayed", "true"});
    return again;
  }
  Answer operator()(const eventstore::KeyReused&) const {
    return error_reply(
        request, {.status = 422,
                  .code = "ERR_IDEMPOTENCY_003",
                  .message = "This Idempotency-Key was used with another request body. Use a new key."});
  }
  Answer operator()(const eventstore::KeyInFlight&) const {
    auto reply =
        error_reply(request, {.status = 409,
                              .code = "ERR_IDEMPOTENCY_002",
                              .message = "A request with this Idempotency-Key is still being processed."});
    reply.headers.push_back({"Retry-After", "1"});
    return reply;
  }
  Answer operator()(const eventstore::Unavailable& unavailable) const {
    if (unavailable.reason.starts_with(eventstore::kWritesStopped))
      return transport_error_reply(request, 503,
                                   "Writes are stopped: the ledger's database has lost commits, and its "
                                   "operator must decide how to go on. Nothing was done. Try again later.");
    const auto& reason = unavailable.reason;
    const auto cause = is_refusal(reason) ? " (" + reason + ")" : "";
    return transport_error_reply(
        request, 503, "The service cannot record this now" + cause + "; nothing was done. Try again.");
  }
  Answer operator()(const eventstore::OutcomeUnknown&) const {
    return transport_error_reply(request, 503,
                                 "It is not known yet whether this was done. Send it again with the same "
                                 "Idempotency-Key to learn it.");
  }

  Answer answer(const Request& asked, const eventstore::Completed& completed) const {
    if (completed.outcome.rejection) return reject(asked, *completed.outcome.rejection);
    return render(completed);
  }
};

std::optional<eventstore::Membership> membership_of(const Caller& caller) {
  if (!caller.user || !caller.user->role) return std::nullopt;
  return eventstore::Membership{caller.project, caller.user->id, *caller.user->role};
}

}  // namespace

Reply rejection_reply(const Request& request, Rejection rejection) {
  const auto error = [&](int status, std::string_view code, const char* message) {
    return error_reply(request, {.status = status, .code = code, .message = message});
  };
  switch (rejection) {
    case Rejection::kApiKeyUnusable: {
      auto reply = error(401, "ERR_AUTH_009", "The API key is not valid any more.");
      reply.headers.push_back({"WWW-Authenticate", "Bearer"});
      return reply;
    }
    case Rejection::kTransactionNotFound:
      return error(404, "ERR_TRANSACTION_001", "There is no such transaction.");
    case Rejection::kTransactionStatus:
      return error(400, "ERR_TRANSACTION_002", "The transaction's status does not allow this.");
    case Rejection::kTransactionOfAnotherProject:
      return error(403, "ERR_TRANSACTION_003", "The transaction belongs to another project.");
    case Rejection::kAmountAboveMaximum:
      return error(400, "ERR_TRANSACTION_004",
                   "payment.amountCents is above the store's maxTransactionAmountCents.");
    case Rejection::kRefundNotAllowed:
      return error(400, "ERR_TRANSACTION_005",
                   "The refund is more than what is left of the payment and not on its way back already.");
    case Rejection::kRefundWindowOver:
      return error(400, "ERR_TRANSACTION_005",
                   "The payment is more than 90 days old: nothing goes back after that.");
    case Rejection::kRefundLimit:
      return error(400, "ERR_TRANSACTION_005",
                   "The transaction has 100 refunds already, which is the most there can be.");
    case Rejection::kNotSandbox:
      return error(400, "ERR_SANDBOX_002",
                   "The transaction does not belong to the sandbox. Create it with a test key.");
    case Rejection::kNoPixKey:
      return error(
          400, "ERR_STORE_001",
          "The project has no Pix key, so it cannot create live charges. Set one, or use a test key.");
    case Rejection::kCustomerNotFound:
      return error(404, "ERR_CUSTOMER_001", "There is no such customer.");
    case Rejection::kCustomerBlocked:
      return error(403, "ERR_CUSTOMER_002", "The customer is blocked.");
    case Rejection::kBlocklisted:
      return error(403, "ERR_FRAUD_001", "The payer's IP address, document or e-mail is blocked.");
    case Rejection::kChannelLimit:
      return error(400, "ERR_CHANNEL_002",
                   "A project can have 10 notification channels, and 10 more that are told of the sandbox "
                   "alone.");
    case Rejection::kChannelNotFound:
      return error(404, "ERR_CHANNEL_001", "There is no such notification channel.");
    case Rejection::kChannelInactive:
      return error(400, "ERR_CHANNEL_003",
                   "The notification channel is not active. Set isActive to true first.");
    case Rejection::kDeliveryNotFound:
      return error(404, "ERR_DELIVERY_001", "There is no such delivery.");
    case Rejection::kBlocklistEntryNotFound:
      return error(404, "ERR_BLOCKLIST_001", "There is no such blocklist entry.");
    case Rejection::kUnknownConnection:
      return violation(request, "connectionId", kConnectionRule);
    case Rejection::kInvalidDocumentCheckDigits:
      return violation(request, document_field(request), domain::kCheckDigitsRule);
    case Rejection::kBlockExpiryInPast:
      return violation(request, "expiresAt", "must be in the future");
    case Rejection::kWebhookTargetRefused:
      return violation(request, target_field(request), kTargetRule);
    case Rejection::kWebhookTargetUnknown:
      return transport_error_reply(request, 503,
                                   "The name servers did not tell in time where " +
                                       std::string(target_field(request)) + " leads. Try again.");
    case Rejection::kWebhookEventsNeedV2:
      return violation(request, "events", kEventsNeedV2);
    case Rejection::kChannelAddedMeanwhile:
      return transport_error_reply(request, 503, "Other channels are being added. Try again.");
    case Rejection::kBlocklistLimit:
      return violation(request, "value", kBlocklistFull);
    case Rejection::kLiveForTestKey:
      return error(403, "ERR_AUTH_010",
                   "This is live, and a test key sees and touches the sandbox alone. Use a live key.");
    case Rejection::kNoCode:
      return error(424, "ERR_PROVIDER_001",
                   "The bank gave no code for this transaction, so it has failed. Create another one.");
    case Rejection::kBankSilent: {
      auto reply = error(503, "ERR_PROVIDER_002",
                         "The bank does not answer in time. Try again; with an Idempotency-Key nothing is "
                         "done twice.");
      reply.headers.push_back({"Retry-After", "1"});
      return reply;
    }
    case Rejection::kCheckoutSessionNotFound:
      return error(404, "ERR_CHECKOUT_001", "There is no such checkout session.");
    case Rejection::kCheckoutSessionNotOpen:
      return error(400, "ERR_CHECKOUT_002",
                   "The checkout session is not open any more, or has had 5 transactions.");
    case Rejection::kCheckoutSessionChangedMeanwhile:
      return transport_error_reply(request, 503, "The checkout session is being changed. Try again.");
    case Rejection::kMemberNotFound:
      return error(404, "ERR_MEMBER_001", "The project has no such member.");
    case Rejection::kLastOwner:
      return error(400, "ERR_MEMBER_002",
                   "This is the project's last owner, who can neither be removed nor lose the role.");
    case Rejection::kMemberLimit:
      return violation(request, "email", kTeamFull);
    case Rejection::kMembershipEnded:
      return error(403, "ERR_AUTH_012", "Your role in this project has changed.");
    case Rejection::kApiKeyNotFound:
      return error(404, "ERR_KEY_001", "The project has no such API key.");
    case Rejection::kPaymentNotFound:
      return error(404, "ERR_PAYMENT_001", "There is no payment to settle with this end-to-end id.");
    case Rejection::kPaymentGoesBack:
      return error(400, "ERR_TRANSACTION_002", "The payment is on its way back to its payer already.");
    case Rejection::kPaymentOutsideBank:
      return violation(request, "sendBack",
                       "must not be true: no bank moves this money from here; send it back yourself");
    case Rejection::kEndToEndIdTaken:
      return violation(request, "endToEndId", kPaymentTaken);
    case Rejection::kPaymentUnmatched:
      return violation(request, "endToEndId", kPaymentShownOtherwise);
    case Rejection::kPaymentInFuture:
      return violation(request, "paidAt", "must not be more than five minutes ahead of the ledger's time");
    case Rejection::kPaymentBeforeCharge:
      return violation(request, "paidAt",
                       "must not be more than five minutes before the transaction was created");
    case Rejection::kUnmatchedPaymentNotFound:
    case Rejection::kUnmatchedPaymentSettled:
    case Rejection::kPaymentOfOtherEnvironment:
    case Rejection::kRefundNotFound:
    case Rejection::kProjectNotFound:
    case Rejection::kConnectionAliasTaken:
    case Rejection::kConnectionLimit:
    case Rejection::kConnectionIsDefault:
    case Rejection::kConnectionDisabled:
    case Rejection::kConnectionChangedMeanwhile:
    case Rejection::kNotApiPix:
      break;  // only for operators' commands
  }
  throw std::logic_error("a rejection that this endpoint cannot have");
}

Answer execute(const Request& request, domain::Command&& command,
               std::optional<eventstore::IdempotencyKey> idempotency, Render render, Reject reject) {
  const auto& caller = *request.caller;
  return Submission{.command = {.command = std::move(command),
                                .actor = actor_of(caller),
                                .api_key = caller.key,
                                .request_id = request.request_id,
                                .idempotency = std::move(idempotency),
                                .membership = membership_of(caller)},
                    .answer = [&request, render = std::move(render),
                               reject = std::move(reject)](const eventstore::Result& result) {
                      return std::visit(ReplyTo{request, render, reject}, result);
                    }};
}

Answer execute_once(const Request& request, domain::Command&& command, std::string_view canonical_body,
                    Render render, Reject reject) {
  auto idempotency = read_idempotency_key(request, canonical_body);
  if (auto* refused = std::get_if<Reply>(&idempotency)) return std::move(*refused);
  return execute(request, std::move(command),
                 std::get<std::optional<eventstore::IdempotencyKey>>(std::move(idempotency)),
                 std::move(render), std::move(reject));
}

}  // namespace pixledger::http
