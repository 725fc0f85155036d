#include "domain/decisions/dispatch.h"

#include "domain/decisions/decide.h"

namespace pixledger::domain {
namespace {

template <class T>
const T* find(const States& states, const StreamName& stream) {
  const auto* state = states.find(stream);
  return state ? std::get_if<T>(state) : nullptr;
}

struct Decide {
  const States& states;
  const Context& context;

  const Project* project(const ProjectId& id) const { return find<Project>(states, project_stream(id)); }
  const Charge* charge(const ChargeId& id) const { return find<Charge>(states, charge_stream(id)); }
  const ApiKey* key(const ApiKeyId& id) const { return find<ApiKey>(states, api_key_stream(id)); }
  const Blocklist* blocklist(const ProjectId& id, Environment environment) const {
    return find<Blocklist>(states, blocklist_stream(id, environment));
  }
  const Customer* customer(const StreamName& stream) const { return find<Customer>(states, stream); }
  // An erased customer counts as missing for new requests with the same document.
  const Customer* payer(const ProjectId& of, Environment environment, const DocumentToken& token) const {
    const auto* found = customer(customer_stream(of, environment, token));
    return found && !found->erased_at ? found : nullptr;
  }
  CreationStates creation(const ProjectId& of, Environment environment, const DocumentToken* token) const {
    return {.project = project(of),
            .customer = token ? payer(of, environment, *token) : nullptr,
            .blocklist = token ? blocklist(of, environment) : nullptr,
            .version_of = [this](const StreamName& stream) { return states.version_of(stream); }};
  }
  const CheckoutSession* session(const CheckoutSessionId& id) const {
    return find<CheckoutSession>(states, checkout_stream(id));
  }
  const Team* team(const ProjectId& id) const { return find<Team>(states, team_stream(id)); }
  const Channel* channel(const ChannelId& id) const { return find<Channel>(states, channel_stream(id)); }
  const UnmatchedPayment* unmatched(const EndToEndId& id) const {
    return find<UnmatchedPayment>(states, payment_stream(id));
  }
  const StreamName* holder(const EndToEndId& id) const { return states.claim_holder(end_to_end_claim(id)); }
  HasCounted has_counted() const {
    return [this](const ReturnId& name) { return states.holder_of(return_claim(name)).has_value(); };
  }
  const BankConnection* bank(const ConnectionId& id) const {
    return find<BankConnection>(states, connection_stream(id));
  }

  // `make` decides on the charge. If the charge still awaits its code, a change ends that wait first. So does
  // any command after the deadline.
  template <class Make>
  Decision on_charge(const ChargeId& id, Make make) const {
    const auto* found = charge(id);
    if (!found || !awaits_code(*found)) return make(found);
    const auto first = end_of_code_wait(*found, context.now);
    const auto decided = apply(std::optional(*found), first, context.now);
    auto decision = make(&*decided);
    if (!decision.events.empty() || context.now >= *found->code_awaited_until)
      decision.events.insert(decision.events.begin(), {charge_stream(id), found->project, first});
    return decision;
  }

