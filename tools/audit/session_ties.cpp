#include "tools/audit/session_ties.h"

#include <algorithm>

#include "domain/aggregates/checkout_session.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::CheckoutSession;
using domain::RecordedEvent;
using eventstore::fold_as;

using Problem = std::optional<std::string>;

// More than one commit records beside a payment.
constexpr std::size_t kEventsBesideMax = 16;

class Ties {
 public:
  Ties(const eventstore::Log& log, const domain::AggregateState* state, const RecordedEvent& event)
      : log_(log), state_(state), recorded_(event) {}

  Problem operator()(const domain::CheckoutEvent& event) const {
    if (const auto* created = std::get_if<domain::CheckoutSessionCreated>(&event))
      return channel_of(*created);
    if (const auto* added = std::get_if<domain::CheckoutChargeAdded>(&event)) return charge_of(*added);
    if (const auto* completed = std::get_if<domain::CheckoutSessionCompleted>(&event))
      return payment_of(*completed);
    return std::nullopt;
  }
  Problem operator()(const domain::ChargeEvent& event) const {
    if (const auto* created = std::get_if<domain::ChargeCreated>(&event)) return session_of(*created);
    const bool is_paid = std::holds_alternative<domain::ChargePaid>(event) ||
                         std::holds_alternative<domain::UnappliedPaymentAccepted>(event);
    const auto* charge = state_ ? std::get_if<Charge>(state_) : nullptr;
    if (!is_paid || !charge || !charge->checkout_session || is_completed_beside(*charge)) return std::nullopt;
    return "its checkout session is not complete with it";
  }
  Problem operator()(const domain::ChannelEvent& event) const {
    const auto* added = std::get_if<domain::ChannelAdded>(&event);
    if (!added || !added->checkout_session) return std::nullopt;
    const auto session = fold_as<CheckoutSession>(log_, domain::checkout_stream(*added->checkout_session));
    const bool is_its = session && session->has_channel && domain::channel_of(session->id) == added->id &&
                        session->project == added->project && session->webhook_version == added->version &&
                        added->environments == domain::EnvironmentSet::only(session->environment);
    return is_its ? std::nullopt : Problem("its checkout session has no such channel");
  }
  Problem operator()(const auto&) const { return std::nullopt; }

 private:
  Problem channel_of(const domain::CheckoutSessionCreated& created) const {
    if (!created.has_channel) return std::nullopt;
    const auto channel =
        fold_as<domain::Channel>(log_, domain::channel_stream(domain::channel_of(created.id)));
    if (channel && channel->checkout_session == created.id) return std::nullopt;
    return "the session's channel is not there";
  }
  Problem charge_of(const domain::CheckoutChargeAdded& added) const {
    const auto charge = fold_as<Charge>(log_, domain::charge_stream(added.charge), recorded_.position);
    const bool is_its = charge && charge->checkout_session &&
                        domain::checkout_stream(*charge->checkout_session) == recorded_.stream &&
                        charge->project == recorded_.project && charge->environment == added.environment &&
                        charge->customer == added.customer;
    return is_its ? std::nullopt : Problem("the charge is none of the session's");
  }
  Problem payment_of(const domain::CheckoutSessionCompleted& completed) const {
    const auto charge = fold_as<Charge>(log_, domain::charge_stream(completed.charge), recorded_.position);
    if (charge && charge->payment) return std::nullopt;
    return "the charge that completed it had not been paid";
  }
  Problem session_of(const domain::ChargeCreated& created) const {
    if (!created.checkout_session) return std::nullopt;
    const auto session = fold_as<CheckoutSession>(log_, domain::checkout_stream(*created.checkout_session));
    const auto is_it = [&](const auto& charge) { return charge.id == created.id; };
    if (!session || session->project != recorded_.project ||
        std::none_of(session->charges.begin(), session->charges.end(), is_it))
      return "its checkout session does not have it";
    if (created.expires_at > session->expires_at) return "it can be paid after its checkout session's end";
    return std::nullopt;
  }
  // One commit records both.
  bool is_completed_beside(const Charge& charge) const {
    const auto stream = domain::checkout_stream(*charge.checkout_session);
    for (const auto& stored : log_.read_after(recorded_.position, kEventsBesideMax)) {
      const auto event = eventstore::decode(stored);
      if (event.recorded_at != recorded_.recorded_at) return false;
      const auto* of_session = std::get_if<domain::CheckoutEvent>(&event.event);
      const auto* completed =
          of_session ? std::get_if<domain::CheckoutSessionCompleted>(of_session) : nullptr;
      if (completed && event.stream == stream && completed->charge == charge.id) return true;
    }
    return false;
  }

  const eventstore::Log& log_;
  const domain::AggregateState* state_;
  const RecordedEvent& recorded_;
};

}  // namespace

std::optional<std::string> broken_session_tie(const eventstore::Log& log, const domain::AggregateState* state,
                                              const RecordedEvent& event) {
  return std::visit(Ties(log, state, event), event.event);
}

}  // namespace pixledger::tools
