#include "http/routes.h"

#include "http/api/blocklist/blocklist.h"
#include "http/api/channels/channels.h"
#include "http/api/channels/deliveries.h"
#include "http/api/channels/webhook_events.h"
#include "http/api/charges/charge_operations.h"
#include "http/api/charges/create_transaction.h"
#include "http/api/charges/receipt.h"
#include "http/api/charges/sandbox_operations.h"
#include "http/api/charges/transaction_detail.h"
#include "http/api/charges/transaction_list.h"
#include "http/api/customers/customer_block.h"
#include "http/api/customers/customers.h"
#include "http/api/customers/save_customer.h"
#include "http/api/events/event_feed.h"
#include "http/api/ledger/ledger_proofs.h"
#include "http/api/store/store.h"
#include "http/api/system/health.h"
#include "http/api/system/openapi.h"
#include "http/json/error_reply.h"
#include "http/metrics/metrics_page.h"
#include "http/services/turns.h"

namespace pixledger::http {
namespace {

using Endpoint = Reply (*)(const Services&, const Request&);

Handler bind(const Services& services, Endpoint endpoint) {
  return [&services, endpoint](const Request& request) { return endpoint(services, request); };
}

// Short is what reads or writes a few things; the rest takes its turn among the requests of its project.
enum class Work { kShort, kMore };

Handler in_turn(const Services& services, Handler handler) {
  return [&services, handler = std::move(handler)](const Request& request) {
    const auto turn = services.turns.enter(request.caller->project, request.budget);
    if (turn) return handler(request);
    return transport_error_reply(
        request, 503,
        "Too many requests of this project are being worked on. Send fewer at once; try again.");
  };
}

Route open_to_all(Method method, std::string_view pattern, Handler handler) {
  return {
      .method = method, .pattern = pattern, .scope = "", .is_public = true, .handler = std::move(handler)};
}

}  // namespace

std::vector<Route> all_routes(const Services& services) {
  const auto to = [&services](Endpoint endpoint) { return bind(services, endpoint); };
  const auto keyed = [&services](Method method, std::string_view pattern, std::string_view scope,
                                 Handler handler, Work work = Work::kMore) {
    return Route{
        .method = method,
        .pattern = pattern,
        .scope = scope,
        .handler = work == Work::kShort ? std::move(handler) : in_turn(services, std::move(handler))};
  };
  return {
      keyed(Method::kPost, "/api/v1/transactions", "transactions:write", to(create_transaction),
            Work::kShort),
      keyed(Method::kGet, "/api/v1/transactions", "transactions:read", to(list_transactions_v1)),
      keyed(Method::kGet, "/api/transactions", "transactions:read", to(list_transactions)),
      keyed(Method::kGet, "/api/v1/transactions/:id", "transactions:read", to(get_transaction), Work::kShort),
      keyed(Method::kGet, "/api/transactions/:id", "transactions:read", to(get_transaction), Work::kShort),
      keyed(Method::kGet, "/api/v1/transactions/:id/receipt", "transactions:read", to(get_receipt)),
      keyed(Method::kPost, "/api/sandbox/transactions/:id/pay", "transactions:write", to(sandbox_pay),
            Work::kShort),
      keyed(Method::kGet, "/api/v1/customers", "customers:read", to(list_customers)),
      keyed(Method::kGet, "/api/customers", "customers:read", to(list_customers)),
      keyed(Method::kGet, "/api/v1/customers/:id", "customers:read", to(get_customer_v1)),
      keyed(Method::kGet, "/api/customers/:id", "customers:read", to(get_customer)),
      keyed(Method::kPost, "/api/sandbox/transactions/:id/expire", "transactions:write", to(sandbox_expire),
            Work::kShort),
      keyed(Method::kPost, "/api/sandbox/transactions/:id/fail", "transactions:write", to(sandbox_fail),
            Work::kShort),
      keyed(Method::kPost, "/api/v1/transactions/:id/cancel", "transactions:write", to(cancel_transaction),
            Work::kShort),
      keyed(Method::kPost, "/api/v1/transactions/:id/refund", "transactions:write", to(refund_transaction),
            Work::kShort),
      keyed(Method::kPost, "/api/v1/customers", "customers:write", to(save_customer), Work::kShort),
      keyed(Method::kPost, "/api/customers", "customers:write", to(save_customer), Work::kShort),
      keyed(Method::kPost, "/api/v1/customers/:id/block", "customers:write", to(block_customer)),
      keyed(Method::kPost, "/api/v1/customers/:id/unblock", "customers:write", to(unblock_customer)),
      keyed(Method::kGet, "/api/v1/blocklist", "customers:read", to(list_blocklist)),
      keyed(Method::kPost, "/api/v1/blocklist", "customers:write", to(add_blocklist_entry)),
      keyed(Method::kDelete, "/api/v1/blocklist/:id", "customers:write", to(remove_blocklist_entry)),
      keyed(Method::kGet, "/api/v1/notification-channels", "channels:read", to(list_channels)),
      keyed(Method::kPost, "/api/v1/notification-channels", "channels:write", to(add_channel)),
      keyed(Method::kGet, "/api/v1/notification-channels/events", "channels:read", list_webhook_events),
      keyed(Method::kGet, "/api/v1/notification-channels/:id", "channels:read", to(get_channel)),
      keyed(Method::kPatch, "/api/v1/notification-channels/:id", "channels:write", to(update_channel)),
      keyed(Method::kDelete, "/api/v1/notification-channels/:id", "channels:write", to(delete_channel)),
      keyed(Method::kPost, "/api/v1/notification-channels/:id/rotate-secret", "channels:write",
            to(rotate_channel_secret)),
      keyed(Method::kPost, "/api/v1/notification-channels/:id/test", "channels:write", to(test_channel)),
      keyed(Method::kPost, "/api/v1/notification-channels/:id/recover", "channels:write",
            to(recover_deliveries)),
      keyed(Method::kGet, "/api/v1/notification-channels/:id/deliveries", "channels:read",
            to(list_deliveries)),
      keyed(Method::kPost, "/api/v1/deliveries/:id/redeliver", "channels:write", to(redeliver)),
      keyed(Method::kPatch, "/api/v1/store", "store:write", to(change_store)),
      keyed(Method::kGet, "/api/v1/store", "store:read", to(get_store), Work::kShort),
      keyed(Method::kGet, "/api/v1/events", "events:read", to(list_events)),
      keyed(Method::kGet, "/api/v1/ledger/checkpoint", "", to(get_checkpoint)),
      keyed(Method::kGet, "/api/v1/ledger/consistency", "", to(get_consistency)),
      open_to_all(Method::kGet, "/healthz", healthz),
      open_to_all(Method::kGet, "/readyz", to(readyz)),
      open_to_all(Method::kGet, "/openapi.json", get_openapi),
      open_to_all(Method::kGet, kMetricsPath,
                  [&services](const Request&) { return metrics_reply(services.metrics); }),
  };
}

}  // namespace pixledger::http
