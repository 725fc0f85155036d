#include "http/front/caller_confirmation.h"

#include <exception>

#include "http/front/authentication.h"
#include "http/services/sign_in_watch.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

// Keys and memberships end in the ledger, before any event that their holder must not see.
bool is_caller_confirmed(const Services& services, const Caller& caller, SteadyTime since) {
  return !caller.user || services.sign_in_watch.is_told_since(caller.user->sign_in, since);
}

bool confirm_caller(const Services& services, const Caller& caller, SteadyTime since,
                    std::chrono::milliseconds patience) {
  return !caller.user || services.sign_in_watch.wait_until_told(caller.user->sign_in, since, patience);
}

std::uint64_t UnreadJudge::now() const { return services_.projector.erasures(); }

bool UnreadJudge::may_be_sent(std::uint64_t made_at) const {
  try {
    return made_at == now() && !refuse_ended_caller(services_, request_);
  } catch (const std::exception&) {
    return false;  // the ledger is unavailable
  }
}

}  // namespace pixledger::http
