#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "domain/aggregates/api_key.h"
#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/blocklist.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

namespace pixledger::domain {

// The decisions, one for each command. Each is pure and checks its guards in the order in which the API
// documents its errors: existence, ownership, environment, state. Pointers may be null: nothing there yet.

// --- charges ---

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

// What the creation of a charge depends on.
struct CreationStates {
  const Project* project;
  const Customer* customer;
  const Blocklist* blocklist;
  // How many events a stream has; called for a creation that is refused, and then once.
  std::function<std::uint32_t(const StreamName&)> version_of;
};

// Why no payer could get a charge of that amount there; nullopt if one could.
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
// or that the charge has no code.
ChargeEvent end_of_code_wait(const Charge& charge, Timestamp now);

// --- API keys ---

Decision decide(const Project* project, const IssueApiKey&, const Context&);
Decision decide(const ApiKey* old_key, const RollApiKey&, const Context&);
Decision decide(const ApiKey* key, const RevokeApiKey&, const Context&);

// --- connections to banks: a connection stands in two streams, its project's and its own ---

// `there` is what the new connection's stream holds: nothing, or the id was minted twice.
Decision decide(const Project* project, const BankConnection* there, const AddBankConnection&,
                const Context&);
// `bank` only where the command has a configuration.
Decision decide(const Project* project, const BankConnection* bank, const ChangeConnection&, const Context&);
Decision decide(const BankConnection* bank, const NoteCallback&, const Context&);

// --- blocklists ---

Decision decide(const Blocklist* blocklist, const AddBlocklistEntry&, const Context&);

// Both of a project's.
struct Blocklists {
  const Blocklist* live;
  const Blocklist* sandbox;
};
Decision decide(const Blocklists& blocklists, const RemoveBlocklistEntry&, const Context&);

// --- notification channels ---

// `number_taken`: whether another channel of the project has the command's number.
Decision decide(const Project* project, bool number_taken, const AddChannel&, const Context&);
Decision decide(const Channel* channel, const UpdateChannel&, const Context&);
Decision decide(const Channel* channel, const DeleteChannel&, const Context&);
Decision decide(const Channel* channel, const RotateChannelSecret&, const Context&);
Decision decide(const Channel* channel, const DisableChannel&, const Context&);
Decision decide(const Channel* channel, const RequestChannelTest&, const Context&);
Decision decide(const Channel* channel, const RequestRedelivery&, const Context&);
Decision decide(const Channel* channel, const RequestRecovery&, const Context&);

// Why the caller may not see or touch the channel; nullopt when it may. Another project's is not there, nor
// is that of a checkout session; one that is told of live charges, or once was, is refused to a test key.
std::optional<Rejection> guard_channel(const Channel* channel, const Caller& caller);

// The same of a delivery to the channel, which may be a session's.
std::optional<Rejection> guard_delivery(const Channel* channel, const Caller& caller);

// Nothing when webhooks may go there.
std::optional<Rejection> refusal_of(TargetVerdict verdict);

// --- checkout sessions ---

Decision decide(const CreationStates& states, const CreateCheckoutSession& command, const Context& context);

// `newest` is the charge that the command names, or nullptr.
Decision decide(const CreationStates& states, const CheckoutSession* session, const Charge* newest,
                const AddCheckoutCharge& command, const Context& context);

// `of_charge` is what cancelling the charge that the command names comes to, which may be that it cannot be.
Decision decide(const CheckoutSession* session, Decision of_charge, const CancelCheckoutSession& command,
                const Context& context);

Decision decide(const CheckoutSession* session, const ExpireCheckoutSession& command, const Context& context);

// What is recorded beside an event of a charge that belongs to a session; nothing beside most.
std::optional<NewEvent> session_event_beside(const Charge& charge, const ChargeEvent& event);

// --- customers ---

Decision decide(const Project* project, const Customer* customer, const SaveCustomer&, const Context&);
Decision decide(const Customer* customer, const BlockCustomer&, const Context&);
Decision decide(const Customer* customer, const UnblockCustomer&, const Context&);
Decision decide(const Customer* customer, const EraseCustomer&, const Context&);

// --- projects and their connections ---

Decision decide(const CreateProject&, const Context&);
Decision decide(const Project* project, const ChangeStoreSettings&, const Context&);
Decision decide(const Project* project, const AddConnection&, const Context&);
Decision decide(const Project* project, const SetDefaultConnection&, const Context&);

// --- a project's team ---

Decision decide(const Project* project, const Team* team, const AddMember&, const Context&);
Decision decide(const Team* team, const ChangeMemberRole&, const Context&);
Decision decide(const Team* team, const RemoveMember&, const Context&);
Decision decide(const Team* team, const InviteMember&, const Context&);

// --- money that fits no charge ---

// `holder` is the charge's stream that already has this end-to-end id, or nullptr.
Decision decide(const Project* project, const UnmatchedPayment* known, const StreamName* holder,
                const RecordUnmatchedPayment&, const Context&);
Decision decide(const UnmatchedPayment* payment, const Charge* charge, const Project* project,
                const StreamName* holder, const HasCounted& counted, const AssignPayment&, const Context&);
Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const ClosePayment&,
                const Context&);
Decision decide(const UnmatchedPayment* payment, const SettlePaymentReturn&, const Context&);
Decision decide(const UnmatchedPayment* payment, const FailPaymentReturn&, const Context&);
// `counted`: what has the return's name.
Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const StreamName* counted,
                const ReportUnmatchedReversal&, const Context&);

}  // namespace pixledger::domain
