#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/transport/exchange.h"
#include "base/platform/clock_and_entropy.h"
#include "domain/aggregates/team.h"
#include "eventstore/keys/key_uses.h"
#include "eventstore/log/cluster.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"
#include "http/front/rate_limit.h"
#include "http/metrics/request_metrics.h"
#include "http/routing/router.h"
#include "http/services/payer_pages.h"
#include "http/services/services.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {

// What the guard uses. Everything is thread-safe and outlives the guard.
struct GuardServices {
  eventstore::StateReader& states;
  const Clock& clock;
  RateLimiter& rate_limiter;
  FailedAuthentications& failed_authentications;
  AccessMetrics& metrics;
  eventstore::KeyUseRecorder& key_uses;
  const CheckoutLinks& checkout;
};

// The scope of the web key alone: it opens checkout sessions by their tokens. No API key has it.
inline constexpr std::string_view kPayerScope = "payer";

// The guard of every route that is not public. `Authorization: Bearer …` identifies the caller:
//
// An API key must be known, usable now and used from an allowed address (401 ERR_AUTH_009). After too many
// failures from one address the answer is 429 ERR_RATE_001. The key must be within its rate (429
// ERR_RATE_001) and have the route's scope (403 ERR_AUTH_010). Its stream is read as of the request's
// `arrival`, so a revoked key stops at once (503 if `arrival` is unknown).
//
// A sign-in must not have ended (401 ERR_AUTH_011; 429 as above). Its user must be a member of the project in
// Pixledger-Project as of the request's arrival (400, 403 ERR_AUTH_012), with a role that has the route's
// scope (403 ERR_AUTH_012). If the route asks for it, the user must have confirmed their identity within the
// last ten minutes (403 ERR_AUTH_013). Pixledger-Environment selects live or sandbox.
//
// Routes of the payer's scope take the web key only (403 for others). A token in their path must open a
// session (404 ERR_CHECKOUT_001), which sets the caller's project and environment.
Guard make_guard(const GuardServices& services);

// For a request whose body needs this scope besides its route's. Returns the error reply if the key or role
// lacks it.
std::optional<Reply> refuse_lack_of_scope(const Services& services, const Request& request,
                                          std::string_view scope);

// For a request that has waited. Returns the error reply if its key or sign-in has ended since, or its user
// no longer has this role.
std::optional<Reply> refuse_ended_caller(const Services& services, const Request& request);

// The result of looking up a sign-in's token. `is_known` is false if the database was unavailable.
struct SignInLookup {
  bool is_known = false;
  std::optional<stores::SignIn> sign_in{};  // of a valid token
};

// What make_preparation uses. All outlive it.
struct PreparationServices {
  const eventstore::Log& log;
  const Router& router;
  eventstore::StateReader& states;
  const Clock& clock;
  const CheckoutLinks& checkout;
  stores::AccountRepository& accounts;
  const eventstore::Cluster* cluster;  // shared ledger, whose other nodes write the log, too; null: none
  // Runs work on another thread, in the turn of `line`; false if too much waits there.
  std::function<bool(const std::string& line, std::function<void()>)> run_on_pool;
};

// Finds what the guard needs and what takes time, for routes that need a key: the request's `arrival`, and
// the `sign_in` of a sign-in's token. Each stays absent if it cannot be found, or if the bearer has neither
// form; the guard then refuses. A well-formed key waits for the log's head, since another node may have
// issued it a moment ago. The exception is a request whose outcome its command decides
// (Route::only_commands), with a key that the local copy accepts: both are checked again at the head. For
// ServerServices::prepare.
std::function<bool(const Responder&)> make_preparation(const PreparationServices& services);

// The page server calls on behalf of browsers. With the web key in `Pixledger-Web-Key` the caller's address
// is the one in `Pixledger-Caller-Address`. Without the key both headers are ignored.
void adopt_browser_address(const CheckoutLinks& checkout, Request& request);

// The text after `Authorization: Bearer`; empty unless there is exactly one.
std::string_view bearer_of(const Request& request);

// Replies of the guard that operations give, too.

// 401 ERR_AUTH_011: the sign-in failed or has ended. One reply for all causes.
inline constexpr std::string_view kSignInEnded = "The sign-in has failed or ended. Sign in again.";
Reply sign_in_failed(const Request& request);
// 403 ERR_AUTH_013: the user has not confirmed their identity recently.
Reply lacks_confirmation(const Request& request);
// 403 ERR_AUTH_012: the user's role does not allow this.
Reply lacks_role(const Request& request, std::string_view message);
// 429 ERR_RATE_001.
Reply too_many(const Request& request, std::string_view message, std::int64_t wait_s);

// Scopes of users only: no API key can create keys or members, or declare a payment.
inline constexpr std::string_view kKeysScope = "keys";
inline constexpr std::string_view kMembersScope = "members";
inline constexpr std::string_view kOperateScope = "operate";
// A user's own account: every sign-in has it, in any project or none.
inline constexpr std::string_view kAccountScope = "account";

// Whether the scope is one of these four.
bool is_of_users_alone(std::string_view scope);

// Whether a member with the role may call a route with this scope; empty: any role.
bool allows(domain::Role role, std::string_view scope);

}  // namespace pixledger::http
