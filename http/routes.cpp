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
#include "http/api/store/store.h"
#include "http/api/system/health.h"
#include "http/api/system/openapi.h"
#include "http/json/error_reply.h"

namespace pixledger::http {
namespace {

using Endpoint = Reply (*)(const Services&, const Request&);

Handler bind(const Services& services, Endpoint endpoint) {
  return [&services, endpoint](const Request& request) { return endpoint(services, request); };
}

// What holds for live charges too is none of a sandbox-only key's business.
Handler bind_to_both(const Services& services, Endpoint endpoint) {
  return [&services, endpoint](const Request& request) {
    if (!request.caller->sandbox_only) return endpoint(services, request);
    return error_reply(
        request, {.status = 403,
                  .code = "ERR_AUTH_010",
                  .message = "This API key is for the sandbox alone, and this holds for live charges too."});
  };
}

}  // namespace

std::vector<Route> all_routes(const Services& services) {
  const auto to = [&services](Endpoint endpoint) { return bind(services, endpoint); };
  const auto to_both = [&services](Endpoint endpoint) { return bind_to_both(services, endpoint); };
  return {
      {Method::kPost, "/api/v1/transactions", "transactions:write", false, to(create_transaction)},
      {Method::kGet, "/api/v1/transactions", "transactions:read", false, to(list_transactions_v1)},
      {Method::kGet, "/api/transactions", "transactions:read", false, to(list_transactions)},
      {Method::kGet, "/api/v1/transactions/:id", "transactions:read", false, to(get_transaction)},
      {Method::kGet, "/api/transactions/:id", "transactions:read", false, to(get_transaction)},
      {Method::kGet, "/api/v1/transactions/:id/receipt", "transactions:read", false, to(get_receipt)},
      {Method::kPost, "/api/sandbox/transactions/:id/pay", "transactions:write", false, to(sandbox_pay)},
      {Method::kGet, "/api/v1/customers", "customers:read", false, to(list_customers)},
      {Method::kGet, "/api/customers", "customers:read", false, to(list_customers)},
      {Method::kGet, "/api/v1/customers/:id", "customers:read", false, to(get_customer_v1)},
      {Method::kGet, "/api/customers/:id", "customers:read", false, to(get_customer)},
      {Method::kPost, "/api/sandbox/transactions/:id/expire", "transactions:write", false,
       to(sandbox_expire)},
      {Method::kPost, "/api/sandbox/transactions/:id/fail", "transactions:write", false, to(sandbox_fail)},
      {Method::kPost, "/api/v1/transactions/:id/cancel", "transactions:write", false, to(cancel_transaction)},
      {Method::kPost, "/api/v1/transactions/:id/refund", "transactions:write", false, to(refund_transaction)},
      {Method::kPost, "/api/v1/customers", "customers:write", false, to(save_customer)},
      {Method::kPost, "/api/customers", "customers:write", false, to(save_customer)},
      {Method::kPost, "/api/v1/customers/:id/block", "customers:write", false, to_both(block_customer)},
      {Method::kPost, "/api/v1/customers/:id/unblock", "customers:write", false, to_both(unblock_customer)},
      {Method::kGet, "/api/v1/blocklist", "customers:read", false, to(list_blocklist)},
      {Method::kPost, "/api/v1/blocklist", "customers:write", false, to_both(add_blocklist_entry)},
      {Method::kDelete, "/api/v1/blocklist/:id", "customers:write", false, to_both(remove_blocklist_entry)},
      {Method::kGet, "/api/v1/notification-channels", "channels:read", false, to(list_channels)},
      {Method::kPost, "/api/v1/notification-channels", "channels:write", false, to(add_channel)},
      {Method::kGet, "/api/v1/notification-channels/events", "channels:read", false, list_webhook_events},
      {Method::kGet, "/api/v1/notification-channels/:id", "channels:read", false, to(get_channel)},
      {Method::kPatch, "/api/v1/notification-channels/:id", "channels:write", false, to(update_channel)},
      {Method::kDelete, "/api/v1/notification-channels/:id", "channels:write", false, to(delete_channel)},
      {Method::kPost, "/api/v1/notification-channels/:id/rotate-secret", "channels:write", false,
       to(rotate_channel_secret)},
      {Method::kPost, "/api/v1/notification-channels/:id/test", "channels:write", false, to(test_channel)},
      {Method::kPost, "/api/v1/notification-channels/:id/recover", "channels:write", false,
       to(recover_deliveries)},
      {Method::kGet, "/api/v1/notification-channels/:id/deliveries", "channels:read", false,
       to(list_deliveries)},
      {Method::kPost, "/api/v1/deliveries/:id/redeliver", "channels:write", false, to(redeliver)},
      {Method::kPatch, "/api/v1/store", "store:write", false, to_both(change_store)},
      {Method::kGet, "/api/v1/store", "store:read", false, to(get_store)},
      {Method::kGet, "/api/v1/events", "events:read", false, to(list_events)},
      {Method::kGet, "/healthz", "", true, healthz},
      {Method::kGet, "/readyz", "", true, to(readyz)},
      {Method::kGet, "/openapi.json", "", true, get_openapi},
      {Method::kGet, kMetricsPath, "", true,
       [&services](const Request&) { return metrics_reply(services.metrics); }},
  };
}

}  // namespace pixledger::http
