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

// The decisions, one per command. Each is pure and checks its guards in the order of the API's documented
// errors: existence, ownership, environment, state. A null pointer means that the object does not exist.

// --- charges ---

// Refunds per charge; bounds reports such as the receipt.
constexpr std::uint32_t kRefundsMax = 100;

// How far a reported payment time may precede the charge's creation, to allow for clock differences. Earlier
// releases accepted any time. An older time from a bank is corrected if there is proof that the payment was
// later: see paid_after().
constexpr std::int64_t kPaymentBeforeChargeMsMax = 5LL * 60 * 1000;

// The id of a devolução: `r` and a minted id.
inline RefundId mint_refund_id(const IdMint& ids, unsigned number = 0) {
  return *RefundId::parse("r" + mint_text(ids, number));
}

// Why arriving money is not applied to the charge, in the documented order; nullopt if it pays the charge.
std::optional<PaymentFlag> flag_of(const Charge& charge, Cents amount, Timestamp paid_at);

// Whether the time precedes the charge by more than clock differences explain.
bool is_before(const Charge& charge, Timestamp paid_at);

// The real time of a payment that its bank dates before the charge's creation. Taken from the minute in its
// end-to-end id or, if its txid names the charge, the charge's creation. nullopt without such proof.
std::optional<Timestamp> paid_after(const Charge& charge, const EndToEndId& id, bool names_charge,
                                    Timestamp now);

// Whether a return of that id was already counted, for any charge.
using HasCounted = std::function<bool(const ReturnId&)>;

// The state that creating a charge depends on.
struct CreationStates {
  const Project* project;
  const Customer* customer;
  const Blocklist* blocklist;
  // The number of a stream's events; called only if the creation is refused, and then once.
  std::function<std::uint32_t(const StreamName&)> version_of;
};

// Why no payer could create a charge of that amount; nullopt if one could.
std::optional<Rejection> refusal_of_terms(const Project* project, Environment environment,
                                          const std::optional<ConnectionId>& connection, Cents amount);

Decision decide(const CreationStates& states, const CreateCharge& command, const Context& context);

Decision decide(const Charge* charge, const Project* project, const PaySandboxCharge&, const Context&);
Decision decide(const Charge* charge, const ExpireSandboxCharge&, const Context&);
Decision decide(const Charge* charge, const FailSandboxCharge&, const Context&);
Decision decide(const Charge* charge, const ExpireOverdueCharge&, const Context&);
Decision decide(const Charge* charge, const CancelCharge&, const Context&);
Decision decide(const Charge* charge, const RefundCharge&, const Context&);
// `holder` is the stream that already claims this end-to-end id, or nullptr. `unmatched` is the bank's
// unmatched payment of that id, or nullptr.
Decision decide(const Charge* charge, const Project* project, const UnmatchedPayment* unmatched,
                const StreamName* holder, const HasCounted& counted, const ReportPayment&, const Context&);
Decision decide(const Charge* charge, const StartProcessing&, const Context&);
Decision decide(const Charge* charge, const FailCharge&, const Context&);
Decision decide(const Charge* charge, const Project* project, const HasCounted& counted,
                const AcceptUnappliedPayment&, const Context&);
// `unmatched` is the payment's earlier unmatched record, or nullptr.
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
// `holder` is the stream that already claims this return, or nullptr.
Decision decide(const Charge* charge, const StreamName* holder, const ReportReversal&, const Context&);

// The event that ends the wait for a code, recorded before any other change: the payable code, or failure
// without a code.
ChargeEvent end_of_code_wait(const Charge& charge, Timestamp now);

// --- API keys ---

Decision decide(const Project* project, const IssueApiKey&, const Context&);
Decision decide(const ApiKey* old_key, const RollApiKey&, const Context&);
Decision decide(const ApiKey* key, const RevokeApiKey&, const Context&);

// --- connections to banks: recorded in two streams, the project's and the connection's own ---

// `there` is the state of the new connection's stream; non-null only if an id was minted twice.
Decision decide(const Project* project, const BankConnection* there, const AddBankConnection&,
                const Context&);
// `bank` is needed only if the command has a configuration.
Decision decide(const Project* project, const BankConnection* bank, const ChangeConnection&, const Context&);
Decision decide(const BankConnection* bank, const NoteCallback&, const Context&);

// --- blocklists ---

Decision decide(const Blocklist* blocklist, const AddBlocklistEntry&, const Context&);

// Both blocklists of a project.
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

// Why the caller may not access the channel, or nullopt. Channels of other projects and of checkout sessions
// count as missing. Test keys are refused channels that receive, or once received, live charges.
std::optional<Rejection> guard_channel(const Channel* channel, const Caller& caller);

// The same for a delivery to the channel, which may belong to a session.
std::optional<Rejection> guard_delivery(const Channel* channel, const Caller& caller);

// nullopt if webhooks may go there.
std::optional<Rejection> refusal_of(TargetVerdict verdict);

// --- checkout sessions ---

Decision decide(const CreationStates& states, const CreateCheckoutSession& command, const Context& context);

// `newest` is the charge that the command names, or nullptr.
Decision decide(const CreationStates& states, const CheckoutSession* session, const Charge* newest,
                const AddCheckoutCharge& command, const Context& context);

// `of_charge` is the decision on cancelling the charge that the command names; it may be a rejection.
Decision decide(const CheckoutSession* session, Decision of_charge, const CancelCheckoutSession& command,
                const Context& context);

Decision decide(const CheckoutSession* session, const ExpireCheckoutSession& command, const Context& context);

// The session event to record with a charge's event; nullopt for most.
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

// `holder` is the charge's stream that already claims this end-to-end id, or nullptr.
Decision decide(const Project* project, const UnmatchedPayment* known, const StreamName* holder,
                const RecordUnmatchedPayment&, const Context&);
Decision decide(const UnmatchedPayment* payment, const Charge* charge, const Project* project,
                const StreamName* holder, const HasCounted& counted, const AssignPayment&, const Context&);
Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const ClosePayment&,
                const Context&);
Decision decide(const UnmatchedPayment* payment, const SettlePaymentReturn&, const Context&);
Decision decide(const UnmatchedPayment* payment, const FailPaymentReturn&, const Context&);
// `counted`: the stream that claims the return's id.
Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const StreamName* counted,
                const ReportUnmatchedReversal&, const Context&);

}  // namespace pixledger::domain
