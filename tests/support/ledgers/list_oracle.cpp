#include "tests/support/ledgers/list_oracle.h"

#include <algorithm>
#include <map>

#include "base/text/text.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::tests {
namespace {

// In any state of the payment.
bool has(const domain::Charge& charge, const domain::EndToEndId& payment) {
  if (charge.payment && charge.payment->end_to_end_id == payment) return true;
  for (const auto& each : charge.added)
    if (each.end_to_end_id == payment) return true;
  for (const auto* list : {&charge.unapplied, &charge.returned})
    for (const auto& each : *list)
      if (each.end_to_end_id == payment) return true;
  return false;
}

bool contains(const std::string& text, const std::string& folded) {
  return search_form(text).find(folded) != std::string::npos;
}

template <class T>
bool within(const T& value, const std::optional<T>& min, const std::optional<T>& max) {
  return (!min || value >= *min) && (!max || value <= *max);
}

bool matches_exactly(const domain::Charge& charge, const projections::ChargeQuery& query) {
  const auto& external_id = charge.external_id ? charge.external_id->text() : charge.id.text();
  if (query.external_id && query.external_id->text() != external_id) return false;
  if (query.payment && !has(charge, query.payment->payment)) return false;
  if (query.has_unapplied && charge.unapplied.empty()) return false;
  if (query.is_partly_refunded &&
      (charge.status != domain::ChargeStatus::kPaid || charge.refunded == domain::Cents(0)))
    return false;
  return std::all_of(query.metadata.begin(), query.metadata.end(), [&](const auto& entry) {
    const auto* value = charge.metadata.find(entry.key);
    return value && *value == entry.value;
  });
}

}  // namespace

ListOracle::ListOracle(const eventstore::Log& log) {
  std::vector<domain::StreamName> charges;
  std::vector<domain::CustomerId> customers;
  Position position;
  while (true) {
    const auto stored = log.read_after(position, 4096);
    if (stored.empty()) break;
    for (const auto& bytes : stored) {
      const auto event = eventstore::decode(bytes);
      position = event.position;
      if (event.version == 1 && event.stream.kind() == domain::StreamKind::kCharge)
        charges.push_back(event.stream);
      const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
      const auto* registered = change ? std::get_if<domain::CustomerRegistered>(change) : nullptr;
      if (!registered) continue;
      customers.push_back(registered->id);
      streams_of_documents_.emplace(registered->id.text(), event.stream);
    }
  }
  for (const auto& stream : charges)
    charges_.push_back(eventstore::fold_as<domain::Charge>(log, stream).value());
  for (const auto& id : customers) {
    customers_.push_back(eventstore::find_customer(log, id).value());
    customer_places_[customers_.back().id.text()] = customers_.size() - 1;
  }
}

std::vector<std::string> ListOracle::charges(const domain::ProjectId& project,
                                             const projections::ChargeQuery& query) const {
  std::vector<std::string> ids;
  for (const auto& charge : charges_) {
    if (charge.project == project && matches(charge, query)) ids.push_back(charge.id.text());
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

std::vector<std::string> ListOracle::customers(const domain::ProjectId& project,
                                               const projections::CustomerFilter& filter) const {
  std::vector<std::string> ids;
  for (const auto& customer : customers_) {
    if (customer.project != project || !within(customer.created_at, filter.created_from, filter.created_to))
      continue;
    if (filter.environment && customer.environment != *filter.environment) continue;
    ids.push_back(customer.id.text());
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

bool ListOracle::matches(const domain::Charge& charge, const projections::ChargeQuery& query) const {
  if (query.status && !query.status->contains(charge.status)) return false;
  if (query.environment && charge.environment != *query.environment) return false;
  if (query.connection && charge.connection != *query.connection) return false;
  if (query.origin_host && charge.origin_host != *query.origin_host) return false;
  if (query.customer && charge.customer != *query.customer) return false;
  if (!within(charge.amount, query.amount_min, query.amount_max)) return false;
  if (!within(charge.created_at, query.created_from, query.created_to)) return false;
  const auto& details = customer_of(charge).details;
  if (query.customer_email && (!details || fold(details->email.text()) != fold(query.customer_email->text())))
    return false;
  if (!matches_exactly(charge, query)) return false;
  if (!query.search) return true;
  const auto wanted = search_form(*query.search);
  if (details && (contains(details->name.text(), wanted) || contains(details->email.text(), wanted)))
    return true;
  const auto phone = domain::TypedPhone::parse(*query.search);
  if (details && phone && phone->is_in(details->phone)) return true;
  const auto& named = query.named;
  if (named.payment && has(charge, named.payment->payment)) return true;
  const auto is_payer = [&](const domain::StreamName& stream) {
    return details && streams_of_documents_.at(charge.customer.text()) == stream;
  };
  if (std::any_of(named.payers.begin(), named.payers.end(), is_payer)) return true;
  return charge.id.text() == wanted || (charge.external_id && contains(charge.external_id->text(), wanted));
}

const domain::Customer& ListOracle::customer_of(const domain::Charge& charge) const {
  return customers_.at(customer_places_.at(charge.customer.text()));
}

}  // namespace pixledger::tests
