#include "tools/operations/erasure_leftovers.h"

#include <algorithm>
#include <set>
#include <variant>

#include "domain/aggregates/customer_mention.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::tools {
namespace {

bool is_about(const domain::BlocklistEntryAdded& entry, const KnownDetails& known) {
  if (entry.reason && mentioned_in(entry.reason->text(), known)) return true;
  if (!entry.value) return false;
  const auto is_of = [&entry](const domain::CustomerDetails& details) {
    return *entry.value == domain::BlocklistValue(details.document) ||
           domain::mentioned_in(domain::text_of(*entry.value), details) == "e-mail address";
  };
  return std::any_of(known.begin(), known.end(), is_of);
}

void look_through_blocklist(const eventstore::Log& log, const domain::StreamName& stream,
                            const KnownDetails& known, ErasureLeftovers& left) {
  for (const auto& stored : eventstore::StreamEvents(log, stream)) {
    const auto event = eventstore::decode(stored);
    const auto* change = std::get_if<domain::BlocklistEvent>(&event.event);
    if (!change) continue;
    if (const auto* added = std::get_if<domain::BlocklistEntryAdded>(change)) {
      if (is_about(*added, known))
        left.blocklist.push_back(
            {added->id, std::string(added->value ? domain::type_of(*added->value) : ""), false});
      continue;
    }
    for (auto& entry : left.blocklist)
      if (entry.id == std::get<domain::BlocklistEntryRemoved>(*change).id) entry.is_removed = true;
  }
}

// All that have come for the charge.
std::vector<domain::EndToEndId> payments_of(const eventstore::Log& log, const domain::ChargeId& id) {
  const auto charge = eventstore::fold_as<domain::Charge>(log, domain::charge_stream(id));
  std::vector<domain::EndToEndId> payments;
  if (!charge) return payments;
  if (charge->payment) payments.push_back(charge->payment->end_to_end_id);
  for (const auto& payment : charge->added) payments.push_back(payment.end_to_end_id);
  for (const auto* list : {&charge->unapplied, &charge->returned})
    for (const auto& payment : *list) payments.push_back(payment.end_to_end_id);
  return payments;
}

class TextSearch {
 public:
  TextSearch(const KnownDetails& known, ErasureLeftovers& left) : known_(known), left_(left) {}

  void look_through(const domain::RecordedEvent& event) {
    look_at(event.position, "requestId", event.request_id);
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event))
      return look_at_payment(event.position, *of_payment);
    if (const auto* of_session = std::get_if<domain::CheckoutEvent>(&event.event))
      return look_at_session(event.position, *of_session);
    if (const auto* of_refusal = std::get_if<domain::RefusalEvent>(&event.event))
      return look_at(event.position, "product", std::get<domain::ChargeRefused>(*of_refusal).product.text());
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    const auto* created = of_charge ? std::get_if<domain::ChargeCreated>(of_charge) : nullptr;
    if (!created) return;
    if (created->external_id) look_at(event.position, "externalId", created->external_id->text());
    look_at(event.position, "product", created->product.text());
  }

 private:
  // What was said of a payment before it was assigned to a charge of theirs.
  void look_at_payment(Position position, const domain::PaymentEvent& event) {
    if (const auto* asked = std::get_if<domain::PaymentReturnRequested>(&event); asked && asked->reason)
      look_at(position, "reason", asked->reason->text());
    if (const auto* failed = std::get_if<domain::PaymentReturnFailed>(&event); failed && failed->reason)
      look_at(position, "reason", failed->reason->text());
  }
  void look_at_session(Position position, const domain::CheckoutEvent& event) {
    const auto* created = std::get_if<domain::CheckoutSessionCreated>(&event);
    if (!created) return;
    if (created->success_url) look_at(position, "successUrl", created->success_url->text());
    if (created->cancel_url) look_at(position, "cancelUrl", created->cancel_url->text());
  }
  void look_at(Position position, std::string_view field, const std::string& text) {
    const auto names = mentioned_in(text, known_);
    if (!names) return;
    ++left_.texts_found;
    if (left_.texts.size() < ErasureLeftovers::kListedMax)
      left_.texts.push_back({position, std::string(field), std::string(*names)});
  }

  const KnownDetails& known_;
  ErasureLeftovers& left_;
};

}  // namespace

KnownDetails details_of(const eventstore::Log& log, const domain::StreamName& stream,
                        const domain::CustomerId& customer) {
  KnownDetails known;
  bool is_theirs = false;
  for (const auto& stored : eventstore::StreamEvents(log, stream)) {
    const auto event = eventstore::decode(stored);
    const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
    if (!change) continue;
    const auto* registered = std::get_if<domain::CustomerRegistered>(change);
    const auto* updated = std::get_if<domain::CustomerUpdated>(change);
    if (registered) is_theirs = registered->id == customer;
    if (!is_theirs || (!registered && !updated)) continue;
    const auto& details = registered ? registered->details : updated->details;
    if (details) known.push_back(*details);
  }
  return known;
}

std::optional<std::string_view> mentioned_in(std::string_view text, const KnownDetails& known) {
  for (const auto& details : known)
    if (const auto part = domain::mentioned_in(text, details)) return part;
  return std::nullopt;
}

ErasureLeftovers find_leftovers(const eventstore::Log& log, const domain::StreamName& stream,
                                const domain::ProjectId& project, const KnownDetails& known,
                                const eventstore::ErasedRecords& records) {
  ErasureLeftovers left;
  for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox})
    look_through_blocklist(log, domain::blocklist_stream(project, environment), known, left);
  TextSearch search(known, left);
  const auto look_through_stream = [&](const domain::StreamName& name) {
    for (const auto& stored : eventstore::StreamEvents(log, name))
      search.look_through(eventstore::decode(stored));
  };
  look_through_stream(stream);
  std::set<domain::StreamName> sessions;
  for (const auto& charge : records.charges) {
    look_through_stream(domain::charge_stream(charge));
    if (const auto state = eventstore::fold_as<domain::Charge>(log, domain::charge_stream(charge));
        state && state->checkout_session)
      sessions.insert(domain::checkout_stream(*state->checkout_session));
    for (const auto& payment : payments_of(log, charge)) look_through_stream(domain::payment_stream(payment));
  }
  for (const auto& session : sessions) look_through_stream(session);
  // Each day of refusals is a stream of its own, so these are known by their positions.
  for (const auto position : records.positions) {
    const auto stored = log.read_after(Position(position.value() - 1), 1);
    if (stored.empty()) continue;
    const auto event = eventstore::decode(stored.front());
    if (event.stream.kind() == domain::StreamKind::kRefusals) search.look_through(event);
  }
  return left;
}

}  // namespace pixledger::tools
