#include "http/front/preparation.h"

#include <memory>
#include <string>

#include "base/platform/sha256.h"
#include "base/values/ip_address.h"
#include "eventstore/keys/api_key_text.h"
#include "eventstore/keys/user_tokens.h"
#include "http/front/authentication.h"
#include "http/front/bearer.h"
#include "http/front/caller.h"
#include "http/front/key_authentication.h"

namespace pixledger::http {
namespace {

constexpr const char* kWebKeyHeader = "Pixledger-Web-Key";

// Whether that is known at once.
bool find_arrival(const eventstore::Log& log, const Responder& responder) {
  auto& request = responder.request();
  request.arrival = log.begin_catch_up([responder](const eventstore::CaughtUp& told) {
    const auto head = told.fault.empty() ? std::optional(told.head) : std::nullopt;
    responder.on_loop([responder, head] {
      responder.request().arrival = head;
      responder.prepared();
    });
  });
  return request.arrival.has_value();
}

// Whether the log is asked about what was sent; a mistyped key is told by its checksum.
bool may_be_key(const CheckoutLinks& checkout, std::string_view bearer, const Route& route) {
  return eventstore::parse_api_key(bearer) || is_web_key_for(checkout, bearer, route);
}

// What the copy knows of the key may be a moment old: it may have been revoked elsewhere, which is found out
// when the command is decided. A key that the copy does not let in may have been issued elsewhere meanwhile.
// Of a node that cannot tell how far the log is nobody is let in so.
std::optional<Head> arrival_for_command(const PreparationServices& services, const Request& request,
                                        const Route& route) {
  if (!services.cluster || !route.only_commands || !route.only_commands()) return std::nullopt;
  if (!services.cluster->fault().empty()) return std::nullopt;
  const auto head = services.log.head();
  if (!lets_key_in(services.states, services.clock, request, head)) return std::nullopt;
  return head;
}

std::shared_ptr<const SignInLookup> look_up(const PreparationServices& services, const std::string& token) {
  try {
    return std::make_shared<const SignInLookup>(
        SignInLookup{true, services.accounts.find_sign_in(sha256(token), services.clock.now())});
  } catch (const std::exception&) {
    return std::make_shared<const SignInLookup>();
  }
}

}  // namespace

std::function<bool(const Responder&)> make_preparation(const PreparationServices& services) {
  return [services](const Responder& responder) {
    auto& request = responder.request();
    const auto& route = services.router.route_of(request);
    const auto bearer = bearer_of(request);
    if (route.is_public) return true;
    if (!bearer.starts_with(eventstore::kSignInTokenStart)) {
      if (!may_be_key(services.checkout, bearer, route)) return true;
      request.arrival = arrival_for_command(services, request, route);
      return request.arrival || find_arrival(services.log, responder);
    }
    if (!eventstore::is_sign_in_token(bearer)) {
      request.sign_in = std::make_shared<const SignInLookup>(SignInLookup{true, std::nullopt});
      return find_arrival(services.log, responder);
    }
    responder.share();
    // Nobody knows yet who it is: what an address sends of made-up tokens delays that address alone.
    const auto line = line_of(request);
    const bool is_asked = services.run_on_pool(line, [services, responder, token = std::string(bearer)] {
      responder.on_loop([services, responder, lookup = look_up(services, token)] {
        responder.request().sign_in = lookup;
        // After the sign-in, so that what its user may do is as of a moment in which it was good.
        if (find_arrival(services.log, responder)) responder.prepared();
      });
    });
    return is_asked ? false : find_arrival(services.log, responder);
  };
}

void adopt_browser_address(const CheckoutLinks& checkout, Request& request) {
  const auto key = request.headers.find(kWebKeyHeader);
  const auto text = request.headers.find(kAddressHeader);
  if (!key || !text || request.headers.count(kAddressHeader) != 1 || !checkout.is_web_key(*key)) return;
  if (const auto address = IpAddress::parse(*text)) request.caller_address = address->text();
}

}  // namespace pixledger::http
