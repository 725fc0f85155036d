#pragma once

#include "domain/aggregates/event.h"
#include "tests/support/domain/sample_values.h"

// Of golden_events.h: payments that fit no charge.
namespace pixledger::tests::golden {

using namespace domain;

struct PaymentFrom {
  ProjectId project;
  ConnectionId connection;
  ChargeId charge;
  EndToEndId payment;
  RefundId refund;
  Timestamp later;
};

template <class Add>
void add_payment_events(const Add& add, const PaymentFrom& of) {
  const auto add_to_payment = [&](const char* file, PaymentEvent event) {
    add(file, payment_stream(of.payment), std::move(event));
  };
  PaymentUnmatched unmatched{.end_to_end_id = of.payment,
                             .project = of.project,
                             .environment = Environment::kSandbox,
                             .connection = of.connection,
                             .amount = Cents(1'990),
                             .paid_at = of.later,
                             .txid = parsed<Txid>("pcmb3k9x2a0008log1r3f1n2d0"),
                             .reason = UnmatchedReason::kUnknownCharge};
  add_to_payment("PaymentUnmatched", unmatched);
  unmatched.environment = Environment::kLive;
  unmatched.txid.reset();
  unmatched.reason = UnmatchedReason::kNoTxid;
  add_to_payment("PaymentUnmatched-least", unmatched);
  add_to_payment("PaymentAssigned", PaymentAssigned{of.charge});
  add_to_payment("PaymentClosed", PaymentClosed{parsed<Label>("devolvido em mãos")});
  add_to_payment("PaymentClosed-least", PaymentClosed{std::nullopt});
  add_to_payment("PaymentReturnRequested", PaymentReturnRequested{of.refund, parsed<Label>("não é nosso")});
  add_to_payment("PaymentReturned", PaymentReturned{of.refund, of.later});
  add_to_payment("PaymentReturnFailed", PaymentReturnFailed{of.refund, parsed<Label>("conta encerrada")});
}

template <class Add>
void add_payment_reversal(const Add& add, const EndToEndId& payment,
                          const UnmatchedPaymentReversed& reversed) {
  add("UnmatchedPaymentReversed", payment_stream(payment), PaymentEvent(reversed));
}

}  // namespace pixledger::tests::golden
