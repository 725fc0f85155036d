#include "http/front/unread_judge.h"

#include <exception>

#include "http/front/authentication.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

std::uint64_t UnreadJudge::now() const { return services_.projector.erasures(); }

bool UnreadJudge::may_be_sent(std::uint64_t made_at) const {
  try {
    return made_at == now() && !refuse_ended_caller(services_, request_);
  } catch (const std::exception&) {
    return false;  // the ledger cannot tell
  }
}

}  // namespace pixledger::http
