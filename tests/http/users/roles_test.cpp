#include <catch2/catch.hpp>
#include <map>

#include "http/front/authentication.h"
#include "tests/support/servers/checkout_calls.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

// Who may call a route: a key with all scopes, and members by their roles.
struct Allowed {
  bool key = false;
  bool owner = false;
  bool op = false;
  bool viewer = false;
  bool asks_confirmation = false;  // of users
};
constexpr Allowed kEverybody{.key = true, .owner = true, .op = true, .viewer = true};
constexpr Allowed kWhoOperates{.key = true, .owner = true, .op = true};
constexpr Allowed kWhoOperatesConfirmed{.key = true, .owner = true, .op = true, .asks_confirmation = true};
constexpr Allowed kEverybodyConfirmed{
    .key = true, .owner = true, .op = true, .viewer = true, .asks_confirmation = true};
constexpr Allowed kOwnersConfirmed{.key = true, .owner = true, .asks_confirmation = true};
// Users alone.
constexpr Allowed kOwnersAlone{.owner = true};
constexpr Allowed kOwnersAloneConfirmed{.owner = true, .asks_confirmation = true};
constexpr Allowed kUsersWhoOperate{.owner = true, .op = true};
constexpr Allowed kUsersWhoOperateConfirmed{.owner = true, .op = true, .asks_confirmation = true};
// Only the web key's.
constexpr Allowed kNobody{};

// Every route that needs a caller for a project. A new one must be listed here.
const std::map<std::string, Allowed>& decided() {
  static const std::map<std::string, Allowed> kDecided = {
      {"POST /api/v1/transactions", kWhoOperates},
      {"GET /api/v1/transactions", kEverybody},
      {"GET /api/transactions", kEverybody},
      {"GET /api/v1/transactions/:id", kEverybody},
      {"GET /api/transactions/:id", kEverybody},
      {"GET /api/v1/transactions/:id/qr.svg", kEverybody},
      {"GET /api/v1/transactions/:id/qr.png", kEverybody},
      {"GET /api/v1/transactions/:id/receipt", kEverybody},
      {"GET /api/v1/transactions/:id/events", kEverybody},
      {"POST /api/v1/transactions/:id/confirm", kUsersWhoOperateConfirmed},
      {"POST /api/v1/payments/:endToEndId/accept", kUsersWhoOperateConfirmed},
      {"POST /api/v1/payments/:endToEndId/return", kUsersWhoOperateConfirmed},
      {"GET /api/v1/search", kEverybody},
      {"GET /api/v1/stats", kEverybody},
      {"GET /api/v1/exports/:what", kEverybodyConfirmed},
      {"POST /api/v1/reconciliations", kUsersWhoOperate},
      {"GET /api/v1/connections", kEverybody},
      {"GET /api/v1/requests", kEverybody},
      {"POST /api/v1/transactions/:id/cancel", kWhoOperates},
      {"POST /api/v1/transactions/:id/refund", kWhoOperatesConfirmed},
      {"POST /api/sandbox/transactions/:id/pay", kWhoOperates},
      {"POST /api/sandbox/transactions/:id/expire", kWhoOperates},
      {"POST /api/sandbox/transactions/:id/fail", kWhoOperates},
      {"GET /api/v1/customers", kEverybody},
      {"GET /api/customers", kEverybody},
      {"GET /api/v1/customers/:id", kEverybody},
      {"GET /api/customers/:id", kEverybody},
      {"POST /api/v1/customers", kWhoOperates},
      {"POST /api/customers", kWhoOperates},
      {"POST /api/v1/customers/:id/block", kWhoOperates},
      {"POST /api/v1/customers/:id/unblock", kWhoOperatesConfirmed},
      {"GET /api/v1/blocklist", kEverybody},
      {"POST /api/v1/blocklist", kWhoOperates},
      {"DELETE /api/v1/blocklist/:id", kWhoOperatesConfirmed},
      {"GET /api/v1/notification-channels", kEverybody},
      {"POST /api/v1/notification-channels", kWhoOperatesConfirmed},
      {"GET /api/v1/notification-channels/events", kEverybody},
      {"GET /api/v1/notification-channels/:id", kEverybody},
      {"PATCH /api/v1/notification-channels/:id", kWhoOperatesConfirmed},
      {"DELETE /api/v1/notification-channels/:id", kWhoOperatesConfirmed},
      {"POST /api/v1/notification-channels/:id/rotate-secret", kWhoOperatesConfirmed},
      {"POST /api/v1/notification-channels/:id/test", kWhoOperates},
      {"POST /api/v1/notification-channels/:id/recover", kWhoOperates},  // except to count
      {"GET /api/v1/notification-channels/:id/deliveries", kEverybody},
      {"GET /api/v1/notification-channels/:id/stats", kEverybody},
      {"GET /api/v1/notification-channels/:id/preview", kEverybody},
      {"GET /api/v1/deliveries/:id", kEverybody},
      {"POST /api/v1/deliveries/:id/redeliver", kWhoOperates},
      {"POST /api/v1/checkout/sessions", kWhoOperates},
      {"GET /api/v1/checkout/sessions", kEverybody},
      {"GET /api/v1/checkout/sessions/:id", kEverybody},
      {"POST /api/v1/checkout/sessions/:id/cancel", kWhoOperates},
      {"GET /api/v1/checkout/sessions/:id/deliveries", kEverybody},
      {"GET /api/v1/payer/sessions/:token", kNobody},
      {"POST /api/v1/payer/sessions/:token/customer", kNobody},
      {"POST /api/v1/payer/sessions/:token/charges", kNobody},
      {"POST /api/v1/payer/sessions/:token/simulate-payment", kNobody},
      {"GET /api/v1/payer/sessions/:token/proof", kNobody},
      {"GET /api/v1/payer/sessions/:token/logo", kNobody},
      {"GET /api/v1/payer/changes", kNobody},
      {"PATCH /api/v1/store", kOwnersConfirmed},
      {"GET /api/v1/store", kEverybody},
      {"GET /api/v1/events", kEverybody},
      {"GET /api/v1/keys", kOwnersAlone},
      {"POST /api/v1/keys", kOwnersAloneConfirmed},
      {"POST /api/v1/keys/:id/roll", kOwnersAloneConfirmed},
      {"POST /api/v1/keys/:id/revoke", kOwnersAloneConfirmed},
      {"GET /api/v1/members", kOwnersAlone},
      {"POST /api/v1/members", kOwnersAloneConfirmed},
      {"PATCH /api/v1/members/:id", kOwnersAloneConfirmed},
      {"DELETE /api/v1/members/:id", kOwnersAloneConfirmed},
      {"POST /api/v1/members/:id/invite", kOwnersAloneConfirmed},
      {"GET /api/v1/ledger/checkpoint", kEverybody},
      {"GET /api/v1/ledger/consistency", kEverybody},
  };
  return kDecided;
}

