#include "tools/audit/personal_rules.h"

#include "base/platform/owner_lock.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::tools {
std::optional<Position> CustomerErasures::of(const domain::CustomerId& customer) {
  const auto stream = log_.claim_holder(domain::customer_claim(customer));
  if (!stream) return std::nullopt;
  const auto& known = read_on(*stream);
  const auto found = known.erased.find(customer);
  return found == known.erased.end() ? std::nullopt : std::optional(found->second);
}

bool CustomerErasures::is_any_after(const domain::StreamName& stream, Position position) {
  return position < read_on(stream).last;
}

const CustomerErasures::Known& CustomerErasures::read_on(const domain::StreamName& stream) {
  auto& known = streams_[stream];
  for (const auto& stored : eventstore::StreamEvents(log_, stream, known.version)) {
    const auto event = eventstore::decode(stored);
    ++known.version;
    const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
    const auto* erased = change ? std::get_if<domain::CustomerErased>(change) : nullptr;
    if (!erased) continue;
    known.erased.emplace(erased->id, event.position);
    known.last = event.position;
  }
  return known;
}

namespace {

// The stream's customer from this event on.
struct BeginsCustomer {
  using Result = std::optional<domain::CustomerId>;

  Result operator()(const domain::CustomerEvent& event) const {
    const auto* registered = std::get_if<domain::CustomerRegistered>(&event);
    return registered ? Result(registered->id) : std::nullopt;
  }
  Result operator()(const domain::ChargeEvent& event) const {
    const auto* created = std::get_if<domain::ChargeCreated>(&event);
    return created ? Result(created->customer) : std::nullopt;
  }
  Result operator()(const domain::ProjectEvent&) const { return std::nullopt; }
  Result operator()(const domain::ApiKeyEvent&) const { return std::nullopt; }
  Result operator()(const domain::ChannelEvent&) const { return std::nullopt; }
  Result operator()(const domain::BlocklistEvent&) const { return std::nullopt; }
  Result operator()(const domain::RefusalEvent&) const { return std::nullopt; }
  Result operator()(const domain::CheckoutEvent&) const { return std::nullopt; }
  Result operator()(const domain::TeamEvent&) const { return std::nullopt; }
  Result operator()(const domain::BankConnectionEvent&) const { return std::nullopt; }
  Result operator()(const domain::PaymentEvent&) const { return std::nullopt; }
};

domain::RecordedEvent event_at(const eventstore::Log& log, Position position) {
  const auto stored = log.read_after(Position(position.value() - 1), 1);
  if (!stored.empty() && stored.front().position == position) return eventstore::decode(stored.front());
  throw eventstore::LogCorrupt("there is no event at position " + std::to_string(position.value()));
}

const domain::CustomerErased& erasure_in(const domain::RecordedEvent& event) {
  const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
  if (const auto* erased = change ? std::get_if<domain::CustomerErased>(change) : nullptr) return *erased;
  throw eventstore::LogCorrupt("there is no customer's erasure at position " +
                               std::to_string(event.position.value()));
}

}  // namespace

PersonalRules::PersonalRules(const eventstore::LedgerLog& log, const Erasures& erasures)
    : log_(log), lock_(erasures.lock), later_(log) {
  for (const auto position : erasures.recorded) {
    const auto event = event_at(log, position);
    const auto& customer = erasure_in(event).id;
    erased_.emplace(customer, position);
    auto& last = erased_in_.try_emplace(event.stream, customer).first->second;
    if (erased_.at(last) < position) last = customer;  // it removed all data before it
  }
}

// A refusal belongs to the last customer erased with its document, otherwise to the customer that it names. A
// session belongs to an erased one of its payers.
void PersonalRules::look_for_customer(const domain::RecordedEvent& event) {
  if (const auto* refusal = std::get_if<domain::RefusalEvent>(&event.event)) {
    const auto erased = erased_in_.find(domain::customer_stream_of(event.stream));
    const bool is_erased = erased != erased_in_.end() && event.position < erased_.at(erased->second);
    customer_ =
        is_erased ? std::optional(erased->second) : std::get<domain::ChargeRefused>(*refusal).customer;
  }
  if (event.stream.kind() != domain::StreamKind::kCheckoutSession) return;
  const auto session = eventstore::fold_as<domain::CheckoutSession>(log_, event.stream);
  if (!session) return;
  for (const auto& charge : session->charges) {
    customer_ = charge.customer;
    if (erased_.count(charge.customer) != 0) return;
  }
}

void PersonalRules::begin_stream() { customer_.reset(); }

// Check the lock first: after its release the data has been removed.
bool PersonalRules::is_being_removed(Position position) const {
  if (!lock_.empty() && is_locked(lock_)) return true;
  return !log_.snapshot()->personal()->find(position);
}

std::optional<Finding> PersonalRules::check(const domain::RecordedEvent& event,
                                            const HeldPersonal& personal) {
  if (auto customer = std::visit(BeginsCustomer{}, event.event)) customer_ = std::move(customer);
  if (personal.digest == none_) return std::nullopt;
  look_for_customer(event);
  const bool is_missing = !personal.is_there;
  const auto known = customer_ ? erased_.find(*customer_) : erased_.end();
  const bool is_erased = known != erased_.end() && event.position < known->second;
  if (is_erased && !is_missing && !is_being_removed(event.position))
    return Finding{event.position,
                   "the personal data of customer " + customer_->text() + " are still here, who was erased",
                   Part::kErasure};
  if (is_erased || !is_missing) return std::nullopt;
  // The customer may have been erased since the pass began.
  if (event.stream.kind() == domain::StreamKind::kRefusals &&
      later_.is_any_after(domain::customer_stream_of(event.stream), event.position))
    return std::nullopt;
  const auto since = customer_ ? later_.of(*customer_) : std::nullopt;
  if (since && event.position < *since) return std::nullopt;
  return Finding{event.position, "its personal data are missing, and no customer's erasure explains it"};
}

}  // namespace pixledger::tools
