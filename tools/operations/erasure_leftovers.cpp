#include "tools/operations/erasure_leftovers.h"

#include <set>
#include <variant>

#include "domain/aggregates/customer_mention.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::tools {
namespace {

bool is_about(const domain::BlocklistEntry& entry, const domain::CustomerDetails& details) {
  if (!entry.value) return false;
  if (entry.reason && domain::mentioned_in(entry.reason->text(), details)) return true;
  return *entry.value == domain::BlocklistValue(details.document) ||
         domain::mentioned_in(domain::text_of(*entry.value), details) == "e-mail address";
}

void look_through(const std::optional<domain::Blocklist>& blocklist, const domain::CustomerDetails& details,
                  ErasureLeftovers& left) {
  if (!blocklist) return;
  for (const auto& entry : blocklist->entries) {
    if (is_about(entry, details)) left.blocklist.push_back({entry.id, domain::type_of(*entry.value)});
  }
}

// All that have come for the charge.
std::vector<domain::EndToEndId> payments_of(const eventstore::Log& log, const domain::ChargeId& id) {
  const auto charge = eventstore::fold_as<domain::Charge>(log, domain::charge_stream(id));
  std::vector<domain::EndToEndId> payments;
  if (!charge) return payments;
  if (charge->payment) payments.push_back(charge->payment->end_to_end_id);
  for (const auto* list : {&charge->unapplied, &charge->returned})
    for (const auto& payment : *list) payments.push_back(payment.end_to_end_id);
  return payments;
}

class TextSearch {
 public:
  TextSearch(const domain::CustomerDetails& details, ErasureLeftovers& left)
      : details_(details), left_(left) {}

  void look_through(const domain::RecordedEvent& event) {
    look_at(event.position, "requestId", event.request_id);
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event))
      return look_at_payment(event.position, *of_payment);
    if (const auto* of_session = std::get_if<domain::CheckoutEvent>(&event.event))
      return look_at_session(event.position, *of_session);
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    const auto* created = of_charge ? std::get_if<domain::ChargeCreated>(of_charge) : nullptr;
    if (!created) return;
    if (created->external_id) look_at(event.position, "externalId", created->external_id->text());
    look_at(event.position, "product", created->product.text());
  }

 private:
  // What was said of a payment before it was assigned to a charge of theirs.
  void look_at_payment(domain::Position position, const domain::PaymentEvent& event) {
    if (const auto* asked = std::get_if<domain::PaymentReturnRequested>(&event); asked && asked->reason)
      look_at(position, "reason", asked->reason->text());
    if (const auto* failed = std::get_if<domain::PaymentReturnFailed>(&event); failed && failed->reason)
      look_at(position, "reason", failed->reason->text());
  }
  void look_at_session(domain::Position position, const domain::CheckoutEvent& event) {
    const auto* created = std::get_if<domain::CheckoutSessionCreated>(&event);
    if (!created) return;
    if (created->success_url) look_at(position, "successUrl", created->success_url->text());
    if (created->cancel_url) look_at(position, "cancelUrl", created->cancel_url->text());
  }
  void look_at(domain::Position position, std::string_view field, const std::string& text) {
    const auto names = domain::mentioned_in(text, details_);
    if (!names) return;
    ++left_.texts_found;
    if (left_.texts.size() < ErasureLeftovers::kListedMax) left_.texts.push_back({position, field, *names});
  }

  const domain::CustomerDetails& details_;
  ErasureLeftovers& left_;
};

}  // namespace

ErasureLeftovers find_leftovers(const eventstore::Log& log, const domain::StreamName& stream,
                                const domain::Customer& customer,
                                const std::vector<domain::ChargeId>& charges) {
  ErasureLeftovers left;
  if (!customer.details) return left;
  const auto& details = *customer.details;
  for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox}) {
    const auto list = domain::blocklist_stream(customer.project, environment);
    look_through(eventstore::fold_as<domain::Blocklist>(log, list), details, left);
  }
  TextSearch search(details, left);
  const auto look_through_stream = [&](const domain::StreamName& name) {
    for (const auto& stored : eventstore::StreamEvents(log, name))
      search.look_through(eventstore::decode(stored));
  };
  look_through_stream(stream);
  std::set<domain::StreamName> sessions;
  for (const auto& charge : charges) {
    look_through_stream(domain::charge_stream(charge));
    if (const auto state = eventstore::fold_as<domain::Charge>(log, domain::charge_stream(charge));
        state && state->checkout_session)
      sessions.insert(domain::checkout_stream(*state->checkout_session));
    for (const auto& payment : payments_of(log, charge)) look_through_stream(domain::payment_stream(payment));
  }
  for (const auto& session : sessions) look_through_stream(session);
  return left;
}

}  // namespace pixledger::tools
