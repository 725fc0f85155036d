#include "http/front/refusals.h"

#include "base/http/json/error_reply.h"
#include "http/front/rate_limit.h"

namespace pixledger::http {

Reply unauthenticated(const Request& request, std::string_view code, std::string_view message) {
  auto reply = error_reply(request, {.status = 401, .code = code, .message = std::string(message)});
  reply.headers.push_back({"WWW-Authenticate", "Bearer"});
  return reply;
}

Reply sign_in_failed(const Request& request) { return unauthenticated(request, kSignInCode, kSignInEnded); }

Reply lacks_confirmation(const Request& request) {
  return error_reply(request, {.status = 403,
                               .code = "ERR_AUTH_013",
                               .message = "Confirm who you are first: POST "
                                          "/api/v1/sign-ins/current/confirm."});
}

Reply lacks_scope(const Request& request, std::string_view scope) {
  return error_reply(request, {.status = 403,
                               .code = "ERR_AUTH_010",
                               .message = "This API key lacks the scope " + std::string(scope) + "."});
}

Reply lacks_role(const Request& request, std::string_view message) {
  return error_reply(request, {.status = 403, .code = "ERR_AUTH_012", .message = std::string(message)});
}

Reply too_many(const Request& request, std::string_view message, std::int64_t wait_s) {
  auto reply = error_reply(request, {.status = 429, .code = "ERR_RATE_001", .message = std::string(message)});
  reply.headers.push_back({"Retry-After", std::to_string(wait_s)});
  return reply;
}

Reply refuse_unauthenticated(const GuardServices& services, const Request& request, std::string_view code,
                             std::string_view message) {
  services.metrics.failed_authentications.Increment();
  const auto wait_s =
      services.failed_authentications.note(request.caller_address, services.clock.boot_millis());
  if (!wait_s) return unauthenticated(request, code, message);
  services.metrics.limited_failed_authentications.Increment();
  return too_many(request, "Too many requests without a valid API key came from this address.", *wait_s);
}

std::optional<Reply> refuse_for_rate(const GuardServices& services, Request& request,
                                     const std::string& whose, domain::Environment environment) {
  if (!services.rate_limiter.limits(environment)) return std::nullopt;
  const auto verdict = services.rate_limiter.take(whose, environment, services.clock.boot_millis());
  request.reply_headers = rate_headers(environment, *verdict);
  if (verdict->allowed) return std::nullopt;
  services.metrics.rate_limited(environment).Increment();
  return too_many(request, "This API key or user sends too many requests; see Retry-After.", verdict->wait_s);
}

Head arrival_of(const Request& request) {
  if (!request.arrival) throw eventstore::LogUnavailable("how far the log is is not known");
  return *request.arrival;
}

}  // namespace pixledger::http
