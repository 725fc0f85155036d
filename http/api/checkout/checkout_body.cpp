#include "http/api/checkout/checkout_body.h"

#include <utility>

#include "eventstore/keys/keyring.h"
#include "http/api/common/any_text.h"
#include "http/api/common/customer_body.h"
#include "http/api/common/metadata_input.h"
#include "http/api/common/origin_domain.h"
#include "http/services/channel_targets.h"

namespace pixledger::http {
namespace {

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

// Only the sandbox sends payers to pages without TLS.
std::optional<PageUrl> read_page_url(const JsonObject& body, std::string_view name, const Caller& caller) {
  auto url = body.optional<PageUrl>(name);
  if (!url || url->is_https() || caller.environment == domain::Environment::kSandbox) return url;
  body.violation(name, std::string(PageUrl::kRule));
  return std::nullopt;
}

// As a channel's.
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

struct Payment {
  std::optional<std::int64_t> amount;
  std::optional<domain::ProductName> product;
  std::uint32_t quantity = 1;
  std::optional<std::int32_t> expiration_days;
};

Payment read_checkout_payment(const JsonObject& body) {
  Payment read;
  const auto payment = body.required_object("payment");
  if (!payment) return read;
  read.amount = payment->required_integer("amountCents", 1, domain::kAmountCentsMax);
  read.product = payment->required<domain::ProductName>("product");
  const auto quantity = payment->optional_integer("quantity", 1, domain::kQuantityMax);
  read.quantity = static_cast<std::uint32_t>(quantity.value_or(1));
  const auto days = payment->optional_integer("expirationDays", 1, domain::kExpirationDaysMax);
  if (days) read.expiration_days = static_cast<std::int32_t>(*days);
  return read;
}

domain::DocumentToken token_of(const Services& services, const Caller& caller,
                               const domain::Document& document) {
  return *domain::DocumentToken::parse(
      services.keyring.name_of_document(caller.project.text(), document.text()));
}

}  // namespace

std::optional<domain::CreateCheckoutSession> read_new_checkout(const Services& services, const Caller& caller,
                                                               domain::CheckoutSessionId id, Input& input) {
  const auto body = input.body();
  auto payment = read_checkout_payment(body);
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
                                        .amount = domain::Cents(*payment.amount),
                                        .product = std::move(*payment.product),
                                        .quantity = payment.quantity,
                                        .expiration_days = payment.expiration_days,
                                        .origin_host = std::move(*origin_host),
                                        .external_id = std::move(external_id),
                                        .metadata = std::move(metadata).value_or(domain::Metadata()),
                                        .success_url = std::move(success_url),
                                        .cancel_url = std::move(cancel_url),
                                        .channel = std::move(channel)};
  if (customer) {
    auto token = token_of(services, caller, customer->document);
    command.payer = domain::CheckoutPayer{std::move(token), std::move(*customer)};
  }
  if (minutes) command.expires_in_minutes = static_cast<std::int32_t>(*minutes);
  if (locale) command.locale = locale->value;
  if (version) command.webhook_version = version->value;
  return command;
}

}  // namespace pixledger::http