std::string name_of(const http::Route& route) {
  return std::string(http::method_name(route.method)) + " " + std::string(route.pattern);
}

// The route's path with an unknown id in place of each parameter.
std::string path_of(const http::Route& route) {
  std::string path;
  std::string_view left = route.pattern;
  while (!left.empty()) {
    const auto end = left.find('/', 1);
    const auto segment = left.substr(0, end);
    path += segment.starts_with("/:") ? "/cnobody0000000001" : std::string(segment);
    left = end == std::string_view::npos ? std::string_view() : left.substr(end);
  }
  return path;
}

bool is_for_a_project(const http::Route& route) {
  return !route.is_public && route.scope != http::kAccountScope;
}

// The code of the guard's refusal, or "" if it admits the caller.
std::string refusal_in(const HttpAnswer& answer) {
  if (answer.status != 401 && answer.status != 403) return "";
  return answer.at("/code");
}

}  // namespace

TEST_CASE("every route admits exactly its listed callers") {
  TestService service;
  const auto project = service.create_project();
  const std::map<Role, SignedIn> members = {
      {Role::kOwner, sign_in(service, project.id, Role::kOwner, "olga")},
      {Role::kOperator, sign_in(service, project.id, Role::kOperator, "oto")},
      {Role::kViewer, sign_in(service, project.id, Role::kViewer, "vera")}};
  std::size_t met = 0;
  for (const auto& route : service.routes()) {
    if (!is_for_a_project(route)) continue;
    INFO(name_of(route));
    const auto found = decided().find(name_of(route));
    REQUIRE(found != decided().end());
    ++met;
    const auto& allowed = found->second;
    const auto path = path_of(route);
    const std::string method(http::method_name(route.method));
    const std::map<Role, bool> by_role = {
        {Role::kOwner, allowed.owner}, {Role::kOperator, allowed.op}, {Role::kViewer, allowed.viewer}};
    for (const auto& [role, may] : by_role) {
      INFO(domain::to_string(role));
      CHECK(refusal_in(send_as(service, members.at(role), method, path)) == (may ? "" : "ERR_AUTH_012"));
    }
    CHECK(refusal_in(service.send(method, path, project.live_key)) == (allowed.key ? "" : "ERR_AUTH_010"));
    CHECK(route.asks_confirmation == allowed.asks_confirmation);
  }
  CHECK(met == decided().size());
}

TEST_CASE("a route that needs confirmation is refused ten minutes after the last confirmation") {
  TestService service;
  const auto project = service.create_project();
  const auto owner = sign_in(service, project.id, Role::kOwner);
  service.clock().advance_millis(10 * 60'000 - 1);
  for (const bool is_fresh : {true, false}) {
    for (const auto& route : service.routes()) {
      if (!is_for_a_project(route) || !route.asks_confirmation) continue;
      INFO(name_of(route));
      const auto answer =
          send_as(service, owner, std::string(http::method_name(route.method)), path_of(route));
      CHECK(refusal_in(answer) == (is_fresh ? "" : "ERR_AUTH_013"));
    }
    service.clock().advance_millis(1);
  }
  CHECK(send_as(service, owner, "GET", "/api/v1/store").status == 200);
  // A session's body may have a webhook's secret, and the target of payers' data.
  const std::string sessions = "/api/v1/checkout/sessions";
  CHECK(refusal_in(send_as(service, owner, "POST", sessions, checkout_body())).empty());
  const auto with_webhook = checkout_body(R"("webhookUrl":"https://hooks.example.com/pix")");
  CHECK(refusal_in(send_as(service, owner, "POST", sessions, with_webhook)) == "ERR_AUTH_013");
  CHECK(refusal_in(service.send("POST", sessions, project.live_key, with_webhook)).empty());
}
