#include "http/api/customers/customer_detail.h"

#include <algorithm>

#include "base/platform/json.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/customer_json.h"
#include "http/api/common/derived_id.h"
#include "http/api/common/transaction_json.h"
#include "http/front/caller.h"
#include "projections/generations/current_views.h"
#include "projections/views/list_reader.h"

namespace pixledger::http {
namespace {

constexpr std::uint32_t kRecentMax = 10;
constexpr std::size_t kFraudEventsMax = 100;

// Later ones than an erasure are of whoever has come with that document since.
std::vector<projections::FraudEvent> fraud_events_of(const Services& services,
                                                     const projections::ListReader& lists,
                                                     const domain::Customer& customer, Position as_of) {
  if (customer.erased_at) as_of = std::min(as_of, eventstore::position_at(services.log, *customer.erased_at));
  return lists.fraud_events(customer.id, as_of, kFraudEventsMax);
}

projections::ChargeQuery charges_of(const Caller& caller, const domain::CustomerId& id) {
  projections::ChargeQuery query;
  query.customer = id;
  if (caller.sandbox_only()) query.environment = domain::Environment::kSandbox;
  return query;
}

// How many of the customer's charges, newest first, came after that position. They are in the order of the
// log, so the border is found by halving.
std::uint64_t charges_after(const Services& services, const projections::ListReader& lists,
                            const projections::ChargeQuery& query, Position as_of, const WorkBudget& budget) {
  std::uint64_t low = 0;
  std::uint64_t high = lists.charges(query, {0, 0}).total;
  std::uint64_t at = 0;  // mostly there are none, so the newest is looked at first
  while (low < high) {
    budget.check();
    const auto page = lists.charges(query, {at, 1});
    const auto stream = domain::charge_stream(page.items.front().charge.id);
    if (services.log.read_stream(stream, 0, as_of).events.empty()) {
      low = at + 1;
    } else {
      high = at;
    }
    at = low + (high - low) / 2;
  }
  return low;
}

void write_recent(Json& json, const std::vector<domain::Charge>& charges) {
  json.key("recentTransactions").begin_array();
  for (const auto& charge : charges) {
    json.begin_object();
    json.field("id", charge.id);
    json.field("amountCents", charge.amount);
    json.field("status", charge.status);
    json.field("environment", charge.environment);
    json.field("product", charge.product);
    json.field("createdAt", charge.created_at);
    write_money(json, charge);
    json.end_object();
  }
  json.end_array();
}

std::string_view reason_of(domain::FraudType type) {
  return type == domain::FraudType::kBlockedCustomer ? "The customer is blocked."
                                                     : "The payer is on the blocklist.";
}

// The ledger has it for as long as nobody has been erased.
std::optional<IpAddress> address_of(const Services& services, Position refusal) {
  const auto stored = services.log.read_after(Position(refusal.value() - 1), 1);
  if (stored.empty()) return std::nullopt;
  const auto event = eventstore::decode(stored.front());
  const auto* refused = std::get_if<domain::RefusalEvent>(&event.event);
  return refused ? std::get<domain::ChargeRefused>(*refused).customer_ip : std::nullopt;
}

void write_fraud_events(Json& json, const Services& services,
                        const std::vector<projections::FraudEvent>& events, PersonalData personal) {
  json.key("fraudEvents").begin_array();
  for (const auto& event : events) {
    json.begin_object();
    json.field("id", derived_id({"fraud-event", services.log.identity().ledger_id,
                                 std::to_string(event.position.value())}));
    json.field("reason", reason_of(event.type));
    json.field("fraudType", event.type);
    json.field("amountCents", event.amount);
    json.field("product", event.product);
    json.field("createdAt", event.created_at);
    PersonalJson(json, personal).field("customerIp", address_of(services, event.position));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::optional<CustomerDetail> find_customer_detail(const Services& services, const Request& request,
                                                   const domain::CustomerId& id) {
  const auto& caller = *request.caller;
  const auto views = services.views.database();
  const projections::ListReader lists(*views, caller.project);
  auto customer = lists.customer(id);
  if (!customer) return std::nullopt;
  request.budget.check();
  auto page = lists.charges(charges_of(caller, id), {0, kRecentMax});
  auto fraud_events = fraud_events_of(services, lists, *customer, services.log.head().position);
  CustomerDetail detail{.customer = *std::move(customer),
                        .recent = {},
                        .transactions = page.total,
                        .fraud_events = std::move(fraud_events)};
  for (auto& item : page.items) detail.recent.push_back(std::move(item.charge));
  return detail;
}

CustomerDetail customer_detail_as_of(const Services& services, const Request& request,
                                     domain::Customer customer, Position as_of) {
  const auto& caller = *request.caller;
  const auto views = services.views.database();
  const projections::ListReader lists(*views, caller.project);
  const auto query = charges_of(caller, customer.id);
  const auto later = charges_after(services, lists, query, as_of, request.budget);
  const auto page = lists.charges(query, {later, kRecentMax});
  auto fraud_events = fraud_events_of(services, lists, customer, as_of);
  CustomerDetail detail{.customer = std::move(customer),
                        .recent = {},
                        .transactions = page.total - later,
                        .fraud_events = std::move(fraud_events)};
  for (const auto& item : page.items) {
    request.budget.check();
    auto charge =
        eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(item.charge.id), as_of);
    if (charge) detail.recent.push_back(*std::move(charge));
  }
  return detail;
}

Reply render_customer_detail(const Services& services, const CustomerDetail& detail, Timestamp now,
                             FraudEvents fraud_events, PersonalData personal) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  write_customer_fields(json, detail.customer, now, personal);
  write_customer_detail_fields(json, detail.customer, now, personal);
  write_recent(json, detail.recent);
  json.field("totalTransactions", detail.transactions);
  if (fraud_events == FraudEvents::kShown) write_fraud_events(json, services, detail.fraud_events, personal);
  json.end_object().end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
