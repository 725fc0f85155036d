#pragma once

#include <optional>

#include "base/platform/clock.h"
#include "eventstore/keys/key_uses.h"
#include "eventstore/reading/state_reader.h"
#include "http/front/failed_authentications.h"
#include "http/front/rate_limit.h"
#include "http/metrics/access_metrics.h"
#include "http/routing/router.h"
#include "http/services/checkout_links.h"
#include "http/services/services.h"

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
bool is_web_key_for(const CheckoutLinks& checkout, std::string_view bearer, const Route& route);

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

}  // namespace pixledger::http
