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

// What the guard works on; all of it is thread-safe and outlives the guard.
struct GuardServices {
  eventstore::StateReader& states;
  const Clock& clock;
  RateLimiter& rate_limiter;
  FailedAuthentications& failed_authentications;
  AccessMetrics& metrics;
  eventstore::KeyUseRecorder& key_uses;
  const CheckoutLinks& checkout;
};

// The scope of the web key alone, which is no API key's: it opens checkout sessions by their tokens.
inline constexpr std::string_view kPayerScope = "payer";

// The guard of every route that is not public. What `Authorization: Bearer …` holds says who calls:
//
// An API key must be known, usable now and used from an address it allows (401 ERR_AUTH_009; 429 ERR_RATE_001
// when too many from that address were not), within its rate (429 ERR_RATE_001), and have the route's scope
// (403 ERR_AUTH_010). Its stream is read as of the request's `arrival`, so that a revoked key stops at once
// (503 when that is not known).
//
// A sign-in's token must be of one that has not ended (401 ERR_AUTH_011; 429 as above), whose user is a
// member of the project that Pixledger-Project names (400, 403 ERR_AUTH_012), as of the request's arrival,
// with a role that has the route's scope (403 ERR_AUTH_012), and has proven within ten minutes who they
// are where the route asks for that (403 ERR_AUTH_013). Pixledger-Environment says in which world they act.
//
// Routes of the payer's scope take the web key and no other (403 to others), and a token in their path that
// opens a session (404 ERR_CHECKOUT_001), whose project and environment are the caller's then.
Guard make_guard(const GuardServices& services);

// For a request whose body says that it needs this scope, beside its route's: its refusal, if the key or role
// lacks it.
std::optional<Reply> refuse_lack_of_scope(const Services& services, const Request& request,
                                          std::string_view scope);

// For a request that has waited: its refusal, if the key or sign-in that the guard let in has ended since, or
// its user has not this role any more.
std::optional<Reply> refuse_ended_caller(const Services& services, const Request& request);

// What was found out of a sign-in's token: nothing where the database could not be asked.
struct SignInLookup {
  bool is_known = false;
  std::optional<stores::SignIn> sign_in{};  // of a token that is good
};

// What has to be known before a request can be judged, and takes its time. All outlive it.
struct PreparationServices {
  const eventstore::Log& log;
  const Router& router;
  eventstore::StateReader& states;
  const Clock& clock;
  const CheckoutLinks& checkout;
  stores::AccountRepository& accounts;
  const eventstore::Cluster* cluster;  // others that write the log, too, and have to be asked; null: none
  // Has it done on another thread, in the turn of that line; false when too much waits for that.
  std::function<bool(const std::string& line, std::function<void()>)> run_on_pool;
};

// Finds out how far the log is for requests whose route asks for a key, and whose sign-in those have that
// show a sign-in's token: their `arrival` and `sign_in`. Both stay absent where that cannot be told, and
// where what was sent can be neither, which the guard refuses without. A key by its form has to wait, since
// another node may have issued it a moment ago; but where a request only has its command decided
// (Route::only_commands) nobody is asked about a key that the copy lets in: the command is decided at the
// head, the key with it. For ServerServices::prepare.
std::function<bool(const Responder&)> make_preparation(const PreparationServices& services);

// The server of pages asks on behalf of browsers: with the web key in `Pixledger-Web-Key` the request's
// caller is the address in `Pixledger-Caller-Address`. Without it both are ignored.
void adopt_browser_address(const CheckoutLinks& checkout, Request& request);

// What the request's `Authorization: Bearer …` holds; empty where it has none, or more than one.
std::string_view bearer_of(const Request& request);

// What operations answer as the guard does.

// 401 ERR_AUTH_011: of a sign-in that failed, or has ended. One answer, whatever it is that is wrong.
inline constexpr std::string_view kSignInEnded = "The sign-in has failed or ended. Sign in again.";
Reply sign_in_failed(const Request& request);
// 403 ERR_AUTH_013: of a user who has not proven a moment ago who they are.
Reply lacks_confirmation(const Request& request);
// 403 ERR_AUTH_012: of a user's role.
Reply lacks_role(const Request& request, std::string_view message);
// 429 ERR_RATE_001.
Reply too_many(const Request& request, std::string_view message, std::int64_t wait_s);

// Scopes that no API key has, so that none can make keys or members, or say that money has come.
inline constexpr std::string_view kKeysScope = "keys";
inline constexpr std::string_view kMembersScope = "members";
inline constexpr std::string_view kOperateScope = "operate";
// Of a user's own account: any sign-in has it, for whatever project or none.
inline constexpr std::string_view kAccountScope = "account";

// Whether the scope is one of these four.
bool is_of_users_alone(std::string_view scope);

// Whether a member with the role may call a route that asks for the scope; empty: any role.
bool allows(domain::Role role, std::string_view scope);

}  // namespace pixledger::http
