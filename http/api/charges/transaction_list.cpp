
#include <algorithm>
#include <tuple>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/values/document.h"
#include "domain/values/names.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/payment_search.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/charge_fields.h"
#include "http/api/common/customer_fields.h"
#include "http/api/common/list_filters.h"
#include "http/api/common/personal_json.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "projections/generations/generation.h"
#include "projections/views/list_reader.h"

namespace pixledger::http {
namespace {

using projections::ListedTransaction;
using Transactions = projections::Page<ListedTransaction>;

enum class PathGroup { kV1, kUnversioned };

void write_customer_summary(Json& json, const ListedTransaction& item, const PersonalJson& personal) {
  json.key("customer").begin_object().field("id", item.charge.customer);
  if (item.customer) {
    personal.field("name", item.customer->name);
    personal.field("email", item.customer->email);
  } else {
    json.field("name", domain::kErasedName).null("email");
  }
  json.end_object();
}

void write_connection(Json& json, JsonKey name, const domain::Project& project,
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
  if (item.customer) {
    personal.field("customerEmail", item.customer->email);
    personal.field("customerName", item.customer->name);
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

// A test key sees sandbox charges only.
void restrict_to(const Caller& caller, TransactionFilters& filters) {
  if (!caller.sandbox_only()) return;
  if (filters.query.environment == domain::Environment::kLive) filters.match_nothing = true;
  filters.query.environment = domain::Environment::kSandbox;
}

// Resolves ids in the filters by the ledger.
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

using domain::Environment;
using projections::ChargeQuery;
using projections::CustomerQuery;

constexpr std::uint32_t kItemsMax = 10;  // of each kind

struct Found {
  std::vector<ListedTransaction> transactions{};
  std::vector<domain::Customer> customers{};
  std::optional<domain::UnmatchedPayment> payment{};  // a payment without a charge
  bool is_empty() const { return transactions.empty() && customers.empty() && !payment; }
};

class Search {
 public:
  Search(const Services& services, const Request& request)
      : services_(services),
        caller_(*request.caller),
        now_(services.clock.now()),
        views_(services.views.database()),
        lists_(*views_, caller_.project, work_check(request)) {
    if (caller_.sandbox_only()) world_ = Environment::kSandbox;
  }

  // An exact name is found by an index. Without one, texts are scanned in full. Callers who see masked data
  // may search only data that is not personal.
  Found find(const std::string& text) const {
    auto found = named(text);
    if (!found.is_empty()) return found;
    found.transactions = of_external_id(text);
    if (caller_.masks_personal_data()) return found;
    ChargeQuery of_charges;
    of_charges.search = text;
    append_others(charges(std::move(of_charges)), found.transactions);
    CustomerQuery of_customers;
    of_customers.search = text;
    found.customers = customers(std::move(of_customers));
    return found;
  }

 private:
  Found named(const std::string& text) const {
    Found found;
    ChargeQuery query;
    query.payment = eventstore::find_charge_payment(services_.log, text);
    if (query.payment) found.transactions = charges(std::move(query));
    if (found.is_empty()) found.payment = unmatched_payment(text);
    if (found.is_empty()) add_of_id(text, found);
    // Masked values could be guessed one by one.
    if (caller_.masks_personal_data()) return found;
    if (const auto typed = domain::TypedDocument::parse(text); typed && found.is_empty())
      add_of_document(typed->document, found);
    return found;
  }

  std::optional<domain::UnmatchedPayment> unmatched_payment(const std::string& text) const {
    const auto id = eventstore::find_unmatched_payment(services_.log, text, caller_.project);
    if (!id) return std::nullopt;
    auto payment = eventstore::fold_as<domain::UnmatchedPayment>(services_.log, domain::payment_stream(*id));
    return payment && is_shown(*payment) ? payment : std::nullopt;
  }

  // The merchant's id of a charge: first, since it may be a word within other texts.
  std::vector<ListedTransaction> of_external_id(const std::string& text) const {
    ChargeQuery query;
    query.external_id = domain::ExternalId::parse(text);
    return query.external_id ? charges(std::move(query)) : std::vector<ListedTransaction>();
  }

  static void append_others(std::vector<ListedTransaction> more, std::vector<ListedTransaction>& all) {
    const auto is_there = [&all](const ListedTransaction& one) {
      return std::any_of(all.begin(), all.end(),
                         [&one](const auto& other) { return other.charge.id == one.charge.id; });
    };
    for (auto& one : more)
      if (all.size() < kItemsMax && !is_there(one)) all.push_back(std::move(one));
  }

  void add_of_id(const std::string& text, Found& found) const {
    if (const auto customer = domain::CustomerId::parse(fold(text)))
      if (auto known = lists_.customer(*customer); known && is_shown(*known))
        add_customer(*std::move(known), found);
    const auto typed = domain::TypedChargeId::parse(text);
    if (!typed) return;
    if (auto charge = lists_.transaction(typed->id); charge && is_shown(charge->charge))
      found.transactions.push_back(*std::move(charge));
  }

  void add_of_document(const domain::Document& document, Found& found) const {
    for (auto& stream : customers_of_document(services_, caller_.project, document)) {
      CustomerQuery query;
      query.stream = std::move(stream);
      for (auto& customer : customers(std::move(query))) add_customer(std::move(customer), found);
    }
  }

  // With the customer's charges; for a customer in both environments the newest of both.
  void add_customer(domain::Customer customer, Found& found) const {
    ChargeQuery query;
    query.customer = customer.id;
    auto& all = found.transactions;
    for (auto& theirs : charges(std::move(query))) all.push_back(std::move(theirs));
    std::sort(all.begin(), all.end(), [](const ListedTransaction& left, const ListedTransaction& right) {
      return std::tie(left.charge.created_at, left.charge.id) >
             std::tie(right.charge.created_at, right.charge.id);
    });
    if (all.size() > kItemsMax) all.erase(all.begin() + kItemsMax, all.end());
    found.customers.push_back(std::move(customer));
  }

  template <class Item>
  bool is_shown(const Item& item) const {
    return !world_ || item.environment == *world_;
  }
  std::vector<ListedTransaction> charges(ChargeQuery query) const {
    query.environment = world_;
    return lists_.charges(query, {0, kItemsMax}).items;
  }
  std::vector<domain::Customer> customers(CustomerQuery query) const {
    query.listed.environment = world_;
    query.now = now_;
    return lists_.customers(query, {0, kItemsMax}).items;
  }

  const Services& services_;
  const Caller& caller_;
  const Timestamp now_;
  const std::shared_ptr<const projections::ViewDatabase> views_;
  const projections::ListReader lists_;
  std::optional<Environment> world_;  // absent: both
};

void write_payment(Json& json, const domain::UnmatchedPayment& payment) {
  const bool is_open = domain::is_open(payment);
  json.begin_object();
  json.field("endToEndId", payment.end_to_end_id);
  json.field("amountCents", payment.amount);
  json.field("paidAt", payment.paid_at);
  json.field("recordedAt", payment.recorded_at);
  json.field("environment", payment.environment);
  json.field("connectionId", payment.connection);
  json.field("txid", payment.txid);
  json.field("reason", payment.reason);
  json.field("state", is_open ? std::string_view("open") : domain::to_string(payment.state));
  json.end_object();
}

Reply render(const domain::Project& project, const Found& found, Timestamp now, PersonalData personal) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.key("transactions").begin_array();
  for (const auto& item : found.transactions) write_item(json, PathGroup::kV1, project, item, personal);
  json.end_array().key("customers").begin_array();
  for (const auto& customer : found.customers) {
    json.begin_object();
    write_customer_fields(json, customer, now, personal);
    json.end_object();
  }
  json.end_array().key("payments").begin_array();
  if (found.payment) write_payment(json, *found.payment);
  json.end_array().end_object().end_object();
  return {200, json.take()};
}

}  // namespace

Reply list_transactions_v1(const Services& services, const Request& request) {
  return list(PathGroup::kV1, services, request);
}

Reply list_transactions(const Services& services, const Request& request) {
  return list(PathGroup::kUnversioned, services, request);
}

Reply search(const Services& services, const Request& request) {
  Input input(request);
  const auto text = read_search_text(input.query(), "q", input.violations());
  if (!input.finish()) return input.refusal();
  const auto found = Search(services, request).find(*text);
  return render(*project_of(services, *request.caller, services.log.head()), found, services.clock.now(),
                personal_data_for(*request.caller));
}

}  // namespace pixledger::http
