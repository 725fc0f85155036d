
#include "base/http/message/request.h"
#include "http/api/charges/bank_waits.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "http/front/request_log.h"
#include "http/metrics/metrics_page.h"

namespace pixledger::http {
namespace {

template <class Result>
Handler bind(const Services& services, Result (*endpoint)(const Services&, const Request&)) {
  return [&services, endpoint](const Request& request) -> Answer { return endpoint(services, request); };
}

template <class Result>
Handler bind(Result (*endpoint)(const Request&)) {
  return [endpoint](const Request& request) -> Answer { return endpoint(request); };
}

bool always(const Request&) { return true; }

// Text filters compare row by row; all other filters are passes over columns. Parameter names may be
// percent-encoded, so any '%' counts.
bool searches_text(const Request& request) {
  const std::string_view query = request.query;
  for (const std::string_view name : {"search", "q=", "metadata", "%"})
    if (query.find(name) != std::string_view::npos) return true;
  return false;
}

// An earlier state is folded from its events.
bool asks_for_the_past(const Request& request) { return request.query.find("asOf") != std::string::npos; }

Route open_to_all(Method method, std::string_view pattern, Handler handler,
                  bool (*takes_long)(const Request&) = nullptr) {
  return {.method = method,
          .pattern = pattern,
          .scope = "",
          .is_public = true,
          .handler = std::move(handler),
          .takes_long = takes_long};
}

Route reading_views(Route route) {
  route.reads_views = true;
  return route;
}

// For users: routes that change rights or return money.
Route confirmed(Route route) {
  route.asks_confirmation = true;
  return route;
}

Route hashing_password(Route route, bool (*hashes)(const Request&)) {
  route.hashes_password = hashes;
  return route;
}

Route asking_name_servers(Route route) {
  route.asks_name_servers = true;
  return route;
}

Route taking_file(Route route) {
  route.file_bytes_max = kFileBytesMax;
  return route;
}

Route deciding_alone(Route route, std::function<bool()> only_commands) {
  route.only_commands = std::move(only_commands);
  return route;
}

}  // namespace

std::vector<Route> all_routes(const Services& services) {
  const auto to = [&services](auto endpoint) { return bind(services, endpoint); };
  const auto route = [](Method method, std::string_view pattern, std::string_view scope, Handler handler,
                        bool (*takes_long)(const Request&)) {
    return Route{.method = method,
                 .pattern = pattern,
                 .scope = scope,
                 .handler = std::move(handler),
                 .takes_long = takes_long};
  };
  // Reads or writes a few rows.
  const auto brief = [&route](Method method, std::string_view pattern, std::string_view scope,
                              Handler handler) {
    return route(method, pattern, scope, std::move(handler), nullptr);
  };
  const auto longer = [&route](Method method, std::string_view pattern, std::string_view scope,
                               Handler handler) {
    return route(method, pattern, scope, std::move(handler), always);
  };
  const auto list = [&route](std::string_view pattern, std::string_view scope, Handler handler) {
    return reading_views(route(Method::kGet, pattern, scope, std::move(handler), searches_text));
  };
  const auto detail = [&route](std::string_view pattern, Handler handler) {
    return reading_views(
        route(Method::kGet, pattern, "transactions:read", std::move(handler), asks_for_the_past));
  };
  using enum Method;
  return {
      deciding_alone(brief(kPost, "/api/v1/transactions", "transactions:write", to(create_transaction)),
                     [&services] { return creations_need_no_bank(services); }),
      list("/api/v1/transactions", "transactions:read", to(list_transactions_v1)),
      list("/api/transactions", "transactions:read", to(list_transactions)),
      detail("/api/v1/transactions/:id", to(get_transaction)),
      detail("/api/transactions/:id", to(get_transaction)),
      longer(kGet, "/api/v1/transactions/:id/qr.svg", "transactions:read", to(get_qr_svg)),
      longer(kGet, "/api/v1/transactions/:id/qr.png", "transactions:read", to(get_qr_png)),
      longer(kGet, "/api/v1/transactions/:id/receipt", "transactions:read", to(get_receipt)),
      longer(kGet, "/api/v1/transactions/:id/events", "transactions:read", to(get_transaction_events)),
      reading_views(longer(kGet, "/api/v1/search", "transactions:read,customers:read", to(search))),
      reading_views(longer(kGet, "/api/v1/stats", "transactions:read", to(get_stats))),
      reading_views(confirmed(
          longer(kGet, "/api/v1/exports/:what", "transactions:read,channels:read", to(export_table)))),
      reading_views(taking_file(longer(kPost, kReconciliationsPath, kOperateScope, to(reconcile)))),
      longer(kGet, "/api/v1/connections", "transactions:read", to(list_connections)),
      brief(kGet, "/api/v1/requests", "transactions:read", to(list_failed_requests)),
      brief(kPost, "/api/sandbox/transactions/:id/pay", "transactions:write", to(sandbox_pay)),
      list("/api/v1/customers", "customers:read", to(list_customers)),
      list("/api/customers", "customers:read", to(list_customers)),
      reading_views(longer(kGet, "/api/v1/customers/:id", "customers:read", to(get_customer_v1))),
      reading_views(longer(kGet, "/api/customers/:id", "customers:read", to(get_customer))),
      brief(kPost, "/api/sandbox/transactions/:id/expire", "transactions:write", to(sandbox_expire)),
      brief(kPost, "/api/sandbox/transactions/:id/fail", "transactions:write", to(sandbox_fail)),
      longer(kPost, "/api/v1/transactions/:id/cancel", "transactions:write", to(cancel_transaction)),
      confirmed(
          longer(kPost, "/api/v1/transactions/:id/refund", "transactions:write", to(refund_transaction))),
      confirmed(longer(kPost, "/api/v1/transactions/:id/confirm", kOperateScope, to(confirm_payment))),
      confirmed(longer(kPost, "/api/v1/payments/:endToEndId/accept", kOperateScope, to(accept_payment))),
      confirmed(longer(kPost, "/api/v1/payments/:endToEndId/return", kOperateScope, to(return_payment))),
      brief(kPost, "/api/v1/customers", "customers:write", to(save_customer)),
      brief(kPost, "/api/customers", "customers:write", to(save_customer)),
      longer(kPost, "/api/v1/customers/:id/block", "customers:write", to(block_customer)),
      confirmed(longer(kPost, "/api/v1/customers/:id/unblock", "customers:write", to(unblock_customer))),
      longer(kGet, "/api/v1/blocklist", "customers:read", to(list_blocklist)),
      longer(kPost, "/api/v1/blocklist", "customers:write", to(add_blocklist_entry)),
      confirmed(longer(kDelete, "/api/v1/blocklist/:id", "customers:write", to(remove_blocklist_entry))),
      longer(kGet, "/api/v1/notification-channels", "channels:read", to(list_channels)),
      confirmed(asking_name_servers(
          longer(kPost, "/api/v1/notification-channels", "channels:write", to(add_channel)))),
      brief(kGet, "/api/v1/notification-channels/events", "channels:read", bind(list_webhook_events)),
      longer(kGet, "/api/v1/notification-channels/:id", "channels:read", to(get_channel)),
      confirmed(asking_name_servers(
          longer(kPatch, "/api/v1/notification-channels/:id", "channels:write", to(update_channel)))),
      confirmed(longer(kDelete, "/api/v1/notification-channels/:id", "channels:write", to(delete_channel))),
      confirmed(longer(kPost, "/api/v1/notification-channels/:id/rotate-secret", "channels:write",
                       to(rotate_channel_secret))),
      longer(kPost, "/api/v1/notification-channels/:id/test", "channels:write", to(test_channel)),
      longer(kPost, "/api/v1/notification-channels/:id/recover", "channels:read", to(recover_deliveries)),
      longer(kGet, "/api/v1/notification-channels/:id/deliveries", "channels:read", to(list_deliveries)),
      longer(kGet, "/api/v1/notification-channels/:id/stats", "channels:read", to(get_channel_stats)),
      longer(kGet, "/api/v1/notification-channels/:id/preview", "channels:read", to(preview_channel)),
      longer(kGet, "/api/v1/deliveries/:id", "channels:read", to(get_delivery)),
      longer(kPost, "/api/v1/deliveries/:id/redeliver", "channels:write", to(redeliver)),
      asking_name_servers(route(kPost, "/api/v1/checkout/sessions", "transactions:write",
                                to(create_checkout_session), may_name_a_target)),
      reading_views(
          longer(kGet, "/api/v1/checkout/sessions", "transactions:read", to(list_checkout_sessions))),
      brief(kGet, "/api/v1/checkout/sessions/:id", "transactions:read", to(get_checkout_session)),
      longer(kPost, "/api/v1/checkout/sessions/:id/cancel", "transactions:write",
             to(cancel_checkout_session)),
      longer(kGet, "/api/v1/checkout/sessions/:id/deliveries", "transactions:read",
             to(list_checkout_deliveries)),
      brief(kGet, "/api/v1/payer/sessions/:token", kPayerScope, to(get_payer_session)),
      brief(kPost, "/api/v1/payer/sessions/:token/customer", kPayerScope, to(add_payer_customer)),
      brief(kPost, "/api/v1/payer/sessions/:token/charges", kPayerScope, to(add_payer_charge)),
      brief(kPost, "/api/v1/payer/sessions/:token/simulate-payment", kPayerScope, to(simulate_payer_payment)),
      longer(kGet, "/api/v1/payer/sessions/:token/proof", kPayerScope, to(get_payer_proof)),
      brief(kGet, "/api/v1/payer/sessions/:token/logo", kPayerScope, to(get_payer_logo)),
      brief(kGet, "/api/v1/payer/changes", kPayerScope, to(stream_payer_changes)),
      confirmed(longer(kPatch, "/api/v1/store", "store:write", to(change_store))),
      brief(kGet, "/api/v1/store", "store:read", to(get_store)),
      reading_views(longer(kGet, "/api/v1/events", "events:read", to(list_events))),
      longer(kGet, "/api/v1/ledger/checkpoint", "", to(get_checkpoint)),
      longer(kGet, "/api/v1/ledger/consistency", "", to(get_consistency)),
      open_to_all(kPost, "/api/v1/sign-ins/challenge", to(create_challenge), always),
      hashing_password(open_to_all(kPost, "/api/v1/sign-ins", to(create_sign_in), always), names_password),
      longer(kGet, "/api/v1/sign-ins", kAccountScope, to(list_sign_ins)),
      longer(kGet, "/api/v1/sign-ins/current", kAccountScope, to(get_current_sign_in)),
      longer(kDelete, "/api/v1/sign-ins/current", kAccountScope, to(end_current_sign_in)),
      hashing_password(
          longer(kPost, "/api/v1/sign-ins/current/confirm", kAccountScope, to(confirm_current_sign_in)),
          names_password),
      longer(kDelete, "/api/v1/sign-ins/:id", kAccountScope, to(end_sign_in)),
      longer(kGet, "/api/v1/me/passkeys", kAccountScope, to(list_passkeys)),
      longer(kPost, "/api/v1/me/passkeys", kAccountScope, to(add_passkey)),
      longer(kDelete, "/api/v1/me/passkeys/:id", kAccountScope, to(remove_passkey)),
      hashing_password(longer(kPost, "/api/v1/me/password", kAccountScope, to(set_password)), always),
      longer(kPost, "/api/v1/me/totp", kAccountScope, to(set_totp)),
      longer(kDelete, "/api/v1/me/totp", kAccountScope, to(remove_totp)),
      longer(kPost, "/api/v1/me/recovery-codes", kAccountScope, to(replace_recovery_codes)),
      longer(kGet, "/api/v1/members", kMembersScope, to(list_members)),
      confirmed(longer(kPost, "/api/v1/members", kMembersScope, to(add_member))),
      confirmed(longer(kPatch, "/api/v1/members/:id", kMembersScope, to(change_member))),
      confirmed(longer(kDelete, "/api/v1/members/:id", kMembersScope, to(remove_member))),
      confirmed(longer(kPost, "/api/v1/members/:id/invite", kMembersScope, to(invite_member))),
      longer(kGet, "/api/v1/keys", kKeysScope, to(list_keys)),
      confirmed(longer(kPost, "/api/v1/keys", kKeysScope, to(issue_key))),
      confirmed(longer(kPost, "/api/v1/keys/:id/roll", kKeysScope, to(roll_key))),
      confirmed(longer(kPost, "/api/v1/keys/:id/revoke", kKeysScope, to(revoke_key))),
      open_to_all(kGet, "/healthz", bind(healthz)),
      open_to_all(kGet, "/readyz", to(readyz), always),
      open_to_all(kGet, "/openapi.json", bind(get_openapi)),
      open_to_all(
          kGet, kMetricsPath,
          [&services](const Request&) -> Answer { return metrics_reply(services.metrics); }, always),
  };
}

}  // namespace pixledger::http
