#include "http/api/accounts/failed_attempts.h"

#include <string_view>

#include "base/platform/clock.h"
#include "http/front/failed_authentications.h"
#include "http/front/refusals.h"
#include "http/services/sign_in_counts.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kTooManyOfAddress =
    "Too many sign-ins have failed from this address; see Retry-After.";

}  // namespace

std::optional<Reply> refuse_address(const Services& services, const Request& request) {
  const auto wait_s = services.failed_sign_ins.wait_of(request.caller_address, services.clock.boot_millis());
  if (!wait_s) return std::nullopt;
  ++services.sign_in_counts.limited;
  return too_many(request, kTooManyOfAddress, *wait_s);
}

Reply fail_for_address(const Services& services, const Request& request) {
  const auto wait_s = services.failed_sign_ins.note(request.caller_address, services.clock.boot_millis());
  return wait_s ? too_many(request, kTooManyOfAddress, *wait_s) : sign_in_failed(request);
}

}  // namespace pixledger::http
