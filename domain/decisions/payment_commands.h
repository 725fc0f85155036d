#pragma once

#include <optional>

#include "domain/aggregates/unmatched_payment.h"

// About money that fits no charge, and about money that goes back without ever having paid one.
namespace pixledger::domain {

// By the banks' worker. Recorded once; nothing of a payment that a charge has.
struct RecordUnmatchedPayment {
  ProjectId project;
  ConnectionId connection;
  EndToEndId end_to_end_id;
  Cents amount;  // above zero: the edge sees to it
  Timestamp paid_at;
  std::optional<Txid> txid;
  UnmatchedReason reason;
};
// It is reported for that charge, by the rules of ReportPayment.
struct AssignPayment {
  ProjectId project;
  EndToEndId end_to_end_id;
  ChargeId charge;
};
struct ClosePayment {
  ProjectId project;
  EndToEndId end_to_end_id;
  bool send_back;  // through its bank, also of one that is closed already; else no money moves
  std::optional<Label> reason;
};

// What its bank has sent back of it by itself, all of it or a part. Counts once, and settles the payment once
// nothing is left; nothing of one that is a charge's.
struct ReportUnmatchedReversal {
  EndToEndId end_to_end_id;
  RefundId id;
  ReturnId return_id;
  Cents amount;  // above zero: the edge sees to it
  Timestamp reversed_at;
};
// Likewise of what a charge has, or had, unapplied. One that was settled by hand stays settled.
struct ReportUnappliedReversal {
  ChargeId charge;
  EndToEndId end_to_end_id;
  RefundId id;
  ReturnId return_id;
  Cents amount;  // above zero: the edge sees to it
  Timestamp reversed_at;
};

// The bank has sent back what was left of an unmatched payment, as it was asked to.
struct SettlePaymentReturn {
  EndToEndId end_to_end_id;
  RefundId id;
  Timestamp returned_at;
};
// The money will not go back.
struct FailPaymentReturn {
  EndToEndId end_to_end_id;
  RefundId id;
  std::optional<Label> reason;  // in fixed words: a bank's own may name the payer
};
// Likewise of what a charge has unapplied.
struct SettleUnappliedReturn {
  ChargeId charge;
  EndToEndId end_to_end_id;
  RefundId id;
  Timestamp returned_at;
};
struct FailUnappliedReturn {
  ChargeId charge;
  EndToEndId end_to_end_id;
  RefundId id;
  std::optional<Label> reason;
};

}  // namespace pixledger::domain
