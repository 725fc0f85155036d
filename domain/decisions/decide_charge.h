#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about charges. Each is pure and lists its guards in the order in which the API documents its
// errors: existence, ownership, environment, state.
namespace pixledger::domain {

// Refunds of one charge: so what it has to tell, as in its receipt, has an end.
constexpr std::uint32_t kRefundsMax = 100;

// How far a reported payment's time may be before its charge's creation: nobody pays what is not there yet,
// and other people's clocks differ a little. Earlier releases recorded whatever was reported. A bank's word
// that is older is corrected where there is proof that the payment was made later: see paid_after().
constexpr std::int64_t kPaymentBeforeChargeMsMax = 5LL * 60 * 1000;

// The id of a devolução: `r` and a minted one.
inline RefundId mint_refund_id(const IdMint& ids, unsigned number = 0) {
  return *RefundId::parse("r" + mint_text(ids, number));
}

// Why money that arrives for the charge is left aside, in the documented order; nullopt when it pays it.
std::optional<PaymentFlag> flag_of(const Charge& charge, Cents amount, Timestamp paid_at);

// Whether it is earlier than the charge by more than clocks differ.
bool is_before(const Charge& charge, Timestamp paid_at);

// When a payment that its bank shows with an earlier time than the charge's creation was really made: by the
// minute in its end-to-end id, else, where its txid names the charge, as soon as there was the charge.
// nullopt: nothing says that it is younger than the charge.
std::optional<Timestamp> paid_after(const Charge& charge, const EndToEndId& id, bool names_charge,
                                    Timestamp now);

// Whether a return of that name has counted already, of whatever charge's payment.
using HasCounted = std::function<bool(const ReturnId&)>;

// What the creation of a charge depends on. Pointers may be null: nothing there yet.
struct CreationStates {
  const Project* project;
  const Customer* customer;
  const Blocklist* blocklist;
  // How many events a stream has; called for a creation that is refused, and then once.
  std::function<std::uint32_t(const StreamName&)> version_of;
};

// Whether a charge of that amount could be created there at all, whoever pays it; nothing when it could.
std::optional<Rejection> refusal_of_terms(const Project* project, Environment environment,
                                          const std::optional<ConnectionId>& connection, Cents amount);

Decision decide(const CreationStates& states, const CreateCharge& command, const Context& context);

Decision decide(const Charge* charge, const Project* project, const PaySandboxCharge&, const Context&);
Decision decide(const Charge* charge, const ExpireSandboxCharge&, const Context&);
Decision decide(const Charge* charge, const FailSandboxCharge&, const Context&);
Decision decide(const Charge* charge, const ExpireOverdueCharge&, const Context&);
Decision decide(const Charge* charge, const CancelCharge&, const Context&);
Decision decide(const Charge* charge, const RefundCharge&, const Context&);
// `holder` is the stream that already has this end-to-end id, or nullptr; `unmatched` the payment where a
// bank has shown it and it fitted no charge.
Decision decide(const Charge* charge, const Project* project, const UnmatchedPayment* unmatched,
                const StreamName* holder, const HasCounted& counted, const ReportPayment&, const Context&);
Decision decide(const Charge* charge, const StartProcessing&, const Context&);
Decision decide(const Charge* charge, const FailCharge&, const Context&);
Decision decide(const Charge* charge, const Project* project, const HasCounted& counted,
                const AcceptUnappliedPayment&, const Context&);
// `unmatched` is the payment where it was one at first.
Decision decide(const Charge* charge, const UnmatchedPayment* unmatched, const ReturnUnappliedPayment&,
                const Context&);
Decision decide(const Charge* charge, const SettleUnappliedReturn&, const Context&);
Decision decide(const Charge* charge, const StreamName* holder, const ReportUnappliedReversal&,
                const Context&);
Decision decide(const Charge* charge, const FailUnappliedReturn&, const Context&);

Decision decide(const Charge* charge, const SetChargeCode&, const Context&);
Decision decide(const Charge* charge, const EndCodeWait&, const Context&);
Decision decide(const Charge* charge, const ConfirmCancel&, const Context&);
Decision decide(const Charge* charge, const DropCancel&, const Context&);
Decision decide(const Charge* charge, const SettleRefund&, const Context&);
Decision decide(const Charge* charge, const FailRefund&, const Context&);
// `holder` is the stream that already has this return, or nullptr.
Decision decide(const Charge* charge, const StreamName* holder, const ReportReversal&, const Context&);

// What is recorded of a charge that still awaits its code before anything else is: the code that can be paid,
// or that there is none.
ChargeEvent end_of_code_wait(const Charge& charge, Timestamp now);

}  // namespace pixledger::domain
