#pragma once

#include <functional>

#include "eventstore/keys/key_uses.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "eventstore/reading/state_reader.h"
#include "http/front/failed_authentications.h"
#include "http/front/rate_limit.h"
#include "http/metrics/access_metrics.h"
#include "http/routing/router.h"
#include "http/services/checkout_links.h"
#include "http/transport/exchange.h"

namespace pixledger::http {

// What the guard works on; all of it is thread-safe and outlives the guard.
struct GuardServices {
  eventstore::StateReader& states;
  const eventstore::Clock& clock;
  RateLimiter& rate_limiter;
  FailedAuthentications& failed_authentications;
  AccessMetrics& metrics;
  eventstore::KeyUseRecorder& key_uses;
  const CheckoutLinks& checkout;
};

// The scope of the web key alone, which is no API key's: it opens checkout sessions by their tokens.
inline constexpr std::string_view kPayerScope = "payer";

// What finds out how far the log is works on; all of it is thread-safe and outlives that.
struct PreparationServices {
  const eventstore::Log& log;
  const Router& router;
  eventstore::StateReader& states;
  const eventstore::Clock& clock;
  const CheckoutLinks& checkout;
  bool is_shared;  // others write the log, too, and have to be asked
};

// Finds out how far the log is for requests whose route asks for a key: their `arrival`, which stays absent
// where that cannot be told, and where what was sent can be no key, which the guard refuses without. A key by
// its form has to wait, since another node may have issued it a moment ago; but where a request only has its
// command decided (Route::only_commands) nobody is asked about a key that the copy lets in: the command is
// decided at the head, the key with it. For ServerServices::prepare.
std::function<bool(const Responder&)> make_preparation(const PreparationServices& services);

// The guard of every route that is not public, in this order: the key in `Authorization: Bearer …` must be
// known, usable now and used from an address it allows (401 ERR_AUTH_009; 429 ERR_RATE_001 when too many from
// that address were not), within its rate (429 ERR_RATE_001), and have the route's scope (403 ERR_AUTH_010).
// Reads the key's stream as of the request's `arrival`, so that a revoked key stops at once (503 when that is
// not known). Routes of the payer's scope take the web key and no other (403 ERR_AUTH_010 to API keys), and a
// token in their path that opens a session (404 ERR_CHECKOUT_001), whose project and environment are the
// caller's then.
Guard make_guard(const GuardServices& services);

// For a request that has waited: its refusal, if the key that the guard let in was revoked or has expired
// since.
std::optional<Reply> refuse_ended_key(const eventstore::Log& log, eventstore::StateReader& states,
                                      const eventstore::Clock& clock, const Request& request);

}  // namespace pixledger::http
