#include "http/api/customers/customers.h"

#include "base/platform/clock.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/customer_json.h"
#include "http/api/common/environments.h"
#include "http/api/common/list_filters.h"
#include "http/api/common/project_of.h"
#include "http/api/common/search_names.h"
#include "http/api/common/work_check.h"
#include "http/api/customers/customer_detail.h"
#include "http/front/caller.h"
#include "http/routing/page.h"
#include "projections/generations/current_views.h"

namespace pixledger::http {
namespace {

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

}  // namespace pixledger::http
