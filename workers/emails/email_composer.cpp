#include "workers/emails/email_composer.h"

#include <utility>

#include "eventstore/reading/erasure.h"
#include "eventstore/reading/state_reader.h"
#include "workers/emails/email_message.h"

namespace pixledger::workers {
namespace {

domain::Charge charge_at(const eventstore::Log& log, const domain::StreamName& stream, Position position) {
  auto charge = eventstore::fold_as<domain::Charge>(log, stream, position);
  if (!charge)
    throw eventstore::LogCorrupt("the stream " + stream.text() + " is empty at an e-mail's position");
  return *std::move(charge);
}

}  // namespace

std::optional<stores::NewEmail> email_of(const domain::RecordedEvent& event, const eventstore::Log& log) {
  const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
  if (!of_charge || domain::payment_effect_of(*of_charge) != domain::PaymentEffect::kPaid)
    return std::nullopt;
  const auto charge = charge_at(log, event.stream, event.position);
  return stores::NewEmail{event.position, charge.id, charge.environment, event.recorded_at};
}

std::optional<OutgoingEmail> EmailComposer::compose(const stores::Email& email) const {
  const auto charge = charge_at(log_, domain::charge_stream(email.charge), email.position);
  if (!charge.payment) throw eventstore::LogCorrupt("charge " + charge.id.text() + " has no payment");
  const auto customer = eventstore::find_customer(history_, charge.customer, email.position);
  if (!customer) throw eventstore::LogCorrupt("no stream holds customer " + charge.customer.text());
  if (!customer->details) return std::nullopt;
  const auto project = history_.as<domain::Project>(domain::project_stream(charge.project), email.position);
  if (!project) throw eventstore::LogCorrupt("there is no project " + charge.project.text());

  const std::string name = email_name(email.position, email.recorded_at);
  return OutgoingEmail{.name = name,
                       .to = customer->details->email.text(),
                       .bytes = email_message({.name = name,
                                               .ledger_id = log_.identity().ledger_id,
                                               .recorded_at = email.recorded_at,
                                               .charge = charge,
                                               .payment = *charge.payment,
                                               .customer = *customer->details,
                                               .store = project->settings,
                                               .from = from_}),
                       .sandbox_of = charge.environment == domain::Environment::kSandbox
                                         ? std::optional(charge.project)
                                         : std::nullopt,
                       .attempts_before = email.attempts};
}

}  // namespace pixledger::workers
