#include "eventstore/backup/erased_personal.h"

#include "eventstore/backup/backup_error.h"

namespace pixledger::eventstore {

void ErasedPersonal::learn_of_session(const domain::RecordedEvent& event,
                                      const domain::CheckoutEvent& change) {
  const auto* created = std::get_if<domain::CheckoutSessionCreated>(&change);
  if (created && created->metadata) sessions_.insert(event.stream);
  const auto* added = std::get_if<domain::CheckoutChargeAdded>(&change);
  if (!added || sessions_.count(event.stream) == 0) return;
  kept_.add_payer(event.stream, added->customer);
  beyond_.add_payer(event.stream, added->customer);
}

void ErasedPersonal::learn(const domain::RecordedEvent& event) {
  if (const auto* of_session = std::get_if<domain::CheckoutEvent>(&event.event))
    return learn_of_session(event, *of_session);
  const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
  const auto* erased = change ? std::get_if<domain::CustomerErased>(change) : nullptr;
  if (!erased) return;
  // All of the stream since the erasure before is of this customer.
  auto& last = last_erasure_[event.stream];
  (event.position <= end_ ? kept_ : beyond_)
      .add({.customer = erased->id,
            .stream = event.stream,
            .registered = last.next(),
            .erased = event.position,
            .erased_at = event.recorded_at});
  last = event.position;
}

bool ErasedPersonal::takes(const domain::RecordedEvent& event) {
  if (beyond_.takes(event))
    throw BackupRefused("a customer's personal data of position " + std::to_string(event.position.value()) +
                        " were erased later, beyond position " + std::to_string(end_.value()) +
                        ": ending there would undo the erasure");
  return kept_.takes(event);
}

}  // namespace pixledger::eventstore
