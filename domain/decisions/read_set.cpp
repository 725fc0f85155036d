#include "domain/decisions/dispatch.h"

namespace pixledger::domain {
namespace {

struct AddNeeds {
  ReadSet& read_set;

  void stream(StreamName name) const { read_set.streams.push_back(std::move(name)); }
  void charge(const ChargeId& id, const Caller& caller) const {
    stream(charge_stream(id));
    if (caller.project) stream(project_stream(*caller.project));
  }

  // All that is known of it.
  void payment(const EndToEndId& id) const {
    stream(payment_stream(id));
    read_set.claims.push_back(end_to_end_claim(id));
  }

  void payer(const ProjectId& project, Environment environment, const DocumentToken& token) const {
    stream(blocklist_stream(project, environment));
    stream(customer_stream(project, environment, token));
  }
  void session(const CheckoutSessionId& id, const std::optional<ChargeId>& newest) const {
    stream(checkout_stream(id));
    if (newest) stream(charge_stream(*newest));
  }

  void operator()(const CreateProject&) const {}
  void operator()(const ChangeStoreSettings& command) const { stream(project_stream(command.project)); }
  void operator()(const AddConnection& command) const { stream(project_stream(command.project)); }
  void operator()(const IssueApiKey& command) const { stream(project_stream(command.project)); }
  void operator()(const RollApiKey& command) const { stream(api_key_stream(command.old_id)); }
  void operator()(const RevokeApiKey& command) const { stream(api_key_stream(command.id)); }
  void operator()(const AddChannel& command) const {
    stream(project_stream(command.project));
    read_set.claims.push_back(channel_number_claim(command.project, command.number));
  }
  void operator()(const UpdateChannel& command) const { stream(channel_stream(command.id)); }
  void operator()(const DeleteChannel& command) const { stream(channel_stream(command.id)); }
  void operator()(const RotateChannelSecret& command) const { stream(channel_stream(command.id)); }
  void operator()(const DisableChannel& command) const { stream(channel_stream(command.id)); }
  void operator()(const RequestChannelTest& command) const { stream(channel_stream(command.id)); }
  void operator()(const RequestRedelivery& command) const { stream(channel_stream(command.id)); }
  void operator()(const RequestRecovery& command) const { stream(channel_stream(command.id)); }
  void operator()(const AddBlocklistEntry& command) const {
    stream(blocklist_stream(command.project, command.environment));
  }
  void operator()(const RemoveBlocklistEntry& command) const {
    stream(blocklist_stream(command.project, Environment::kLive));
    stream(blocklist_stream(command.project, Environment::kSandbox));
  }
  void operator()(const SaveCustomer& command) const {
    stream(project_stream(command.project));
    stream(customer_stream(command.project, command.environment, command.token));
  }
  void operator()(const BlockCustomer& command) const { stream(command.customer); }
  void operator()(const UnblockCustomer& command) const { stream(command.customer); }
  void operator()(const EraseCustomer& command) const { stream(command.customer); }
  void operator()(const CreateCharge& command) const {
    stream(project_stream(command.project));
    payer(command.project, command.environment, command.token);
  }
  void operator()(const PaySandboxCharge& command) const { charge(command.charge, command.caller); }
  void operator()(const ExpireSandboxCharge& command) const { stream(charge_stream(command.charge)); }
  void operator()(const FailSandboxCharge& command) const { stream(charge_stream(command.charge)); }
  void operator()(const ExpireOverdueCharge& command) const { stream(charge_stream(command.charge)); }
  void operator()(const CancelCharge& command) const { stream(charge_stream(command.charge)); }
  void operator()(const RefundCharge& command) const { stream(charge_stream(command.charge)); }
  void operator()(const ReportPayment& command) const {
    stream(charge_stream(command.charge));
    stream(project_stream(command.project));
    payment(command.end_to_end_id);
  }
  void operator()(const StartProcessing& command) const { stream(charge_stream(command.charge)); }
  void operator()(const FailCharge& command) const { stream(charge_stream(command.charge)); }
  void operator()(const AcceptUnappliedPayment& command) const {
    stream(charge_stream(command.charge));
    stream(project_stream(command.project));
  }
  void operator()(const ReturnUnappliedPayment& command) const {
    stream(charge_stream(command.charge));
    stream(payment_stream(command.end_to_end_id));
  }
  void operator()(const RecordUnmatchedPayment& command) const {
    stream(project_stream(command.project));
    payment(command.end_to_end_id);
  }
  void operator()(const AssignPayment& command) const {
    stream(charge_stream(command.charge));
    stream(project_stream(command.project));
    payment(command.end_to_end_id);
  }
  void operator()(const ClosePayment& command) const { payment(command.end_to_end_id); }
  void operator()(const SettlePaymentReturn& command) const { stream(payment_stream(command.end_to_end_id)); }
  void operator()(const FailPaymentReturn& command) const { stream(payment_stream(command.end_to_end_id)); }
  void operator()(const SettleUnappliedReturn& command) const { stream(charge_stream(command.charge)); }
  void operator()(const FailUnappliedReturn& command) const { stream(charge_stream(command.charge)); }
  void operator()(const ReportUnmatchedReversal& command) const {
    payment(command.end_to_end_id);
    read_set.claims.push_back(return_claim(command.return_id));
  }
  void operator()(const ReportUnappliedReversal& command) const {
    stream(charge_stream(command.charge));
    read_set.claims.push_back(return_claim(command.return_id));
  }
  void operator()(const AddBankConnection& command) const {
    stream(project_stream(command.project));
    stream(connection_stream(command.id));
  }
  void operator()(const ChangeConnection& command) const {
    stream(project_stream(command.project));
    if (command.configuration) stream(connection_stream(command.connection));
  }
  void operator()(const SetDefaultConnection& command) const { stream(project_stream(command.project)); }
  void operator()(const NoteCallback& command) const { stream(connection_stream(command.connection)); }
  void operator()(const SetChargeCode& command) const { stream(charge_stream(command.charge)); }
  void operator()(const EndCodeWait& command) const { stream(charge_stream(command.charge)); }
  void operator()(const ConfirmCancel& command) const { stream(charge_stream(command.charge)); }
  void operator()(const DropCancel& command) const { stream(charge_stream(command.charge)); }
  void operator()(const SettleRefund& command) const { stream(charge_stream(command.charge)); }
  void operator()(const FailRefund& command) const { stream(charge_stream(command.charge)); }
  void operator()(const ReportReversal& command) const {
    stream(charge_stream(command.charge));
    read_set.claims.push_back(return_claim(command.return_id));
  }
  void operator()(const CreateCheckoutSession& command) const {
    stream(project_stream(command.project));
    if (command.payer) payer(command.project, command.environment, command.payer->token);
  }
  void operator()(const AddCheckoutCharge& command) const {
    stream(project_stream(command.project));
    payer(command.project, command.environment, command.payer.token);
    session(command.session, command.newest);
  }
  void operator()(const CancelCheckoutSession& command) const { session(command.session, command.newest); }
  void operator()(const ExpireCheckoutSession& command) const { session(command.session, std::nullopt); }
  void operator()(const AddMember& command) const {
    stream(project_stream(command.project));
    stream(team_stream(command.project));
  }
  void operator()(const ChangeMemberRole& command) const { stream(team_stream(command.project)); }
  void operator()(const RemoveMember& command) const { stream(team_stream(command.project)); }
  void operator()(const InviteMember& command) const { stream(team_stream(command.project)); }
};

}  // namespace

void add_to_read_set(const Command& command, ReadSet& read_set) { std::visit(AddNeeds{read_set}, command); }

}  // namespace pixledger::domain
