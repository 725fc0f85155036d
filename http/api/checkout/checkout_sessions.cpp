#include "http/api/checkout/checkout_sessions.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/text/text.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/decisions/command.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/channels/deliveries.h"
#include "http/api/charges/bank_waits.h"
#include "http/api/common/body_fields.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/charge_fields.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/customer_fields.h"
#include "http/api/common/list_filters.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/channel_targets.h"
#include "http/services/payer_pages.h"
#include "http/services/services.h"
#include "projections/generations/generation.h"
#include "projections/views/checkout_list.h"
#include "stores/deliveries/channels.h"

namespace pixledger::http {
namespace {

// A session with what its merchant's view needs.
struct CheckoutShown {
  const domain::CheckoutSession& session;
  const std::string& url;
  const domain::Channel* channel;  // the session's own; null without one
  Timestamp now;                   // decides whether the session has expired
};

// Writes members of the open object.
void write_checkout(Json& json, const CheckoutShown& shown) {
  const auto& session = shown.session;
  const auto* newest = domain::newest_charge(session);
  json.field("id", session.id).field("url", shown.url);
  json.field("status", domain::status_at(session, shown.now));
  json.field("environment", session.environment);
  json.field("transactionId", newest ? std::optional(newest->id.text()) : std::nullopt);
  json.field("paidTransactionId", session.paid ? std::optional(session.paid->text()) : std::nullopt);
  json.key("payment").begin_object();
  json.field("amountCents", session.amount).field("product", session.product);
  json.field("quantity", session.quantity).field("expirationDays", session.expiration_days);
  json.end_object();
  json.field("originDomain", session.origin_host);
  json.field("externalId", session.external_id ? session.external_id->text() : session.id.text());
  json.field("successUrl", session.success_url).field("cancelUrl", session.cancel_url);
  json.field("locale", session.locale);
  json.field("webhookUrl", shown.channel ? std::optional(shown.channel->url) : std::nullopt);
  json.field("webhookApiVersion", session.webhook_version);
  json.field("expiresAt", session.expires_at);
  json.field("createdAt", session.created_at).field("updatedAt", session.updated_at);
}

struct LocaleName {
  static constexpr std::string_view kRule = "must be pt-BR or en";
  static std::optional<LocaleName> parse(std::string_view text) {
    const auto locale = domain::parse_checkout_locale(text);
    return locale ? std::optional(LocaleName{*locale}) : std::nullopt;
  }
  domain::CheckoutLocale value;
};

struct VersionName {
  static constexpr std::string_view kRule = "must be v1 or v2";
  static std::optional<VersionName> parse(std::string_view text) {
    const auto version = domain::parse_webhook_version(text);
    return version ? std::optional(VersionName{*version}) : std::nullopt;
  }
  domain::WebhookVersion value;
};

// Only sandbox sessions may return to pages without TLS.
std::optional<PageUrl> read_page_url(const JsonObject& body, std::string_view name, const Caller& caller) {
  auto url = body.optional<PageUrl>(name);
  if (!url || url->is_https() || caller.environment == domain::Environment::kSandbox) return url;
  body.violation(name, std::string(PageUrl::kRule));
  return std::nullopt;
}

// Validated as a channel's URL.
std::optional<domain::CheckoutChannel> read_channel(const ProjectTargets& targets, const JsonObject& body) {
  const auto url = body.optional<AnyText>("webhookUrl");
  if (!url) return std::nullopt;
  const auto parsed = targets.parse(url->text);
  if (const auto* refused = std::get_if<TargetRefused>(&parsed)) {
    body.violation("webhookUrl", refused->reason);
    return std::nullopt;
  }
  return domain::CheckoutChannel{
      .url = url->text, .secret = {}, .secret_hint = {}, .target = targets.verdict_of(url->text)};
}

// The body of POST, without the session's id and the secret of its channel. Finishes the input: nullopt with
// violations.
std::optional<domain::CreateCheckoutSession> read_new_checkout(const Services& services, const Caller& caller,
                                                               domain::CheckoutSessionId id, Input& input) {
  const auto body = input.body();
  auto payment = read_payment(body, false);
  auto origin_host = read_origin_domain(body);
  auto customer = read_customer_if_any(body);
  auto external_id = body.optional<domain::ExternalId>("externalId");
  auto metadata = read_metadata(body);
  auto success_url = read_page_url(body, "successUrl", caller);
  auto cancel_url = read_page_url(body, "cancelUrl", caller);
  const auto minutes =
      body.optional_integer("expiresInMinutes", domain::kCheckoutMinutesMin, domain::kCheckoutMinutesMax);
  const auto locale = body.optional<LocaleName>("locale");
  const auto version = body.optional<VersionName>("webhookApiVersion");
  auto channel = read_channel({services.targets, caller.project}, body);
  if (!input.finish()) {
    if (channel && channel->target == domain::TargetVerdict::kRefused)
      body.violation("webhookUrl", std::string(kTargetRule));
    return std::nullopt;
  }
  domain::CreateCheckoutSession command{.id = std::move(id),
                                        .project = caller.project,
                                        .environment = caller.environment,
                                        .amount = payment->amount,
                                        .product = std::move(payment->product),
                                        .quantity = payment->quantity,
                                        .expiration_days = payment->expiration_days,
                                        .origin_host = std::move(*origin_host),
                                        .external_id = std::move(external_id),
                                        .metadata = std::move(metadata).value_or(domain::Metadata()),
                                        .success_url = std::move(success_url),
                                        .cancel_url = std::move(cancel_url),
                                        .channel = std::move(channel)};
  if (customer) {
    auto token = services.keyring.token_of(caller.project, customer->document);
    command.payer = domain::CheckoutPayer{std::move(token), std::move(*customer)};
  }
  if (minutes) command.expires_in_minutes = static_cast<std::int32_t>(*minutes);
  if (locale) command.locale = locale->value;
  if (version) command.webhook_version = version->value;
  return command;
}

using domain::CheckoutSession;
using domain::Rejection;
using eventstore::Completed;

// How often a cancellation retries when charges are created concurrently.
constexpr unsigned kMerchantTriesMax = 2 * domain::kChargesPerCheckoutMax;

void write_as_of(const Services& services, Json& json, const CheckoutSession& session, Position as_of,
                 Timestamp now) {
  std::optional<domain::Channel> channel;
  if (session.has_channel)
    channel =
        services.history.as<domain::Channel>(domain::channel_stream(domain::channel_of(session.id)), as_of);
  write_checkout(json, {.session = session,
                        .url = services.checkout.url_of(session.id),
                        .channel = channel ? &*channel : nullptr,
                        .now = now});
}

CheckoutSession session_as_of(const Services& services, const domain::CheckoutSessionId& id, Position as_of) {
  // From the ledger, where an erasure removes the metadata.
  auto session = eventstore::fold_as<CheckoutSession>(services.log, domain::checkout_stream(id), as_of);
  if (!session) throw eventstore::LogCorrupt("a session that a command was about is not in the ledger");
  return *std::move(session);
}

// A repeat has generated another id; the first request's is in the event. The repeated reply must contain the
// same secret, so it is decrypted from the ledger.
Reply render_created(const Services& services, const Completed& completed) {
  const auto& event = std::get<domain::CheckoutEvent>(completed.events().front().event);
  const auto& id = std::get<domain::CheckoutSessionCreated>(event).id;
  const auto session = session_as_of(services, id, completed.as_of);
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  write_as_of(services, json, session, completed.as_of, completed.decided_at);
  if (session.has_channel) {
    const auto own = domain::channel_of(id);
    const auto channel = services.history.as<domain::Channel>(domain::channel_stream(own), completed.as_of);
    if (!channel) throw eventstore::LogCorrupt("a session's channel is not in the ledger");
    json.field("webhookSecret", stores::open_channel_secret(own, channel->secret, services.keyring));
  }
  json.end_object().end_object();
  Reply reply{201, json.take()};
  reply.headers.push_back({"Location", "/api/v1/checkout/sessions/" + id.text()});
  return reply;
}

// As for a charge's creation: the decision stops at the first invalid value; the reply lists all.
Reply reject_creation(const Services& services, const Request& request, Rejection rejection) {
  Violations violations;
  const bool is_of_target = rejection == Rejection::kWebhookTargetRefused;
  if (is_of_target || rejection == Rejection::kInvalidDocumentCheckDigits) {
    const auto& caller = *request.caller;
    Input input(request);
    input.body();
    add_violations_of_creation(*project_of(services, caller), caller.environment, input, violations);
  }
  if (is_of_target) violations.push_back({"webhookUrl", std::string(kTargetRule)});
  return violations.size() > 1 ? validation_reply(request, std::move(violations))
                               : rejection_reply(request, rejection);
}

// nullopt if the caller may see it.
std::optional<Rejection> guard_checkout(const CheckoutSession* session, const Caller& caller) {
  if (!session || session->project != caller.project) return Rejection::kCheckoutSessionNotFound;
  if (is_refused(caller, session->environment)) return Rejection::kLiveForTestKey;
  return std::nullopt;
}

Answer cancel(const Services& services, const Request& request, const domain::CheckoutSessionId& id,
              unsigned tries = 1) {
  const auto session = find_checkout(services, services.log.head(), id);
  const auto* newest = session ? domain::newest_charge(*session) : nullptr;
  domain::CancelCheckoutSession command{.caller = request.caller->on_behalf(),
                                        .session = id,
                                        .newest = newest ? std::optional(newest->id) : std::nullopt};
  return execute_once(
      request, std::move(command), kNoBody,
      [&services, id](const Completed& completed) {
        Json json;
        json.begin_object().field("success", true).key("data").begin_object();
        write_as_of(services, json, session_as_of(services, id, completed.as_of), completed.as_of,
                    completed.decided_at);
        json.end_object().end_object();
        return Reply{200, json.take()};
      },
      [&services, id, tries](const Request& asked, Rejection rejection) -> Answer {
        if (rejection != Rejection::kCheckoutSessionChangedMeanwhile || tries > kMerchantTriesMax)
          return rejection_reply(asked, rejection);
        return cancel(services, asked, id, tries + 1);
      });
}

std::optional<domain::CheckoutStatus> read_session_status(Input& input) {
  const auto text = input.parameter("status");
  if (!text) return std::nullopt;
  const auto status = domain::parse_checkout_status(*text);
  if (!status) input.violations().push_back({"status", "must be open, complete, expired or cancelled"});
  return status;
}

// Data that an erasure removes from the ledger and that cached states may still contain.
bool is_personal(const domain::CheckoutSession& session) { return !session.metadata.empty(); }
bool is_personal(const domain::Charge& charge) {
  return !charge.metadata.empty() || !charge.refund_list.empty();
}

template <class Aggregate>
std::shared_ptr<const Aggregate> find(const Services& services, Head as_of,
                                      const domain::StreamName& stream) {
  auto state = services.states.find(stream, as_of);
  const auto* found = state ? std::get_if<Aggregate>(state.get()) : nullptr;
  if (!found) return nullptr;
  if (!is_personal(*found)) return {std::move(state), found};
  auto now = eventstore::fold_as<Aggregate>(services.log, stream);
  return now ? std::make_shared<const Aggregate>(*std::move(now)) : nullptr;
}

}  // namespace

bool may_name_a_target(const Request& request) {
  // The name may be written with escapes.
  return request.body.find("webhookUrl") != std::string::npos ||
         request.body.find("\\u") != std::string::npos;
}

Answer create_checkout_session(const Services& services, const Request& request) {
  Input input(request);
  const auto& caller = *request.caller;
  auto id = eventstore::fresh_id<domain::CheckoutSessionId>(services.log, services.clock, services.entropy);
  auto command = read_new_checkout(services, caller, std::move(id), input);
  if (!command) {
    add_violations_of_creation(*project_of(services, caller), caller.environment, input, input.violations());
    return input.refusal();
  }
  // The request sets a webhook's secret and the destination of payers' data.
  if (command->channel && caller.user && !caller.user->is_confirmed) return lacks_confirmation(request);
  if (!services.checkout.has_pages())
    return transport_error_reply(
        request, 503,
        "This server has no pages for payers: it is started without --pay-url, which names them.");
  if (command->channel) {
    auto secret =
        stores::make_channel_secret(domain::channel_of(command->id), services.keyring, services.entropy);
    command->channel->secret = std::move(secret.sealed);
    command->channel->secret_hint = std::move(secret.hint);
  }
  const auto place = command->payer ? reserve_code_wait(services, caller, std::nullopt) : nullptr;
  command->may_await_code = place != nullptr;
  return execute_once(
      request, std::move(*command), input.canonical_body(),
      [&services](const Completed& completed) { return render_created(services, completed); },
      [&services](const Request& asked, Rejection rejection) {
        return reject_creation(services, asked, rejection);
      });
}

Reply list_checkout_sessions(const Services& services, const Request& request) {
  Input input(request);
  const auto& caller = *request.caller;
  const auto page = read_page(input);
  projections::CheckoutQuery query;
  query.status = read_session_status(input);
  query.external_id = input.parsed<domain::ExternalId>("externalId");
  const auto environment = read_environment_filter(input.query(), input.violations());
  const auto zone = zone_of(services, caller);
  const auto dates = read_dates(input.query(), zone, input.violations());
  query.from = dates.from;
  query.to = dates.to;
  if (!input.finish()) return input.refusal();
  query.environment = caller.sandbox_only() ? domain::Environment::kSandbox : environment;
  projections::CheckoutPage found;
  const auto look = [&] {
    if (environment && is_refused(caller, *environment)) return;
    found =
        projections::list_checkout_sessions(*services.views.database(), caller.project, query, page.offset(),
                                            page.limit, [&request] { request.budget.check(); });
  };
  look();
  // If nothing matches, tries the id without surrounding blanks, which come with pasted text.
  if (query.external_id && found.total == 0) {
    const auto bare = domain::ExternalId::parse(without_outer_blanks(query.external_id->text()));
    if (bare && *bare != *query.external_id) {
      query.external_id = bare;
      look();
    }
  }
  const auto now = services.clock.now();
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& session : found.items) {
    json.begin_object();
    write_as_of(services, json, session, caller.arrival.position, now);
    json.end_object();
  }
  json.end_array();
  write_meta(json, page, found.total, zone);
  json.end_object();
  return {200, json.take()};
}

