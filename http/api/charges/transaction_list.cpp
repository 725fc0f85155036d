#include "http/api/charges/transaction_list.h"

#include "http/api/common/customer_json.h"
#include "http/api/common/derived_id.h"
#include "http/api/common/fresh_views.h"
#include "http/api/common/list_filters.h"
#include "http/api/common/project_of.h"
#include "http/api/common/transaction_json.h"
#include "http/front/caller.h"
#include "http/json/error_reply.h"
#include "http/json/json_time.h"
#include "http/routing/page.h"
#include "projections/views/list_reader.h"

namespace pixledger::http {
namespace {

using projections::ListedTransaction;
using Transactions = projections::Page<ListedTransaction>;

enum class PathGroup { kV1, kUnversioned };

void write_customer_summary(JsonWriter& json, const ListedTransaction& item) {
  json.key("customer").begin_object().text("id", item.charge.customer.text());
  if (item.customer && item.customer->details) {
    json.text("name", item.customer->details->name.text());
    json.text("email", item.customer->details->email.text());
  } else {
    json.text("name", kErasedName).null("email");
  }
  json.end_object();
}

void write_connection(JsonWriter& json, std::string_view name, const domain::Project& project,
                      const domain::Charge& charge) {
  const auto* connection = domain::find_connection(project, charge.environment, charge.connection);
  json.key(name);
  if (!connection) {
    json.null();
    return;
  }
  json.begin_object();
  json.text("id", connection->id.text()).text("alias", connection->alias.text());
  json.text("providerId", connection->provider_id).text("providerName", connection->provider_name);
  json.end_object();
}

void write_flat_customer(JsonWriter& json, const ListedTransaction& item) {
  if (item.customer && item.customer->details) {
    json.text("customerEmail", item.customer->details->email.text());
    json.text("customerName", item.customer->details->name.text());
  } else {
    json.null("customerEmail").text("customerName", kErasedName);
  }
}

void write_domain(JsonWriter& json, const domain::Charge& charge) {
  const auto& host = charge.origin_host.text();
  json.key("domain").begin_object();
  json.text("id", derived_id({"domain", charge.project.text(), host})).text("host", host);
  json.end_object();
}

void write_item(JsonWriter& json, PathGroup group, const domain::Project& project,
                const ListedTransaction& item) {
  const auto& charge = item.charge;
  json.begin_object();
  json.text("id", charge.id.text());
  write_references(json, charge);
  json.text("status", domain::to_string(charge.status));
  write_purchase(json, charge);
  write_time_or_null(json, "paidAt", paid_at(charge));
  write_time(json, "createdAt", charge.created_at);
  write_time(json, "updatedAt", charge.updated_at);
  write_customer_summary(json, item);
  if (group == PathGroup::kV1) {
    write_connection(json, "connection", project, charge);
    json.text("originDomain", charge.origin_host.text());
    write_flat_customer(json, item);
  } else {
    write_connection(json, "gateway", project, charge);
    write_domain(json, charge);
  }
  json.end_object();
}

Reply render(PathGroup group, const domain::Project& project, const Page& page, const Transactions& found) {
  JsonWriter json;
  json.begin_object().boolean("success", true).key("data").begin_array();
  for (const auto& item : found.items) write_item(json, group, project, item);
  json.end_array();
  write_meta(json, page, found.total);
  json.end_object();
  return {200, json.str()};
}

// A key of the sandbox alone sees nothing else.
void restrict_to(const Caller& caller, TransactionFilters& filters) {
  if (!caller.sandbox_only) return;
  if (filters.query.environment == domain::Environment::kLive) filters.match_nothing = true;
  filters.query.environment = domain::Environment::kSandbox;
}

Reply list(PathGroup group, const Services& services, const Request& request) {
  const auto& caller = *request.caller;
  Violations violations;
  const Query query(request.query);
  const auto page = read_page(query, violations);
  auto filters = read_transaction_filters(query, violations);
  if (!violations.empty()) return validation_reply(request, std::move(violations));
  if (!views_are_fresh(services, caller)) return views_behind_reply(request);
  restrict_to(caller, filters);
  Transactions found;
  if (!filters.match_nothing) {
    const auto views = services.views.store();
    const projections::ListReader lists(*views, caller.project);
    found = lists.charges(filters.query, {page.offset(), static_cast<std::uint32_t>(page.limit)});
  }
  return render(group, *project_of(services, caller, services.log.head()), page, found);
}

}  // namespace

Reply list_transactions_v1(const Services& services, const Request& request) {
  return list(PathGroup::kV1, services, request);
}

Reply list_transactions(const Services& services, const Request& request) {
  return list(PathGroup::kUnversioned, services, request);
}

}  // namespace pixledger::http
