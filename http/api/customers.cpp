
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "eventstore/codec/codec.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/body_fields.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/charge_fields.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/customer_fields.h"
#include "http/api/common/list_filters.h"
#include "http/api/common/personal_json.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/services.h"
#include "projections/generations/generation.h"
#include "projections/views/list_reader.h"
#include "projections/views/row_codec.h"

namespace pixledger::http {
namespace {

// The data of a customer's page.
struct CustomerDetail {
  domain::Customer customer;
  std::vector<domain::Charge> recent;  // the newest ten
  std::uint64_t transactions = 0;      // in the project, as far as visible to the caller
  std::vector<projections::FraudEvent> fraud_events;
};

// Whether a reply lists the customer's refused payments.
enum class FraudEvents { kShown, kLeftOut };

constexpr std::uint32_t kRecentMax = 10;
constexpr std::size_t kFraudEventsMax = 100;

// Events after an erasure belong to a later customer with the same document.
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

// Counts the customer's newest charges after a position. They are in the log's order, so a binary search
// finds the border.
std::uint64_t charges_after(const Services& services, const projections::ListReader& lists,
                            const projections::ChargeQuery& query, Position as_of, const WorkBudget& budget) {
  std::uint64_t low = 0;
  std::uint64_t high = lists.charges(query, {0, 0}).total;
  std::uint64_t at = 0;  // mostly there are none, so the newest is checked first
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

// The ledger has the address until the customer is erased.
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

// As the read models have it now; nullopt if the caller's project has no such customer. Throws WorkGivenUp
// when the request's budget is spent, as does the next function.
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

// As of a position of the log, so that repeats of a command get the same reply. `customer` is as of then.
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

// {"success", "data"}; `now` decides whether a temporary block is over.
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

Reply render_list(const projections::Page<domain::Customer>& found, const Page& page, const TimeZone& zone,
                  Timestamp now, PersonalData personal) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& customer : found.items) {
    json.begin_object();
    write_customer_fields(json, customer, now, personal);
    json.end_object();
  }
  json.end_array();
  write_meta(json, page, found.total, zone);
  json.end_object();
  return {200, json.take()};
}

Reply get(const Services& services, const Request& request, FraudEvents fraud_events) {
  Input input(request);
  const auto id = input.path_id<domain::CustomerId>();
  if (!input.finish()) return input.refusal();
  const auto detail = find_customer_detail(services, request, *id);
  if (!detail) return rejection_reply(request, domain::Rejection::kCustomerNotFound);
  if (is_refused(*request.caller, detail->customer.environment))
    return rejection_reply(request, domain::Rejection::kLiveForTestKey);
  return render_customer_detail(services, *detail, services.clock.now(), fraud_events,
                                personal_data_for(*request.caller));
}

projections::CustomerQuery query_of(const Services& services, const Caller& caller,
                                    const CustomerFilters& filters, domain::Environment environment,
                                    Timestamp now) {
  projections::CustomerQuery query{.listed = {.environment = environment,
                                              .created_from = filters.dates.from,
                                              .created_to = filters.dates.to},
                                   .stream = std::nullopt,
                                   .email = filters.email,
                                   .search = filters.search,
                                   .named = {},
                                   .is_blocked = filters.is_blocked,
                                   .now = now};
  if (filters.search) query.named = customers_named(services, caller.project, *filters.search);
  if (filters.document)
    for (auto& stream : customers_of_document(services, caller.project, *filters.document))
      if (stream.environment() == environment) query.stream = std::move(stream);
  return query;
}

// nullopt with violations.
std::optional<domain::SaveCustomer> read_save(const Services& services, const Caller& caller, Input& input) {
  const auto body = input.body();
  auto details = read_customer(body);
  auto metadata = read_metadata(body);
  const auto environment = read_environment(body, caller);
  if (!input.finish()) return std::nullopt;
  return domain::SaveCustomer{.project = caller.project,
                              .token = services.keyring.token_of(caller.project, details->document),
                              .details = std::move(*details),
                              .environment = environment,
                              .metadata = std::move(metadata)};
}

bool registered(const eventstore::Completed& completed) {
  const auto events = completed.events();
  if (events.empty()) return false;
  const auto* event = std::get_if<domain::CustomerEvent>(&events.front().event);
  return event && std::holds_alternative<domain::CustomerRegistered>(*event);
}

Reply render(const Services& services, const domain::StreamName& stream,
             const eventstore::Completed& completed) {
  const auto saved = services.history.as<domain::Customer>(stream, completed.as_of);
  // A repeat may follow an erasure.
  const auto customer =
      saved ? eventstore::find_customer(services.history, saved->id, completed.as_of) : saved;
  if (!customer) throw eventstore::LogCorrupt("a customer that was just saved is not in the ledger");
  const bool is_new = registered(completed);
  Json json;
  json.begin_object().field("success", true);
  json.field("message", is_new ? "The customer was created." : "The customer was updated.");
  json.key("data").begin_object();
  write_customer_fields(json, *customer, completed.decided_at, PersonalData::kShown);
  json.end_object().end_object();
  Reply reply{is_new ? 201 : 200, json.take()};
  if (is_new) reply.headers.push_back({"Location", "/api/v1/customers/" + customer->id.text()});
  return reply;
}

// Texts of the body with their rules.
struct BlockTypeText {
  static constexpr std::string_view kRule = "must be manual or fraud";
  static std::optional<BlockTypeText> parse(std::string_view text) {
    const auto type = domain::parse_block_type(text);
    if (!type) return std::nullopt;
    return BlockTypeText{*type};
  }
  domain::BlockType type;
};

struct BlockBody {
  domain::BlockType type;
  domain::Label reason;
  std::optional<Timestamp> expires_at;
};

// nullopt with violations.
std::optional<BlockBody> read_block(const JsonObject& body, const TimeZone& zone) {
  const auto type = body.required<BlockTypeText>("blockType");
  auto reason = body.required<domain::Label>("reason");
  const auto expires_at = body.optional<GivenTime>("expiresAt");
  if (!type || !reason) return std::nullopt;
  BlockBody block{type->type, std::move(*reason), std::nullopt};
  if (expires_at) block.expires_at = zone.first_of(*expires_at);
  return block;
}

Reply render(const Services& services, const Request& request, const domain::CustomerId& id,
             const eventstore::Completed& completed) {
  auto customer = eventstore::find_customer(services.history, id, completed.as_of);
  if (!customer) throw eventstore::LogCorrupt("a customer that was just changed is not in the ledger");
  const auto detail = customer_detail_as_of(services, request, *std::move(customer), completed.as_of);
  return render_customer_detail(services, detail, completed.decided_at, FraudEvents::kShown,
                                PersonalData::kShown);
}

Answer execute_on_customer(const Services& services, const Request& request, const domain::CustomerId& id,
                           domain::Command command, std::string_view canonical_body) {
  return execute_once(request, std::move(command), canonical_body,
                      [&services, &request, id](const eventstore::Completed& completed) {
                        return render(services, request, id, completed);
                      });
}

}  // namespace

