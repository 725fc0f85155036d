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

// Money that arrived at a bank, on the key of a connection, and fits no charge. Its stream is that of the
// payment, so that it is recorded once. One that a charge has is never recorded so, and nothing of the payer
// is.
namespace pixledger::domain {

// Stored by number; the texts are shown.
enum class UnmatchedReason : std::uint8_t {
  kNoTxid = 1,
  kUnknownCharge = 2,     // a txid that is no charge's here: somebody else's, or forgotten by a restore
  kOtherProject = 3,      // of a charge of another project
  kOtherEnvironment = 4,  // of a charge of the other world, live or sandbox
  kNotThroughBank = 5,    // of a charge whose payments no bank tells
  kBeforeCharge = 6,      // made before its charge was
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
// It is a charge's after all, whose own event follows.
struct PaymentAssigned {
  ChargeId charge;

  static constexpr auto fields(auto with) {
    return with(field("transactionId", &PaymentAssigned::charge).stored_as("charge"));
  }
};
// The matter is closed, without moving money.
struct PaymentClosed {
  std::optional<Label> reason;  // personal

  static constexpr auto fields(auto with) { return with(personal_field("reason", &PaymentClosed::reason)); }
};
// The whole of it is to go back. The id is the devolução's, and never changes.
struct PaymentReturnRequested {
  RefundId id;
  std::optional<Label> reason;  // personal

  static constexpr auto fields(auto with) {
    return with(field("refundId", &PaymentReturnRequested::id).stored_as("id"),
                personal_field("reason", &PaymentReturnRequested::reason));
  }
};
// What was left of it went back: as it was asked for, or with the last that the bank sent back by itself.
struct PaymentReturned {
  RefundId id;
  Timestamp returned_at;  // as the bank says

  static constexpr auto fields(auto with) {
    return with(field("refundId", &PaymentReturned::id).stored_as("id"),
                field("returnedAt", &PaymentReturned::returned_at));
  }
};
// The bank will not send it back: it is open again.
struct PaymentReturnFailed {
  RefundId id;
  std::optional<Label> reason;  // the bank's words; personal

  static constexpr auto fields(auto with) {
    return with(field("refundId", &PaymentReturnFailed::id).stored_as("id"),
                personal_field("reason", &PaymentReturnFailed::reason));
  }
};
// The bank has sent money of it back by itself.
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
  kReturning = 4,  // asked for, and the bank has not said yet
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
  std::optional<ChargeId> charge{};     // of kAssigned
  std::optional<RefundId> return_id{};  // of the last return that was asked for, or was made
  std::optional<Timestamp> returned_at{};
  std::optional<Label> close_reason{};    // personal: in no row
  std::optional<Label> return_failure{};  // the same
  Timestamp recorded_at{};
  Timestamp updated_at{};
  std::vector<ReversedPart> reversed{};  // by the bank itself, and no more than the payment

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

// What of it has gone back through its bank.
inline Cents gone_back(const UnmatchedPayment& payment) {
  return payment.state == UnmatchedState::kReturned ? payment.amount : sum_of(payment.reversed);
}

inline bool is_open(const UnmatchedPayment& payment) { return payment.state == UnmatchedState::kOpen; }

// Case matters, as in the id.
StreamName payment_stream(const EndToEndId& id);

std::optional<UnmatchedPayment> apply(std::optional<UnmatchedPayment> payment, const PaymentEvent& event,
                                      Timestamp at);

}  // namespace pixledger::domain