  Decision operator()(const CreateProject& command) const { return decide(command, context); }
  Decision operator()(const ChangeStoreSettings& command) const {
    return decide(project(command.project), command, context);
  }
  Decision operator()(const AddConnection& command) const {
    return decide(project(command.project), command, context);
  }
  Decision operator()(const IssueApiKey& command) const {
    return decide(project(command.project), command, context);
  }
  Decision operator()(const RollApiKey& command) const {
    return decide(key(command.old_id), command, context);
  }
  Decision operator()(const RevokeApiKey& command) const { return decide(key(command.id), command, context); }
  Decision operator()(const AddChannel& command) const {
    const bool number_taken = states.claim_holder(channel_number_claim(command.project, command.number));
    return decide(project(command.project), number_taken, command, context);
  }
  Decision operator()(const UpdateChannel& command) const {
    return decide(channel(command.id), command, context);
  }
  Decision operator()(const DeleteChannel& command) const {
    return decide(channel(command.id), command, context);
  }
  Decision operator()(const RotateChannelSecret& command) const {
    return decide(channel(command.id), command, context);
  }
  Decision operator()(const DisableChannel& command) const {
    return decide(channel(command.id), command, context);
  }
  Decision operator()(const RequestChannelTest& command) const {
    return decide(channel(command.id), command, context);
  }
  Decision operator()(const RequestRedelivery& command) const {
    return decide(channel(command.id), command, context);
  }
  Decision operator()(const RequestRecovery& command) const {
    return decide(channel(command.id), command, context);
  }
  Decision operator()(const AddBlocklistEntry& command) const {
    return decide(blocklist(command.project, command.environment), command, context);
  }
  Decision operator()(const RemoveBlocklistEntry& command) const {
    return decide({.live = blocklist(command.project, Environment::kLive),
                   .sandbox = blocklist(command.project, Environment::kSandbox)},
                  command, context);
  }
  Decision operator()(const SaveCustomer& command) const {
    return decide(project(command.project), payer(command.project, command.environment, command.token),
                  command, context);
  }
  Decision operator()(const BlockCustomer& command) const {
    return decide(customer(command.customer), command, context);
  }
  Decision operator()(const UnblockCustomer& command) const {
    return decide(customer(command.customer), command, context);
  }
  Decision operator()(const EraseCustomer& command) const {
    return decide(customer(command.customer), command, context);
  }
  Decision operator()(const CreateCharge& command) const {
    return decide(creation(command.project, command.environment, &command.token), command, context);
  }
  Decision operator()(const PaySandboxCharge& command) const {
    const auto* owner = command.caller.project ? project(*command.caller.project) : nullptr;
    return on_charge(command.charge,
                     [&](const Charge* found) { return decide(found, owner, command, context); });
  }
  Decision operator()(const ExpireSandboxCharge& command) const {
    return on_charge(command.charge, [&](const Charge* found) { return decide(found, command, context); });
  }
  Decision operator()(const FailSandboxCharge& command) const {
    return on_charge(command.charge, [&](const Charge* found) { return decide(found, command, context); });
  }
  Decision operator()(const ExpireOverdueCharge& command) const {
    return on_charge(command.charge, [&](const Charge* found) { return decide(found, command, context); });
  }
  Decision operator()(const CancelCharge& command) const {
    return on_charge(command.charge, [&](const Charge* found) { return decide(found, command, context); });
  }
  Decision operator()(const RefundCharge& command) const {
    return on_charge(command.charge, [&](const Charge* found) { return decide(found, command, context); });
  }
  Decision operator()(const ReportPayment& command) const {
    return on_charge(command.charge, [&](const Charge* found) {
      return decide(found, project(command.project), unmatched(command.end_to_end_id),
                    holder(command.end_to_end_id), has_counted(), command, context);
    });
  }
  Decision operator()(const AssignPayment& command) const {
    return on_charge(command.charge, [&](const Charge* found) {
      return decide(unmatched(command.end_to_end_id), found, project(command.project),
                    holder(command.end_to_end_id), has_counted(), command, context);
    });
  }
  Decision operator()(const RecordUnmatchedPayment& command) const {
    return decide(project(command.project), unmatched(command.end_to_end_id), holder(command.end_to_end_id),
                  command, context);
  }
  Decision operator()(const ClosePayment& command) const {
    return decide(unmatched(command.end_to_end_id), holder(command.end_to_end_id), command, context);
  }
  Decision operator()(const SettlePaymentReturn& command) const {
    return decide(unmatched(command.end_to_end_id), command, context);
  }
  Decision operator()(const FailPaymentReturn& command) const {
    return decide(unmatched(command.end_to_end_id), command, context);
  }
  Decision operator()(const StartProcessing& command) const {
    return on_charge(command.charge, [&](const Charge* found) { return decide(found, command, context); });
  }
  Decision operator()(const FailCharge& command) const {
    return on_charge(command.charge, [&](const Charge* found) { return decide(found, command, context); });
  }
  Decision operator()(const AcceptUnappliedPayment& command) const {
    return decide(charge(command.charge), project(command.project), has_counted(), command, context);
  }
  Decision operator()(const ReturnUnappliedPayment& command) const {
    return decide(charge(command.charge), unmatched(command.end_to_end_id), command, context);
  }
  Decision operator()(const SettleUnappliedReturn& command) const {
    return decide(charge(command.charge), command, context);
  }
  Decision operator()(const FailUnappliedReturn& command) const {
    return decide(charge(command.charge), command, context);
  }
  Decision operator()(const ReportUnmatchedReversal& command) const {
    return decide(unmatched(command.end_to_end_id), holder(command.end_to_end_id),
                  states.claim_holder(return_claim(command.return_id)), command, context);
  }
  Decision operator()(const ReportUnappliedReversal& command) const {
    return decide(charge(command.charge), states.claim_holder(return_claim(command.return_id)), command,
                  context);
  }
  Decision operator()(const AddBankConnection& command) const {
    return decide(project(command.project), bank(command.id), command, context);
  }
  Decision operator()(const ChangeConnection& command) const {
    const auto* known = command.configuration ? bank(command.connection) : nullptr;
    return decide(project(command.project), known, command, context);
  }
  Decision operator()(const SetDefaultConnection& command) const {
    return decide(project(command.project), command, context);
  }
  Decision operator()(const NoteCallback& command) const {
    return decide(bank(command.connection), command, context);
  }
  // These handle the wait themselves, or come after it.
  Decision operator()(const SetChargeCode& command) const {
    return decide(charge(command.charge), command, context);
  }
  Decision operator()(const EndCodeWait& command) const {
    return decide(charge(command.charge), command, context);
  }
  Decision operator()(const ConfirmCancel& command) const {
    return decide(charge(command.charge), command, context);
  }
  Decision operator()(const DropCancel& command) const {
    return decide(charge(command.charge), command, context);
  }
  Decision operator()(const SettleRefund& command) const {
    return decide(charge(command.charge), command, context);
  }
  Decision operator()(const FailRefund& command) const {
    return decide(charge(command.charge), command, context);
  }
  Decision operator()(const ReportReversal& command) const {
    return decide(charge(command.charge), states.claim_holder(return_claim(command.return_id)), command,
                  context);
  }
  Decision operator()(const CreateCheckoutSession& command) const {
    const auto* token = command.payer ? &command.payer->token : nullptr;
    return decide(creation(command.project, command.environment, token), command, context);
  }
  Decision operator()(const AddCheckoutCharge& command) const {
    const auto* newest = command.newest ? charge(*command.newest) : nullptr;
    return decide(creation(command.project, command.environment, &command.payer.token),
                  session(command.session), newest, command, context);
  }
  Decision operator()(const CancelCheckoutSession& command) const {
    Decision of_charge;
    if (command.newest) {
      const CancelCharge cancel{command.caller, *command.newest};
      of_charge =
          on_charge(cancel.charge, [&](const Charge* found) { return decide(found, cancel, context); });
    }
    return decide(session(command.session), std::move(of_charge), command, context);
  }
  Decision operator()(const ExpireCheckoutSession& command) const {
    return decide(session(command.session), command, context);
  }
  Decision operator()(const AddMember& command) const {
    return decide(project(command.project), team(command.project), command, context);
  }
  Decision operator()(const ChangeMemberRole& command) const {
    return decide(team(command.project), command, context);
  }
  Decision operator()(const InviteMember& command) const {
    return decide(team(command.project), command, context);
  }
  Decision operator()(const RemoveMember& command) const {
    return decide(team(command.project), command, context);
  }
};

// A document whose customer was erased may belong to another one by now.
bool is_erased(const States& states, const CustomerId& id) {
  const auto holder = states.holder_of(customer_claim(id));
  if (!holder) return false;
  const auto state = states.state_of(*holder);
  const auto* customer = state ? std::get_if<Customer>(&*state) : nullptr;
  return customer && (customer->erased_at || customer->id != id);
}

bool has_personal_data(const ChargeEvent& event) {
  bool has_any = false;
  std::visit(
      [&]<class Of>(const Of& of) {
        for_each_field<Of>([&]<class Field>(const Field& field) {
          if constexpr (Field::kKind == FieldKind::kPersonal) has_any = has_any || field.of(of).has_value();
        });
      },
      event);
  return has_any;
}
void remove_personal_data(ChargeEvent& event) {
  std::visit(
      []<class Of>(Of& of) {
        for_each_field<Of>([&]<class Field>(const Field& field) {
          if constexpr (Field::kKind == FieldKind::kPersonal) (of.*(field.member)).reset();
        });
      },
      event);
}

// Leaves out later texts about charges of erased customers, such as a refund's reason: an erasure removes
// only what was recorded before it. A new charge is never an erased customer's.
void leave_out_late_texts(const States& states, Decision& decision) {
  for (auto& recorded : decision.events) {
    auto* event = std::get_if<ChargeEvent>(&recorded.event);
    if (!event || std::holds_alternative<ChargeCreated>(*event) || !has_personal_data(*event)) continue;
    const auto* charge = find<Charge>(states, recorded.stream);
    if (charge && is_erased(states, charge->customer)) remove_personal_data(*event);
  }
}

// Session events are recorded together with the charge events that cause them.
void add_session_events(const States& states, Decision& decision) {
  const auto count = decision.events.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto* event = std::get_if<ChargeEvent>(&decision.events[i].event);
    if (!event || std::holds_alternative<ChargeCreated>(*event)) continue;
    const auto* charge = find<Charge>(states, decision.events[i].stream);
    if (!charge) continue;
    if (auto beside = session_event_beside(*charge, *event)) decision.events.push_back(*std::move(beside));
  }
}

template <class Aggregate>
std::optional<Aggregate> unwrap(std::optional<AggregateState> state) {
  if (!state) return std::nullopt;
  auto* aggregate = std::get_if<Aggregate>(&*state);
  if (!aggregate) return std::nullopt;
  return std::move(*aggregate);
}

template <class Aggregate>
std::optional<AggregateState> wrap(std::optional<Aggregate> aggregate) {
  if (!aggregate) return std::nullopt;
  return AggregateState(std::move(*aggregate));
}

struct ApplyToState {
  std::optional<AggregateState> state;
  Timestamp at;
  using Result = std::optional<AggregateState>;

