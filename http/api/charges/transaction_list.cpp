#include "http/api/charges/transaction_list.h"

#include "base/platform/json.h"
#include "domain/values/erased_name.h"
#include "eventstore/log/log.h"
#include "http/api/common/derived_id.h"
#include "http/api/common/list_filters.h"
#include "http/api/common/personal_json.h"
#include "http/api/common/project_of.h"
#include "http/api/common/search_names.h"
#include "http/api/common/transaction_json.h"
#include "http/api/common/work_check.h"
#include "http/front/caller.h"
#include "http/routing/page.h"
#include "projections/generations/current_views.h"
#include "projections/views/list_reader.h"

namespace pixledger::http {
namespace {

using projections::ListedTransaction;
using Transactions = projections::Page<ListedTransaction>;

enum class PathGroup { kV1, kUnversioned };

void write_customer_summary(Json& json, const ListedTransaction& item, const PersonalJson& personal) {
  json.key("customer").begin_object().field("id", item.charge.customer);
  if (item.customer && item.customer->details) {
    personal.field("name", item.customer->details->name);
    personal.field("email", item.customer->details->email);
  } else {
    json.field("name", domain::kErasedName).null("email");
  }
  json.end_object();
}

void write_connection(Json& json, std::string_view name, const domain::Project& project,
                      const domain::Charge& charge) {
  const auto* connection = domain::connection_of(project, charge.connection);
  json.key(name);
  if (!connection) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("id", connection->id).field("alias", connection->alias);
  json.field("providerId", connection->provider_id).field("providerName", connection->provider_name);
  json.end_object();
}

void write_flat_customer(Json& json, const ListedTransaction& item, const PersonalJson& personal) {
  if (item.customer && item.customer->details) {
    personal.field("customerEmail", item.customer->details->email);
    personal.field("customerName", item.customer->details->name);
  } else {
    json.null("customerEmail").field("customerName", domain::kErasedName);
  }
}

void write_domain(Json& json, const domain::Charge& charge) {
  const auto& host = charge.origin_host.text();
  json.key("domain").begin_object();
  json.field("id", derived_id({"domain", charge.project.text(), host})).field("host", host);
  json.end_object();
}

void write_item(Json& json, PathGroup group, const domain::Project& project, const ListedTransaction& item,
                PersonalData personal_data) {
  const auto& charge = item.charge;
  const PersonalJson personal(json, personal_data);
  json.begin_object();
  json.field("id", charge.id);
  write_references(json, charge);
  json.field("status", charge.status);
  json.field("environment", charge.environment);
  write_purchase(json, charge);
  write_money(json, charge);
  json.field("createdAt", charge.created_at);
  json.field("updatedAt", charge.updated_at);
  write_customer_summary(json, item, personal);
  if (group == PathGroup::kV1) {
    write_connection(json, "connection", project, charge);
    json.field("originDomain", charge.origin_host);
    write_flat_customer(json, item, personal);
  } else {
    write_connection(json, "gateway", project, charge);
    write_domain(json, charge);
  }
  personal.field("metadata", charge.metadata);
  json.end_object();
}

Reply render(PathGroup group, const domain::Project& project, const Page& page, const Transactions& found,
             const TimeZone& zone, PersonalData personal) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& item : found.items) write_item(json, group, project, item, personal);
  json.end_array();
  write_meta(json, page, found.total, zone);
  json.end_object();
  return {200, json.take()};
}

// A test key sees the sandbox alone.
void restrict_to(const Caller& caller, TransactionFilters& filters) {
  if (!caller.sandbox_only()) return;
  if (filters.query.environment == domain::Environment::kLive) filters.match_nothing = true;
  filters.query.environment = domain::Environment::kSandbox;
}

// What the ledger knows by the names that were asked for.
void find_named(const Services& services, const Caller& caller, TransactionFilters& filters) {
  auto& query = filters.query;
  if (filters.transaction_code) {
    query.payment = eventstore::find_charge_payment(services.log, filters.transaction_code->text());
    if (!query.payment) filters.match_nothing = true;
  }
  if (!query.search) return;
  query.named.payment = eventstore::find_charge_payment(services.log, *query.search);
  query.named.payers = customers_named(services, caller.project, *query.search);
}

Reply list(PathGroup group, const Services& services, const Request& request) {
  const auto& caller = *request.caller;
  Input input(request);
  const auto page = read_page(input);
  const auto zone = zone_of(services, caller);
  auto filters = read_transaction_filters(input.query(), zone, input.violations());
  refuse_personal_filters(filters, caller, input.violations());
  if (!input.finish()) return input.refusal();
  restrict_to(caller, filters);
  find_named(services, caller, filters);
  Transactions found;
  if (!filters.match_nothing) {
    const auto views = services.views.database();
    const projections::ListReader lists(*views, caller.project, work_check(request));
    found = lists.charges(filters.query, {page.offset(), static_cast<std::uint32_t>(page.limit)});
  }
  if (!found.too_wide.empty()) return too_wide_reply(request, found.too_wide);
  return render(group, *project_of(services, caller, services.log.head()), page, found, zone,
                personal_data_for(caller));
}

}  // namespace

void write_listed_transaction(Json& json, const domain::Project& project, const ListedTransaction& item,
                              PersonalData personal) {
  write_item(json, PathGroup::kV1, project, item, personal);
}

Reply list_transactions_v1(const Services& services, const Request& request) {
  return list(PathGroup::kV1, services, request);
}

Reply list_transactions(const Services& services, const Request& request) {
  return list(PathGroup::kUnversioned, services, request);
}

}  // namespace pixledger::http
