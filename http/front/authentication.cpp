#include "http/front/authentication.h"

#include "base/http/json/error_reply.h"
#include "eventstore/keys/user_tokens.h"
#include "eventstore/log/log.h"
#include "http/front/bearer.h"
#include "http/front/caller.h"
#include "http/front/key_authentication.h"
#include "http/front/preparation.h"
#include "http/front/refusals.h"
#include "http/front/user_authentication.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kTokenName = "/:token";
constexpr std::string_view kTokenPrefix = "/api/v1/payer/sessions/";

// As it stands in the path of a route that has one.
std::string_view token_in(const Request& request) {
  const std::string_view path = request.path;
  if (!path.starts_with(kTokenPrefix)) return {};
  const auto rest = path.substr(kTokenPrefix.size());
  return rest.substr(0, rest.find('/'));
}

// What the web key is refused; nothing once the request's caller is set.
std::optional<Reply> admit_web(const GuardServices& services, Request& request, const Route& route) {
  const auto head = arrival_of(request);
  Caller caller{.project = of_no_project(), .environment = domain::Environment::kLive, .arrival = head};
  if (route.pattern.find(kTokenName) != std::string_view::npos) {
    const auto id = services.checkout.session_of(token_in(request));
    const auto state = id ? services.states.find(domain::checkout_stream(*id), head) : nullptr;
    const auto* session = state ? std::get_if<domain::CheckoutSession>(state.get()) : nullptr;
    if (!session)
      return error_reply(
          request,
          {.status = 404, .code = "ERR_CHECKOUT_001", .message = "There is no such checkout session."});
    caller.project = session->project;
    caller.environment = session->environment;
    caller.payer_of = session->id;
  }
  request.caller = std::make_shared<const Caller>(std::move(caller));
  return std::nullopt;
}

std::optional<Reply> admit(const GuardServices& services, Request& request, const Route& route) {
  const auto bearer = bearer_of(request);
  if (is_web_key_for(services.checkout, bearer, route)) return admit_web(services, request, route);
  if (bearer.starts_with(eventstore::kSignInTokenStart)) return admit_user(services, request, route);
  return admit_key(services, request, route);
}

}  // namespace

bool is_web_key_for(const CheckoutLinks& checkout, std::string_view bearer, const Route& route) {
  return route.scope == kPayerScope && checkout.is_web_key(bearer);
}

Guard make_guard(const GuardServices& services) {
  return [services](Request& request, const Route& route) -> std::optional<Reply> {
    try {
      return admit(services, request, route);
    } catch (const eventstore::LogUnavailable&) {
      return transport_error_reply(request, 503, "The service cannot tell now what is recorded. Try again.");
    }
  };
}

std::optional<Reply> refuse_lack_of_scope(const Services& services, const Request& request,
                                          std::string_view scope) {
  return request.caller->user ? refuse_role_without(request, scope)
                              : refuse_key_without(services, request, scope);
}

std::optional<Reply> refuse_ended_caller(const Services& services, const Request& request) {
  return request.caller->user ? refuse_ended_sign_in(services, request) : refuse_ended_key(services, request);
}

}  // namespace pixledger::http
