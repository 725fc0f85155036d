#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/aggregates/refund.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/names.h"
#include "domain/values/stream_name.h"

// Money that arrived at a bank, on a connection's key, and fits no charge. Each payment has its own stream,
// so it is recorded once. Payments known to a charge are never recorded here, nor is any data of the payer.
namespace pixledger::domain {

// Stored by number; the texts are shown.
enum class UnmatchedReason : std::uint8_t {
  kNoTxid = 1,
  kUnknownCharge = 2,     // the txid is of no charge here: foreign, or lost by a restore
  kOtherProject = 3,      // the txid is of a charge of another project
  kOtherEnvironment = 4,  // the txid is of a charge of the other environment
  kNotThroughBank = 5,    // the charge's payments are not reported by a bank
  kBeforeCharge = 6,      // paid before the charge was created
};
std::string_view to_string(UnmatchedReason reason);  // "no_txid"

// The first event of its stream.
struct PaymentUnmatched {
  EndToEndId end_to_end_id;
  ProjectId project;
  Environment environment;
  ConnectionId connection;
  Cents amount;
  Timestamp paid_at;         // as the bank says
  std::optional<Txid> txid;  // as the bank says
  UnmatchedReason reason;

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &PaymentUnmatched::end_to_end_id),
                envelope_field("projectId", &PaymentUnmatched::project),
                field("environment", &PaymentUnmatched::environment),
                field("connectionId", &PaymentUnmatched::connection).stored_as("connection"),
                field("amountCents", &PaymentUnmatched::amount), field("paidAt", &PaymentUnmatched::paid_at),
                field("txid", &PaymentUnmatched::txid), field("reason", &PaymentUnmatched::reason));
  }
};
// Assigned to a charge after all; the charge's own event follows.
struct PaymentAssigned {
  ChargeId charge;

  static constexpr auto fields(auto with) {
    return with(field("transactionId", &PaymentAssigned::charge).stored_as("charge"));
  }
};
// Closed without moving money.
struct PaymentClosed {
  std::optional<Label> reason;  // personal

  static constexpr auto fields(auto with) { return with(personal_field("reason", &PaymentClosed::reason)); }
};
// The whole payment has to be returned. The id is the devolução's, and never changes.
struct PaymentReturnRequested {
  RefundId id;
  std::optional<Label> reason;  // personal

  static constexpr auto fields(auto with) {
    return with(field("refundId", &PaymentReturnRequested::id).stored_as("id"),
                personal_field("reason", &PaymentReturnRequested::reason));
  }
};
// The rest was returned, on request or as the last part that the bank returned by itself.
struct PaymentReturned {
  RefundId id;
  Timestamp returned_at;  // as the bank says

  static constexpr auto fields(auto with) {
    return with(field("refundId", &PaymentReturned::id).stored_as("id"),
                field("returnedAt", &PaymentReturned::returned_at));
  }
};
// The bank will not return it: the payment is open again.
struct PaymentReturnFailed {
  RefundId id;
  std::optional<Label> reason;  // the bank's words; personal

  static constexpr auto fields(auto with) {
    return with(field("refundId", &PaymentReturnFailed::id).stored_as("id"),
                personal_field("reason", &PaymentReturnFailed::reason));
  }
};
// The bank returned money of the payment on its own initiative.
struct UnmatchedPaymentReversed {
  RefundId id;
  ReturnId return_id;
  Cents amount;
  Timestamp reversed_at;  // as the bank says

  static constexpr auto fields(auto with) {
    using Of = UnmatchedPaymentReversed;
    return with(field("refundId", &Of::id).stored_as("id"), field("returnId", &Of::return_id),
                field("amountCents", &Of::amount), field("reversedAt", &Of::reversed_at));
  }
};
using PaymentEvent = std::variant<PaymentUnmatched, PaymentAssigned, PaymentClosed, PaymentReturnRequested,
                                  PaymentReturned, PaymentReturnFailed, UnmatchedPaymentReversed>;

// Stored in read models by number.
enum class UnmatchedState : std::uint8_t {
  kOpen = 1,
  kAssigned = 2,
  kClosed = 3,
  kReturning = 4,  // requested; the bank has not confirmed it
  kReturned = 5,
};
std::string_view to_string(UnmatchedState state);  // "open"

struct UnmatchedPayment {
  EndToEndId end_to_end_id;
  ProjectId project;
  Environment environment;
  ConnectionId connection;
  Cents amount;
  Timestamp paid_at;
  std::optional<Txid> txid;
  UnmatchedReason reason;
  UnmatchedState state = UnmatchedState::kOpen;
  std::optional<ChargeId> charge{};     // only in kAssigned
  std::optional<RefundId> return_id{};  // of the last return requested or made
  std::optional<Timestamp> returned_at{};
  std::optional<Label> close_reason{};    // personal: not stored in rows
  std::optional<Label> return_failure{};  // the same
  Timestamp recorded_at{};
  Timestamp updated_at{};
  std::vector<ReversedPart> reversed{};  // by the bank's own initiative; at most the payment's amount

  static constexpr auto fields(auto with) {
    using Of = UnmatchedPayment;
    return with(field("endToEndId", &Of::end_to_end_id), field("projectId", &Of::project),
                field("environment", &Of::environment), field("connectionId", &Of::connection),
                field("amountCents", &Of::amount), field("paidAt", &Of::paid_at), field("txid", &Of::txid),
                field("reason", &Of::reason), field("state", &Of::state), field("transactionId", &Of::charge),
                field("refundId", &Of::return_id), field("returnedAt", &Of::returned_at),
                passing_field("closeReason", &Of::close_reason),
                passing_field("returnFailure", &Of::return_failure), field("recordedAt", &Of::recorded_at),
                field("updatedAt", &Of::updated_at), field("reversed", &Of::reversed));
  }
};

// The amount returned through the bank.
inline Cents gone_back(const UnmatchedPayment& payment) {
  return payment.state == UnmatchedState::kReturned ? payment.amount : sum_of(payment.reversed);
}

inline bool is_open(const UnmatchedPayment& payment) { return payment.state == UnmatchedState::kOpen; }

// Case matters, as in the id.
StreamName payment_stream(const EndToEndId& id);

std::optional<UnmatchedPayment> apply(std::optional<UnmatchedPayment> payment, const PaymentEvent& event,
                                      Timestamp at);

}  // namespace pixledger::domain
