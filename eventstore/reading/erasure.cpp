#include "eventstore/reading/erasure.h"

#include <algorithm>

#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_history.h"

namespace pixledger::eventstore {
namespace {

const domain::CustomerEvent& customer_event(const domain::RecordedEvent& event) {
  const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
  if (!change) throw LogCorrupt("the stream " + event.stream.text() + " holds what is not a customer's");
  return *change;
}

const domain::CustomerErased* erasure_of(const domain::CustomerEvent& event, const domain::CustomerId& id) {
  const auto* erased = std::get_if<domain::CustomerErased>(&event);
  return erased && erased->id == id ? erased : nullptr;
}

// Personal data erased since counts as missing then, too: it can no longer be known.
void forget(domain::Customer& customer, Timestamp erased_at) {
  customer.details.reset();
  if (customer.block) customer.block->reason.reset();
  customer.erased_at = erased_at;
}

}  // namespace

std::optional<domain::Customer> find_customer(const Log& log, const domain::CustomerId& id, Position up_to) {
  const auto stream = log.claim_holder(domain::customer_claim(id));
  if (!stream) return std::nullopt;
  std::optional<domain::Customer> state;
  std::optional<domain::Customer> found;
  for (const auto& stored : StreamEvents(log, *stream)) {
    const auto event = decode(stored);
    const auto& change = customer_event(event);
    if (event.position <= up_to) {
      state = domain::apply(std::move(state), change, event.recorded_at);
      if (state && state->id == id) found = state;
    } else if (found && erasure_of(change, id)) {
      forget(*found, event.recorded_at);
    }
  }
  return found;
}

std::optional<domain::Customer> find_customer(StateHistory& history, const domain::CustomerId& id,
                                              Position up_to) {
  const auto stream = history.log().claim_holder(domain::customer_claim(id));
  if (!stream) return std::nullopt;
  const auto now = history.as<domain::Customer>(*stream, kNoLimit);
  if (!now || now->id != id) return find_customer(history.log(), id, up_to);
  auto then = history.as<domain::Customer>(*stream, up_to);
  if (!then || then->id != id) return std::nullopt;
  if (now->erased_at) forget(*then, *now->erased_at);
  return then;
}

std::optional<Erasure> find_erasure(const Log& log, const domain::CustomerId& id) {
  const auto stream = log.claim_holder(domain::customer_claim(id));
  if (!stream) return std::nullopt;
  Position registered;
  for (const auto& stored : StreamEvents(log, *stream)) {
    const auto event = decode(stored);
    const auto& change = customer_event(event);
    if (std::holds_alternative<domain::CustomerRegistered>(change)) registered = event.position;
    if (erasure_of(change, id))
      return Erasure{.customer = id,
                     .stream = *stream,
                     .registered = registered,
                     .erased = event.position,
                     .erased_at = event.recorded_at};
  }
  return std::nullopt;
}

Erasure erasure_at(const Log& log, Position position) {
  const auto stored = log.read_after(Position(position.value() - 1), 1);
  if (!stored.empty() && stored.front().position == position) {
    const auto event = decode(stored.front());
    const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
    const auto* erased = change ? std::get_if<domain::CustomerErased>(change) : nullptr;
    auto erasure = erased ? find_erasure(log, erased->id) : std::nullopt;
    if (erasure) return *std::move(erasure);
  }
  throw LogCorrupt("there is no customer's erasure at position " + std::to_string(position.value()));
}

void ErasedPersonalData::add(const Erasure& erasure) {
  by_stream_[erasure.stream].push_back(erasure);
  by_customer_.insert_or_assign(erasure.customer, erasure.erased);
}

bool ErasedPersonalData::takes(const domain::RecordedEvent& event) {
  switch (event.stream.kind()) {
    case domain::StreamKind::kCustomer:
      return takes_from_customer(event);
    case domain::StreamKind::kCharge:
      return takes_from_charge(event);
    case domain::StreamKind::kRefusals:
      return takes_from_refusal(event);
    case domain::StreamKind::kCheckoutSession:
      return takes_from_session(event);
    case domain::StreamKind::kProject:
    case domain::StreamKind::kApiKey:
    case domain::StreamKind::kChannel:
    case domain::StreamKind::kBlocklist:
    case domain::StreamKind::kConnection:
    case domain::StreamKind::kPayment:
    case domain::StreamKind::kTeam:
      return false;
  }
  return false;
}

bool ErasedPersonalData::takes_from_charge(const domain::RecordedEvent& event) {
  const auto* change = std::get_if<domain::ChargeEvent>(&event.event);
  if (const auto* created = change ? std::get_if<domain::ChargeCreated>(change) : nullptr) {
    const auto erased = by_customer_.find(created->customer);
    if (erased == by_customer_.end()) return false;
    charge_streams_.emplace(event.stream, erased->second);
    charges_.push_back(created->id);
    if (created->checkout_session) sessions_.insert(domain::checkout_stream(*created->checkout_session));
  }
  const auto found = charge_streams_.find(event.stream);
  return found != charge_streams_.end() && event.position < found->second;
}

bool ErasedPersonalData::takes_from_customer(const domain::RecordedEvent& event) const {
  const auto found = by_stream_.find(event.stream);
  if (found == by_stream_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Erasure& erasure) {
    return erasure.registered <= event.position && event.position < erasure.erased;
  });
}

bool ErasedPersonalData::is_of_erased(const domain::CustomerId& customer, Position position) const {
  const auto erased = by_customer_.find(customer);
  return erased != by_customer_.end() && position < erased->second;
}

// Also for refusals from before the customer was registered: the document was theirs.
bool ErasedPersonalData::takes_from_refusal(const domain::RecordedEvent& event) const {
  const auto found = by_stream_.find(domain::customer_stream_of(event.stream));
  if (found == by_stream_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const Erasure& erasure) { return event.position < erasure.erased; });
}

bool ErasedPersonalData::takes_from_session(const domain::RecordedEvent& event) const {
  const auto payers = session_payers_.find(event.stream);
  if (payers == session_payers_.end()) return false;
  return std::any_of(payers->second.begin(), payers->second.end(),
                     [&](const auto& payer) { return is_of_erased(payer, event.position); });
}

ErasedRecords records_erased_by(const Log& log, const std::vector<Erasure>& erasures) {
  if (erasures.empty()) return {};
  ErasedPersonalData erased;
  auto last = erasures.front().erased;
  for (const auto& erasure : erasures) {
    erased.add(erasure);
    last = std::max(last, erasure.erased);
  }
  ErasedRecords records;
  for_each_event(log, Position(), last, [&](const domain::RecordedEvent& event) {
    if (erased.takes(event)) records.positions.push_back(event.position);
  });
  // A session may have been created before its payer was known.
  for (const auto& session : erased.sessions()) {
    const auto first_events = log.read_stream(session, 0, last).events;
    if (!first_events.empty()) records.positions.push_back(first_events.front().position);
  }
  std::sort(records.positions.begin(), records.positions.end());
  records.charges = erased.charges();
  return records;
}

}  // namespace pixledger::eventstore