  template <class Aggregate, class AggregateEvent>
  Result step(const AggregateEvent& event) {
    return wrap(apply(unwrap<Aggregate>(std::move(state)), event, at));
  }

  Result operator()(const ProjectEvent& event) { return step<Project>(event); }
  Result operator()(const ApiKeyEvent& event) { return step<ApiKey>(event); }
  Result operator()(const ChannelEvent& event) { return step<Channel>(event); }
  Result operator()(const BlocklistEvent& event) { return step<Blocklist>(event); }
  Result operator()(const CustomerEvent& event) { return step<Customer>(event); }
  Result operator()(const ChargeEvent& event) { return step<Charge>(event); }
  Result operator()(const RefusalEvent&) { return std::nullopt; }
  Result operator()(const BankConnectionEvent& event) { return step<BankConnection>(event); }
  Result operator()(const PaymentEvent& event) { return step<UnmatchedPayment>(event); }
  Result operator()(const CheckoutEvent& event) { return step<CheckoutSession>(event); }
  Result operator()(const TeamEvent& event) { return step<Team>(event); }
};

}  // namespace

Command::Command(const Command& other) = default;
Command::Command(Command&& other) noexcept = default;
Command& Command::operator=(const Command& other) = default;
Command& Command::operator=(Command&& other) noexcept = default;
Command::~Command() = default;

AggregateState::AggregateState(const AggregateState& other) = default;
AggregateState::AggregateState(AggregateState&& other) noexcept = default;
AggregateState& AggregateState::operator=(const AggregateState& other) = default;
AggregateState& AggregateState::operator=(AggregateState&& other) noexcept = default;
AggregateState::~AggregateState() = default;

Decision decide(const Command& command, const States& states, const Context& context) {
  auto decision = std::visit(Decide{states, context}, command);
  leave_out_late_texts(states, decision);
  add_session_events(states, decision);
  return decision;
}

std::optional<AggregateState> apply(std::optional<AggregateState> state, const Event& event, Timestamp at) {
  return std::visit(ApplyToState{std::move(state), at}, event);
}

namespace {

struct AddNeeds {
  ReadSet& read_set;

  void stream(StreamName name) const { read_set.streams.push_back(std::move(name)); }
  void charge(const ChargeId& id, const Caller& caller) const {
    stream(charge_stream(id));
    if (caller.project) stream(project_stream(*caller.project));
  }

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