Reply list_customers(const Services& services, const Request& request) {
  Input input(request);
  const auto page = read_page(input);
  const auto zone = zone_of(services, *request.caller);
  const auto filters = read_customer_filters(input.query(), zone, input.violations());
  refuse_personal_filters(filters, *request.caller, input.violations());
  const auto listed = read_listed_environment(input.query(), *request.caller, input.violations());
  if (!input.finish()) return input.refusal();
  const auto views = services.views.database();
  const projections::ListReader lists(*views, request.caller->project, work_check(request));
  const auto now = services.clock.now();
  projections::Page<domain::Customer> found;
  if (!listed.match_nothing)
    found = lists.customers(query_of(services, *request.caller, filters, listed.environment, now),
                            {page.offset(), static_cast<std::uint32_t>(page.limit)});
  if (!found.too_wide.empty()) return too_wide_reply(request, found.too_wide);
  return render_list(found, page, zone, now, personal_data_for(*request.caller));
}

Reply get_customer_v1(const Services& services, const Request& request) {
  return get(services, request, FraudEvents::kShown);
}

Reply get_customer(const Services& services, const Request& request) {
  return get(services, request, FraudEvents::kLeftOut);
}

Answer save_customer(const Services& services, const Request& request) {
  Input input(request);
  auto command = read_save(services, *request.caller, input);
  if (!command) {
    add_violations_of_customer(*project_of(services, *request.caller), input, input.violations());
    return input.refusal();
  }
  if (is_refused(*request.caller, command->environment))
    return rejection_reply(request, domain::Rejection::kLiveForTestKey);
  const auto stream = domain::customer_stream(command->project, command->environment, command->token);
  return execute_once(request, *std::move(command), input.canonical_body(),
                      [&services, stream](const eventstore::Completed& completed) {
                        return render(services, stream, completed);
                      });
}

Answer block_customer(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::CustomerId>();
  auto block = read_block(input.body(), zone_of(services, *request.caller));
  if (!input.finish()) return input.refusal();
  const auto stream = services.log.claim_holder(domain::customer_claim(*id));
  if (!stream) return rejection_reply(request, domain::Rejection::kCustomerNotFound);
  domain::BlockCustomer command{.caller = request.caller->on_behalf(),
                                .customer = *stream,
                                .id = *id,
                                .type = block->type,
                                .reason = std::move(block->reason),
                                .expires_at = block->expires_at};
  return execute_on_customer(services, request, *id, std::move(command), input.canonical_body());
}

Answer unblock_customer(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::CustomerId>();
  if (!input.finish()) return input.refusal();
  const auto stream = services.log.claim_holder(domain::customer_claim(*id));
  if (!stream) return rejection_reply(request, domain::Rejection::kCustomerNotFound);
  return execute_on_customer(services, request, *id,
                             domain::UnblockCustomer{request.caller->on_behalf(), *stream, *id}, kNoBody);
}

}  // namespace pixledger::http