Reply get_checkout_session(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::CheckoutSessionId>();
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  const auto session = find_checkout(services, caller.arrival, *id);
  if (const auto rejection = guard_checkout(session.get(), caller))
    return rejection_reply(request, *rejection);
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  write_as_of(services, json, *session, services.log.head().position, services.clock.now());
  json.end_object().end_object();
  return {200, json.take()};
}

Answer cancel_checkout_session(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::CheckoutSessionId>();
  if (!input.finish()) return input.refusal();
  return cancel(services, request, *id);
}

Reply list_checkout_deliveries(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::CheckoutSessionId>();
  const auto asked = read_deliveries_asked(input);
  if (!input.finish()) return input.refusal();
  const auto session = find_checkout(services, request.caller->arrival, *id);
  if (const auto rejection = guard_checkout(session.get(), *request.caller))
    return rejection_reply(request, *rejection);
  return render_deliveries(services, domain::channel_of(*id), asked);
}

std::shared_ptr<const domain::CheckoutSession> find_checkout(const Services& services, Head as_of,
                                                             const domain::CheckoutSessionId& id) {
  return find<domain::CheckoutSession>(services, as_of, domain::checkout_stream(id));
}

std::shared_ptr<const domain::Charge> find_charge(const Services& services, Head as_of,
                                                  const domain::ChargeId& id) {
  return find<domain::Charge>(services, as_of, domain::charge_stream(id));
}

}  // namespace pixledger::http
